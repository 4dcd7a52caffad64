#!/usr/bin/env bash
# Runs what has threads under ThreadSanitizer; `make tsan` calls it with Cargo's target folder and the
# seconds random graphs are run for. Needs a nightly toolchain with rust-src, and clang++.
set -euo pipefail

cd "$(dirname "$0")/.."
target=$1
length=$2
host=$(rustc -vV | sed -n 's/^host: //p')
built=$target/$host/debug

# The standard library is built anew, so that its locks and threads are known to the sanitizer, and gxe
# takes the system's allocator, which is known as well. Extensions in C++ find the runtime of the
# sanitizer in gxe. What is optimized a little runs in half of the time.
export RUSTFLAGS="-Zsanitizer=thread --cfg thread_sanitizer -Clink-arg=-Wl,--export-dynamic"
export CARGO_TARGET_DIR=$target CARGO_PROFILE_DEV_OPT_LEVEL=1
# The libraries that tests load are built here.
export GXE_TESTS_BUILT=1
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-2026}
# Tests catch what programs print.
reports=$(mktemp -d)
export TSAN_OPTIONS="log_path=$reports/report suppressions=$PWD/scripts/tsan_suppressions.txt"

cargo() { command cargo +nightly "$1" -Zbuild-std --target "$host" "${@:2}"; }

times=()
step() {
    local begin=$SECONDS
    printf '\n== %s\n' "$*"
    "$@"
    times+=("$(printf '%5d s  %s' $((SECONDS - begin)) "$*")")
}

finish() {
    cat "$reports"/* 2>/dev/null || true
    rm -rf "$reports"
    printf '\n== times\n'
    printf '%s\n' "${times[@]}"
}
trap finish EXIT

step cargo test -p gxf-runtime --lib
step cargo build -p gxe -p gxe-tests -p gxf_actor -p gxf_graph_changer -p gxf_sample -p gxf_multimedia \
    -p gxf_serialization --lib --bins
DIFFERENTIAL_GRAPHS=100 step cargo test -p gxe-tests --test differential --test joining
step cargo test -p gxe-tests --test cpp -- --ignored thread_sanitizer
step "$built/soak" "$length"
CC="gcc -fsanitize=thread $PWD/runtime/core/tests/support/tsan.c" \
    step cargo test -p gxf-core --test conformance
# A program may have met what its test does not look at.
[ -z "$(ls "$reports")" ]
