#!/usr/bin/env bash
# Installs each package of `make dist` into a clean Debian and uses it as a new user does: graphs, an
# extension in each language, programs that embed the runtime, an upgrade, a moved installation.
# Then makes the packages once more from the same programs, and builds and runs the image.
#
# Needs root (for chroot), debootstrap and its mirror. `QUICK=1` leaves out what is in Rust. BUILT is
# a folder with programs to pack instead of a new build.
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

scripts/dist.sh
rm -rf "$folder/debs"
install -d "$folder/debs"
cp "$target"/dist/gxe[-_]* "$folder/debs"
cp "$target/dist/SHA256SUMS" "$folder"

# No folder of this machine is in them: programs, crates, texts. (Programs from elsewhere may.)
rm -rf "$folder/unpacked"
[ -n "${BUILT-}" ] || for package in "$folder"/debs/gxe_*.deb "$folder"/debs/gxe-dbgsym_*.deb; do
    dpkg-deb --extract "$package" "$folder/unpacked"
done
if [ -z "${BUILT-}" ] && grep -rlF -e "$PWD/" -e "${CARGO_HOME:-$HOME/.cargo}/" "$folder/unpacked"; then
    echo "these files name folders of this machine" >&2
    exit 1
fi
rm -rf "$folder/unpacked"

# An older package to upgrade from.
older=$folder/older
rm -rf "$older"
dpkg-deb --raw-extract "$folder"/debs/gxe_*.deb "$older"
sed -i 's/^Version: .*/Version: 0.0.1/' "$older/DEBIAN/control"
install -D -m 644 /dev/null "$older/usr/share/gxe/only_in_the_older_version"
dpkg-deb --root-owner-group -Znone --build "$older" "$folder/debs/older.deb" >/dev/null
rm -rf "$older"

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
cp "$folder"/debs/* packaging/use_packages.sh Cargo.lock "$root/packages"

# In MB. Programs that were built without optimisation are larger.
largest=60
[ -z "${BUILT-}" ] || largest=1000
# Debian's Rust is too old, so this machine's is lent, with the crates it has downloaded.
sysroot=$(rustc --print sysroot)
unshare --mount --fork bash -c '
    set -e
    root=$1
    lend() {
        mkdir -p "$2"
        mount --bind "$1" "$2"
        mount -o remount,bind,ro "$2"
    }
    lend "$2" "$root/opt/rust"
    mount -t tmpfs none "$root/opt/cargo"
    lend "$3/registry" "$root/opt/cargo/registry"
    mount -t proc none "$root/proc"
    mount --bind /dev "$root/dev"
    exec chroot "$root" env -i HOME=/root QUICK="$4" LARGEST="$5" CARGO_HOME=/opt/cargo CARGO_NET_OFFLINE=true \
        PATH=/opt/rust/bin:/usr/sbin:/usr/bin:/sbin:/bin bash /packages/use_packages.sh
' test_packages "$root" "$sysroot" "${CARGO_HOME:-$HOME/.cargo}" "${QUICK-}" "$largest"

echo '== the same programs make the same packages'
BUILT=${BUILT:-$target/reproducible/release} scripts/dist.sh | cmp - "$folder/SHA256SUMS"

scripts/test_image.sh "$base"
