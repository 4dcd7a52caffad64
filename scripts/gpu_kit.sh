#!/usr/bin/env bash
# Packs what a machine with a GPU, without network, Rust and compilers, needs to run the tests and benchmarks of CUDA:
# gxe, the libraries, the test program and the extensions in C++ that it uses, stripped, the optimized ones of `gpu.sh bench` with their baseline, and
# scripts/gpu.sh, which runs them. FOLDER is made anew.
# The kit is tried on the stand-in for the driver first.
set -euo pipefail

cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
folder=$1

# With the tests, as `make test` builds it: otherwise cargo would build the crates once more.
program=$(cargo build --workspace --lib --bins --tests --message-format json |
    sed -n 's/.*"executable":"\([^"]*\/end_to_end-[^"]*\)".*/\1/p')
kit=$(mktemp -d)
trap 'rm -rf "$kit"' EXIT
install -D "$program" "$kit/debug/deps/end_to_end"
install "$target/debug/gxe" "$target/debug/activations" "$target/debug/lib_gxe.so" \
    "$target/debug/libgxf_python_codelet.so" "$kit/debug"
# The libraries that these tests name, in manifests or otherwise; GXF's standard one is part of gxe.
{
    grep -ohE 'lib(gxe|gxf|my)_[a-z_]+\.so' tests/tests/{,cpp/}cuda*.rs tests/src/{cuda,graphs,links}.rs docs/book/src/howto/cuda.md
    sed -nE 's/.*library\("([a-z_]+)"\).*/lib\1.so/p' tests/tests/cuda*.rs tests/src/cuda.rs
} | sort -u | grep -v '^libgxf_std' | while read -r library; do
    install "$target/debug/$library" "$kit/debug"
done
# What these tests compile stays here.
GXE_TESTS_BUILT=1 GXE_TESTS_COMPILED="$kit/debug/cpp" "$program" cpp::cuda::
scripts/build_cuda_bench.sh "$target" "$kit/release/baseline"
install "$target/release/gxe" "$target/release/cuda" "$kit/release"
for library in sample cuda rmm serialization bench_stages; do
    install "$target/release/libgxf_$library.so" "$kit/release"
done
find "$kit" -type f -exec strip --strip-all -R .comment {} +
rm -rf "$folder"
mkdir -p "$folder"
tar --create --directory "$kit" debug release | xz -6 --threads 0 >"$folder/programs.tar.xz"
# Where the tests look for files of the sources.
pwd >"$folder/sources"
git describe --always --dirty >"$folder/revision"
install scripts/gpu.sh "$folder"
GPU_STAND_IN=1 "$folder/gpu.sh" test bench
rm -rf "$folder/debug" "$folder/release" "$folder/python" "$folder/stand_in" "$folder/logs"
du -sh "$folder"
