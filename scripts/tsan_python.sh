#!/usr/bin/env bash
# Tests the Python module under ThreadSanitizer, on free-threaded CPython that is built with it, too
# (scripts/free_threaded.sh). `make tsan-python` calls it with Cargo's target folder and with what pytest
# shall test. Needs a nightly toolchain with rust-src.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$1
shift
python=$(scripts/free_threaded.sh tsan | tail -n 1)
[ -x "$python" ] || exit 0
host=$(rustc -vV | sed -n 's/^host: //p')

# As in scripts/tsan.sh. The sanitizer's runtime is that of the interpreter.
PYO3_PYTHON=$python RUSTFLAGS="-Zsanitizer=thread --cfg thread_sanitizer" CARGO_TARGET_DIR=$target/python \
    CARGO_PROFILE_DEV_OPT_LEVEL=1 \
    cargo +nightly build -Zbuild-std --target "$host" --no-default-features --features gxe-python/buffers \
    -p gxe -p gxe-python -p gxf_python_codelet -p gxf_sample
built=$target/python/$host/debug

package=$(mktemp -d)
trap 'rm -rf "$package"' EXIT
mkdir -p "$package/gxe/lib" "$package/gxe/bin"
cp -r python/gxe/*.py python/gxe/holoscan "$package/gxe"
suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
ln -s "$built/lib_gxe.so" "$package/gxe/_gxe$suffix"
ln -s "$built/gxe" "$package/gxe/bin"
ln -s "$built"/libgxf_{python_codelet,sample}.so "$package/gxe/lib"
"$python" -c 'import pytest' 2>/dev/null ||
    "$python" -m pip install --quiet --disable-pip-version-check pytest

# Programs that tests start may report what their test does not check.
cat scripts/tsan_suppressions.txt "$(dirname "$python")/../tsan_suppressions.txt" >"$package/suppressions"
export TSAN_OPTIONS="log_path=$package/report exitcode=0 suppressions=$package/suppressions"
export PYTHONPATH=$package:$PWD/python/face
"$python" -m pytest -q -p no:cacheprovider "$@"
reports=$(find "$package" -maxdepth 1 -name 'report*')
[ -z "$reports" ] || {
    # shellcheck disable=SC2086
    cat $reports
    exit 1
}
