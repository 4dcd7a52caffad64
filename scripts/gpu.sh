#!/usr/bin/env bash
# Runs stages on a machine with a GPU, from the folder that `make gpu-kit` has made, within the sources:
#   gpu.sh STAGE…
#   facts       the driver, the devices, and what gxe finds of them
#   test        the tests of CUDA; with GPU_STAND_IN=1 on the stand-in for the driver
#   sanitize    the example under compute-sanitizer, where that is installed
#   bench       work of gxe beside hand-written calls of the driver, in turn: a table, and bench.json beside
#               the logs; with GPU_STAND_IN=1 everything once on the stand-in, where figures mean nothing
# Logs go to $OUT, or to the folder `logs` here, as they come.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-$here/logs}
mkdir -p "$out"
# Where there is no xz, there may be Python.
[ -d "$here/debug" ] || tar --extract --xz --file "$here/programs.tar.xz" --directory "$here" ||
    python3 -m tarfile --extract "$here/programs.tar.xz" "$here" || exit 1
# The tests read files of the sources where they were built.
sources=$(cat "$here/sources")
if [ ! -e "$sources/Cargo.toml" ]; then
    mkdir -p "$(dirname "$sources")"
    ln -sfn "$(cd "$here/../.." && pwd)" "$sources"
fi
status=0

facts() {
    echo "revision $(cat "$here/revision"), $(date -u +%F)"
    nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv || true
    "$here/debug/gxe" inspect cuda
}

tests() {
    local gpu=(GXE_TEST_GPU=1)
    [ -z "${GPU_STAND_IN-}" ] || gpu=()
    env GXE_TESTS_BUILT=1 "${gpu[@]}" timeout 540 "$here/debug/deps/end_to_end" \
        cuda --skip cpp:: --skip pinned:: --skip tensors:: --skip the_graph_of_the_book
}

sanitize() {
    if ! command -v compute-sanitizer >/dev/null; then
        echo 'skipped: compute-sanitizer is not installed here'
        return 0
    fi
    local tool
    for tool in memcheck initcheck; do
        env GXE_TESTS_BUILT=1 GXE_TEST_GPU=1 compute-sanitizer --tool "$tool" --target-processes all \
            --error-exitcode 9 timeout 400 "$here/debug/deps/end_to_end" cuda::tensors_are_multiplied ||
            return 1
    done
}

bench() {
    local driver=() option=()
    if [ -n "${GPU_STAND_IN-}" ]; then
        mkdir -p "$here/stand_in"
        cp "$here/debug/libcuda_stand_in.so" "$here/stand_in/libcuda.so.1"
        driver=("LD_LIBRARY_PATH=$here/stand_in") option=(--stand-in)
    fi
    env "${driver[@]}" timeout 480 "$here/release/cuda" "$here/release" "$here/release/baseline" \
        "$out/bench.json" "${option[@]}"
}

[ $# -gt 0 ] || set -- facts test sanitize bench
for stage; do
    case $stage in
    facts) run=facts ;;
    test) run=tests ;;
    sanitize) run=sanitize ;;
    bench) run=bench ;;
    *)
        echo "there is no stage '$stage'; there are facts, test, sanitize and bench" >&2
        exit 2
        ;;
    esac
    echo "== $stage"
    "$run" 2>&1 | tee "$out/$stage.log" || status=1
done
exit "$status"
