#!/usr/bin/env bash
# Builds what the benchmarks of CUDA need, for `make bench-cuda` and `make gpu-kit`: the programs and
# libraries in TARGET/release, and their baseline, a program in C, at BASELINE.
set -euo pipefail

cd "$(dirname "$0")/.."
target=$1 baseline=$2

cargo build --release --target-dir "$target" -p gxe -p gxe-benches -p gxf_bench_stages -p gxf_sample -p gxf_cuda \
    -p gxf_rmm -p gxf_serialization
mkdir -p "$(dirname "$baseline")"
"${CC:-cc}" -O2 -Wall -Wextra -DPTX='"runtime/device/kernels/numbers.ptx"' benches/cuda/baseline.c -ldl \
    -o "$baseline"
