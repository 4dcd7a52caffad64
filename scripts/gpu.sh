#!/usr/bin/env bash
# Runs stages on a machine with a GPU, from the folder that `make gpu-kit` has made, within the sources:
#   gpu.sh STAGE…
#   facts       the driver, the devices, and what gxe finds of them
#   test        the tests of CUDA; with GPU_STAND_IN=1 on the stand-in for the driver
#   sanitize    the example under compute-sanitizer, where that is installed
# Logs go to $OUT, or to the folder `logs` here, as they come.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-$here/logs}
mkdir -p "$out"
[ -d "$here/debug" ] || tar --extract --gzip --file "$here/programs.tar.gz" --directory "$here"
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

[ $# -gt 0 ] || set -- facts test sanitize
for stage; do
    case $stage in
    facts) run=facts ;;
    test) run=tests ;;
    sanitize) run=sanitize ;;
    *)
        echo "there is no stage '$stage'; there are facts, test and sanitize" >&2
        exit 2
        ;;
    esac
    echo "== $stage"
    "$run" 2>&1 | tee "$out/$stage.log" || status=1
done
exit "$status"
