#!/usr/bin/env bash
# Installs each package of `make dist` into a clean Debian and uses it as a new user does: graphs, an
# extension in each language, programs that embed the runtime, an upgrade, a moved installation.
#
# Needs root (for chroot), debootstrap and its mirror. `QUICK=1` leaves out what is in Rust.
set -euo pipefail

cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
folder=$target/packages
suite=bookworm

skip() {
    echo "skipped: $1"
    exit 0
}
[ "$(id -u)" = 0 ] || skip "the packages are tested in a chroot, which needs root"
command -v debootstrap >/dev/null || skip "debootstrap is missing"
unshare --mount true 2>/dev/null || skip "this system does not allow mounts"

# The packages, and an older one to upgrade from.
if [ -z "${PACKAGES-}" ]; then
    scripts/dist.sh
    PACKAGES=$target/dist
fi
rm -rf "$folder/debs"
install -d "$folder/debs"
cp "$PACKAGES"/gxe[-_]* "$folder/debs"
older=$folder/older
rm -rf "$older"
dpkg-deb --raw-extract "$folder"/debs/gxe_*.deb "$older"
sed -i 's/^Version: .*/Version: 0.0.1/' "$older/DEBIAN/control"
install -D -m 644 /dev/null "$older/usr/share/gxe/only_in_the_older_version"
dpkg-deb --root-owner-group -Znone --build "$older" "$folder/debs/older.deb" >/dev/null

# A clean Debian with compilers, made once.
base=$folder/base-$suite
if [ ! -e "$base/complete" ]; then
    rm -rf "$base"
    debootstrap --variant=minbase \
        --include=build-essential,ca-certificates,cmake,pkg-config,python3 "$suite" "$base" >"$folder/debootstrap.log"
    touch "$base/complete"
fi
root=$folder/root
rm -rf --one-file-system "$root"
cp -a --reflink=auto "$base" "$root"
install -d "$root/packages" "$root/opt/rust" "$root/opt/cargo"
cp "$folder"/debs/* packaging/use_packages.sh "$root/packages"
cp Cargo.lock "$root/packages"

# Debian's Rust is too old, so this machine's is lent, with the crates it has downloaded.
sysroot=$(rustc --print sysroot)
unshare --mount --fork bash -c '
    set -e
    root=$1
    mount --bind "$2" "$root/opt/rust"
    mount -o remount,bind,ro "$root/opt/rust"
    mount -t tmpfs none "$root/opt/cargo"
    cp -r "$3/registry" "$root/opt/cargo"
    mount -t proc none "$root/proc"
    mount --bind /dev "$root/dev"
    exec chroot "$root" env -i HOME=/root QUICK="$4" CARGO_HOME=/opt/cargo CARGO_NET_OFFLINE=true \
        PATH=/opt/rust/bin:/usr/sbin:/usr/bin:/sbin:/bin bash /packages/use_packages.sh
' test_packages "$root" "$sysroot" "${CARGO_HOME:-$HOME/.cargo}" "${QUICK-}"
