#!/bin/sh
# Builds the wheels of gxe (one for Python 3.9 and 3.10, one for 3.11 and newer, one for free-threaded
# 3.14) and gxf into target/wheels. With zig from PyPI they run on every Linux with glibc 2.28; WHEEL_NATIVE=1 builds for
# this machine's glibc instead, in less time.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
target_dir=${CARGO_TARGET_DIR:-target}
tools=$target_dir/python/tools
triple=$(rustc -vV | sed -n 's/^host: //p')
export PYO3_NO_PYTHON=1

if [ ! -x "$tools/bin/cargo-zigbuild" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check maturin ziglang cargo-zigbuild flit-core build
fi
tools_path=$(cd "$tools/bin" && pwd)
PATH=$tools_path:$PATH

# Every extension for users, and the program.
crates=$(make -s installed-crates)
packages=$(for crate in $crates; do [ "$crate" = gxf-core ] || printf ' -p %s' "$crate"; done)
if [ -n "${WHEEL_NATIVE:-}" ]; then
    build="cargo build"
    at=$triple
    compatibility=linux
    zig=
else
    build="cargo zigbuild"
    at=$triple.2.28
    compatibility=manylinux_2_28
    zig=--zig
    export GXE_EXPORT_ALL=1
fi
# shellcheck disable=SC2086
$build --profile wheel --locked --target "$at" $packages
built=$target_dir/$triple/wheel

# The package as it is installed, apart from the sources.
stage=$target_dir/python/stage
rm -rf "$stage"
mkdir -p "$stage/gxe/lib" "$stage/gxe/bin" "$target_dir/wheels"
(cd python && find gxe -name '*.py' -o -name '*.pyi' -o -name py.typed) |
    while read -r file; do
        mkdir -p "$stage/$(dirname "$file")"
        cp "python/$file" "$stage/$file"
    done
cp "$built/gxe" "$stage/gxe/bin"
for crate in $crates; do
    case $crate in gxe | gxf-core | gxf-stm-runtime) continue ;; esac
    cp "$built/lib$crate.so" "$stage/gxe/lib"
done
sed "s|^\[tool.maturin\]|[tool.maturin]\npython-source = \".\"\nmanifest-path = \"$root/python/Cargo.toml\"|" python/pyproject.toml >"$stage/pyproject.toml"
cp python/README.md LICENSE "$stage"
cp -r python/gxe.data "$stage"

rm -f "$target_dir"/wheels/gxe-*.whl "$target_dir"/wheels/gxe_gxf-*.whl
wheels=$(cd "$target_dir/wheels" && pwd)
pack() {
    # shellcheck disable=SC2086
    (cd "$stage" && maturin build --quiet --profile wheel --locked --compression-level 9 $zig --target "$triple" \
        --compatibility $compatibility --out "$wheels" "$@")
}
pack
pack --no-default-features --features buffers
# Free-threaded Python has no stable ABI before 3.15. What PyO3 would ask an interpreter stands here, because
# few machines have one.
description=$target_dir/python/free_threaded.txt
cat >"$description" <<END
implementation=CPython
version=3.14
shared=true
abi3=false
pointer_width=64
build_flags=Py_GIL_DISABLED
ext_suffix=.cpython-314t-${triple%%-*}-linux-gnu.so
abi_tag=314t
suppress_build_script_link_lines=true
END
PYO3_CONFIG_FILE=$(realpath "$description")
export PYO3_CONFIG_FILE
pack --no-default-features --features buffers
# GXF's modules are Python alone.
(cd python/face && pyproject-build --wheel --no-isolation --outdir "$wheels" . >/dev/null)
ls -l "$wheels"
