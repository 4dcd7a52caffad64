#!/usr/bin/env bash
# Runs stages on a machine with a GPU, from the folder that `make gpu-kit` has made, within the sources:
#   gpu.sh STAGE…
#   facts       the driver, the devices, and what gxe finds of them
#   test        the tests of CUDA; with GPU_STAND_IN=1 on the stand-in for the driver
#   python      the tests of tensors in Python with PyTorch and CuPy, where those are installed
#   sanitize    some of them under compute-sanitizer, where that is installed
#   bench       work of gxe beside hand-written calls of the driver, in turn: a table, and bench.json beside
#               the logs, each $GPU_TIMES times, or five; with GPU_STAND_IN=1 everything once on the stand-in, where figures mean nothing
# Each stage ends after $GPU_SECONDS seconds, or 400. Logs go to $OUT, or to the folder `logs` here, as they come.
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
limit=${GPU_SECONDS:-400}
status=0

facts() {
    echo "revision $(cat "$here/revision"), $(date -u +%F)"
    nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv || true
    "$here/debug/gxe" inspect cuda
}

tests() {
    # Contexts of many processes at once take half a minute each, and the driver runs out of memory.
    local gpu=(GXE_TEST_GPU=1 RUST_TEST_THREADS=4)
    [ -z "${GPU_STAND_IN-}" ] || gpu=()
    env GXE_TESTS_BUILT=1 GXE_TESTS_COMPILED="$here/debug/cpp" "${gpu[@]}" \
        timeout "$limit" "$here/debug/deps/end_to_end" \
        cuda --skip pinned:: --skip tensors:: --skip the_graph_of_the_book
}

python() {
    # The package as it is installed, apart from the sources.
    local library package=$here/python/gxe gpu=(GXE_TEST_GPU=1)
    [ -z "${GPU_STAND_IN-}" ] || gpu=()
    if ! python3 -c 'import pytest'; then
        echo 'skipped: python3 has no pytest here'
        return 0
    fi
    mkdir -p "$here/python"
    cp -r "$sources/python/gxe" "$sources/python/face/gxf" "$here/python"
    rm -rf "$package/lib" "$package/bin"
    mkdir -p "$package/lib" "$package/bin"
    ln -sf "$here/debug/lib_gxe.so" "$package/_gxe.abi3.so"
    ln -sf "$here/debug/gxe" "$package/bin/gxe"
    for library in "$here"/debug/libgxf_*.so; do
        ln -sf "$library" "$package/lib/"
    done
    env PYTHONPATH="$here/python" "${gpu[@]}" timeout "$limit" \
        python3 -m pytest -v -p no:cacheprovider "$sources/python/tests/test_gpu.py"
    # 5: all are skipped, since there is no PyTorch, and pytest has said so.
    case $? in 0 | 5) ;; *) return 1 ;; esac
}

sanitize() {
    if ! command -v compute-sanitizer >/dev/null; then
        echo 'skipped: compute-sanitizer is not installed here'
        return 0
    fi
    # Kernels, copies, streams of one and of several codelets, graphs, and C++ that calls CUDA itself.
    local tests=(
        cpp::cuda::memory_goes_home_behind_readers_on_the_stream_of_its_message
        cpp::cuda::an_extension_with_the_toolkit_works_as_published_ones_do
        cuda::tensors_are_multiplied_on_the_device_under_every_scheduler
        cuda::tensors_are_copied_to_the_device_and_back
        cuda::buffers_are_awaited_and_convolved
        cuda::a_stream_sync_orders_two_streams
        cuda_pictures::pictures_are_resized_as_on_the_host
        cuda_pictures::tensors_on_a_device_are_recorded
        cuda_graphs::a_chain_of_codelets_is_one_launch
        cuda_payloads::payloads_on_a_device_are_recorded_as_they_are
    )
    local races=() tool test options left end=$((SECONDS + limit)) failed=0
    if compute-sanitizer --help | grep track-stream-ordered-races >/dev/null; then
        races=(--track-stream-ordered-races all)
    fi
    for test in "${tests[@]}"; do
        if ! "$here/debug/deps/end_to_end" --list | grep -x "$test: test" >/dev/null; then
            echo "there is no test $test"
            failed=1
        fi
        for tool in memcheck initcheck; do
            left=$((end - SECONDS))
            if [ $left -le 0 ]; then
                echo "not run, since the time is over: $tool of $test"
                continue
            fi
            options=(--tool "$tool" --target-processes all --error-exitcode 9)
            [ $tool = initcheck ] || options+=("${races[@]}")
            echo "-- $tool of $test"
            env GXE_TESTS_BUILT=1 GXE_TEST_GPU=1 GXE_TESTS_COMPILED="$here/debug/cpp" timeout $left \
                compute-sanitizer "${options[@]}" "$here/debug/deps/end_to_end" --exact "$test" || failed=1
        done
    done
    return $failed
}

bench() {
    local driver=() option=()
    if [ -n "${GPU_STAND_IN-}" ]; then
        mkdir -p "$here/stand_in"
        cp "$here/debug/libcuda_stand_in.so" "$here/stand_in/libcuda.so.1"
        driver=("LD_LIBRARY_PATH=$here/stand_in") option=(--stand-in)
    elif [ -n "${GPU_TIMES-}" ]; then
        option=("$GPU_TIMES")
    fi
    env "${driver[@]}" timeout "$limit" "$here/release/cuda" "$here/release" "$here/release/baseline" \
        "$out/bench.json" "${option[@]}"
}

[ $# -gt 0 ] || set -- facts test python sanitize bench
for stage; do
    case $stage in
    facts) run=facts ;;
    test) run=tests ;;
    python) run=python ;;
    sanitize) run=sanitize ;;
    bench) run=bench ;;
    *)
        echo "there is no stage '$stage'; there are facts, test, python, sanitize and bench" >&2
        exit 2
        ;;
    esac
    echo "== $stage"
    "$run" 2>&1 | tee "$out/$stage.log" || status=1
done
exit "$status"
