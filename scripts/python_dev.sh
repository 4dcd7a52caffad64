#!/bin/sh
# Builds the Python package for development: PYTHONPATH=python then uses the debug build.
set -eu
cd "$(dirname "$0")/.."
target=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)
crates=$(make -s installed-crates)
# shellcheck disable=SC2046
PYO3_NO_PYTHON=1 cargo build -p gxe-python $(for crate in $crates; do printf ' -p %s' "$crate"; done)
rm -rf python/gxe/lib python/gxe/bin
mkdir -p python/gxe/lib python/gxe/bin
ln -sf "$target/debug/lib_gxe.so" python/gxe/_gxe.abi3.so
ln -sf "$target/debug/gxe" python/gxe/bin/gxe
for library in "$target"/debug/libgxf_*.so "$target"/debug/libgxe_*.so; do
    case $library in */libgxf_core.so | */libgxf_macros.so | */libgxf_stm_runtime.so) continue ;; esac
    ln -sf "$library" python/gxe/lib/
done
echo "use it with: PYTHONPATH=$PWD/python:$PWD/python/face python3"
