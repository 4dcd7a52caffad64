#!/usr/bin/env bash
# Records how often short graphs run each part of gxe, in target/gxe.profdata, with which the compiler
# makes a faster gxe (profile-guided optimization). `make trained` calls it before building.
#
# TRAIN is a command to run as well, such as one that runs a graph of your own; `gxe` is the one that
# counts.
set -euo pipefail

cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
training=$target/training
counts=$training/counts
build=$training/release

sysroot=$(rustc --print sysroot)
profdata() { find "$sysroot/lib/rustlib" -name llvm-profdata -print -quit; }
if [ -z "$(profdata)" ] && command -v rustup >/dev/null; then
    rustup --quiet component add llvm-tools || true
fi
merge=$(profdata)
if [ -z "$merge" ]; then
    echo "no llvm-profdata of this Rust toolchain; with rustup: rustup component add llvm-tools" >&2
    exit 1
fi

rm -rf "$counts"
RUSTFLAGS="-Cprofile-generate=$counts" CARGO_TARGET_DIR=$training \
    cargo build --release -p gxe -p gxe-benches -p gxf_bench_stages -p gxf_sample -p gxf_ucx -p gxf_http

for scheduler in greedy multi_thread_1 multi_thread_2 static_1 static_2 actors_1 actors_2; do
    "$build/hop" 10 30000 back_pressure "$scheduler" >/dev/null
done
"$build/hop" 10 30000 plain greedy >/dev/null
for scheduler in multi_thread_2 static_2 actors_2 actors_2_4_instances; do
    "$build/hop" 2 60000 crossing "$scheduler" >/dev/null
done

"$build/network" "$build" --alone "round trip of 8 bytes, " "messages of 8 bytes" >/dev/null
if [ -n "${TRAIN-}" ]; then
    PATH=$build:$PATH sh -c "$TRAIN"
fi
"$merge" merge -o "$target/gxe.profdata" "$counts"
