#!/usr/bin/env bash
# Makes the packages in target/dist: an archive, a Debian package, the symbols of both, and the recipe
# of an OCI image. The same sources and the same compiler make the same bytes.
#
# VERSION replaces the version of Cargo.toml, for tests of an upgrade. BUILT is a folder with programs
# to pack instead of a new build.
set -euo pipefail

cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
version=${VERSION:-$(sed -n '/^\[workspace.package\]/,/^\[/ s/^version = "\(.*\)"/\1/p' Cargo.toml)}
machine=$(uname -m)
dist=$target/dist
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y Cargo.lock)}
export LC_ALL=C TZ=UTC
umask 022

if [ -z "${BUILT-}" ]; then
    # Paths of this machine are in no package.
    cargo=${CARGO_HOME:-$HOME/.cargo}
    export RUSTFLAGS="--remap-path-prefix=$PWD=gxe --remap-path-prefix=$cargo=cargo"
    # The same for C in crates.
    export CFLAGS="-ffile-prefix-map=$PWD=gxe -ffile-prefix-map=$cargo=cargo"
    CARGO_TARGET_DIR=$target/reproducible make --no-print-directory dist-build
    BUILT=$target/reproducible/release
fi

rm -rf "$dist"
root=$dist/root
scripts/third_party.py >"$target/THIRD-PARTY.md"
make --no-print-directory install-built BUILT="$BUILT" DESTDIR="$root" PREFIX=/usr >/dev/null
install -m 644 "$target/THIRD-PARTY.md" "$root/usr/share/doc/gxe"
install -D -m 644 packaging/gxe@.service "$root/usr/lib/systemd/system/gxe@.service"

# Symbols apart: a debugger finds them by the names of the files.
symbols=$dist/symbols
for file in "$root"/usr/bin/gxe "$root"/usr/lib/libgxf_*.so "$root"/usr/lib/lib*.so; do
    name=$(basename "$file")
    debug=$symbols/usr/lib/debug${file#"$root"}.debug
    [ -f "$debug" ] && continue
    install -d "$(dirname "$debug")"
    objcopy --only-keep-debug "$BUILT/$name" "$debug"
    chmod 644 "$debug"
    (cd "$(dirname "$debug")" && objcopy --add-gnu-debuglink="$name.debug" "$file")
done
find "$root" "$symbols" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +

archive() { # folder, name of the top folder, file
    tar --create --directory "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
        --numeric-owner --mode=u+rwX,go+rX,go-w --transform "s|^\./|$2/|;s|^\.$|$2|" . |
        gzip --no-name -9 >"$3"
}
archive "$root/usr" "gxe-$version" "$dist/gxe-$version-$machine-linux.tar.gz"
archive "$symbols/usr/lib/debug/usr" "gxe-$version-symbols" "$dist/gxe-$version-$machine-linux-symbols.tar.gz"

debian() { # name, folder, description, dependencies, level of compression
    local folder=$2 name=$1 control=$2/DEBIAN file
    install -d "$control" "$folder/usr/share/doc/$name"
    cat packaging/copyright >"$folder/usr/share/doc/$name/copyright"
    [ ! -d "$folder/usr/share/man" ] || find "$folder/usr/share/man" -name '*.1' -exec gzip --no-name -9 {} +
    (cd "$folder" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$control/md5sums"
    cat >"$control/control" <<EOF
Package: $name
Version: $version
Architecture: $architecture
Maintainer: The gxe authors <gxe@localhost>
Installed-Size: $(du -sk --exclude=DEBIAN "$folder" | cut -f 1)
Section: devel
Priority: optional
$4
Description: $3
EOF
    if [ "$name" = gxe ]; then
        echo 'activate-noawait ldconfig' >"$control/triggers"
    fi
    find "$folder" -type d -exec chmod 755 {} +
    find "$folder" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
    file=$dist/${name}_${version}_$architecture.deb
    dpkg-deb --root-owner-group -Zxz -z"$5" --build "$folder" "$file" >/dev/null
}
if command -v dpkg-deb >/dev/null; then
    architecture=$(dpkg --print-architecture)
    # The newest version of the C library whose functions are used.
    libc=$(for file in "$root"/usr/bin/gxe "$root"/usr/lib/*.so; do objdump -T "$file"; done |
        sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | sort -Vu | tail -n 1)
    debian gxe "$root" "graph executor for compute graphs in YAML
 Runs graphs of codelets from shared libraries written in Rust, C++ or C, in the
 vocabulary of NVIDIA's GXF, with the SDK to write more of them." \
        "Depends: libc6 (>= $libc), libgcc-s1
Suggests: cargo, cmake, g++, make, pkg-config" 6
    debian gxe-dbgsym "$symbols" "debug symbols of gxe
 Debuggers find them below /usr/lib/debug." "Depends: gxe (= $version)" 1
    install -m 644 packaging/Containerfile "$dist"
else
    echo "dpkg-deb is missing: no Debian package, and no image recipe, which installs it" >&2
fi
rm -rf "$root" "$symbols"
(cd "$dist" && sha256sum gxe* >SHA256SUMS && cat SHA256SUMS)
