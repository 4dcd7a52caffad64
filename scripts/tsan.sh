#!/usr/bin/env bash
# Runs the multi-threaded parts under ThreadSanitizer. `make tsan` calls it with Cargo's target
# folder and the number of seconds for random graphs. Needs a nightly toolchain with rust-src, and
# clang++.
set -euo pipefail

cd "$(dirname "$0")/.."
target=$1
length=$2
host=$(rustc -vV | sed -n 's/^host: //p')
built=$target/$host/debug

# Rebuilds the standard library, so that the sanitizer knows its locks and threads. gxe uses the
# system's allocator, which the sanitizer knows too. C++ extensions find the sanitizer's runtime in
# gxe. A little optimisation halves the time.
export RUSTFLAGS="-Zsanitizer=thread --cfg thread_sanitizer -Clink-arg=-Wl,--export-dynamic"
export CARGO_TARGET_DIR=$target CARGO_PROFILE_DEV_OPT_LEVEL=1
# This script builds the libraries that tests load.
export GXE_TESTS_BUILT=1
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-2026}
# Tests capture the output of programs.
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

step cargo test -p gxf-sync -p gxf-app -p gxf-runtime --lib
step cargo build -p gxe -p gxe-tests -p gxf_actor -p gxf_graph_changer -p gxf_sample -p gxf_multimedia \
    -p gxf_serialization --lib --bins
DIFFERENTIAL_GRAPHS=100 step cargo test -p gxe-tests --test end_to_end -- differential:: joining::
step cargo test -p gxe-tests --test end_to_end -- --ignored cpp::sanitizers::clean_under_the_thread
step "$built/soak" "$length"
CC="gcc -fsanitize=thread $PWD/runtime/core/tests/support/tsan.c" \
    step cargo test -p gxf-core --test conformance
# A program may have reported a race that its test does not check.
[ -z "$(ls "$reports")" ]
