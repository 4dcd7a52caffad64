#!/bin/sh
# Tests the wheels of target/wheels in a fresh virtual environment for every Python that is here: those of
# pyenv, the system's, and a free-threaded one in PATH or of `make free-threaded`; or those of PYTHONS.
# Without Rust: the environment's PATH has no cargo.
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
wheels=$(cd "$target/wheels" 2>/dev/null && pwd) || {
    echo "there are no wheels; run make wheel first" >&2
    exit 1
}
found=
failed=
for python in ${PYTHONS:-"$HOME"/.pyenv/versions/3.*/bin/python3 /usr/bin/python3 $(command -v python3.14t) \
    "$target/python/3.14t/bin/python3.14t"}; do
    [ -x "$python" ] || continue
    # Free-threaded Python has a `t` behind its version.
    version=$("$python" -c 'import sys, sysconfig
suffix = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
print("%d.%d" % sys.version_info[:2] + suffix if sys.version_info >= (3, 9) else "")') || continue
    case " $found " in *" $version "*) continue ;; esac
    [ -n "$version" ] || continue
    environment=$(mktemp -d)
    if ! "$python" -m venv "$environment" 2>/dev/null; then
        echo "skipped: $python has no venv"
        rm -rf "$environment"
        continue
    fi
    found="$found $version"
    echo "=== Python $version"
    "$environment/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$wheels" gxe
    # What the wheel does alone comes first: nothing else is installed.
    (cd "$environment" && PATH="$environment/bin:/usr/bin:/bin" "$environment/bin/python" - <<'PROGRAM')
import gxe, subprocess
@gxe.codelet
def count(context):
    return context.count
got = []
@gxe.codelet
def put(number) -> None:
    got.append(number)
graph = gxe.Graph()
graph.connect(graph.add(count, gxe.Count(3)), graph.add(put))
graph.run()
assert got == [1, 2, 3], got
assert subprocess.run(["gxe", "--version"], capture_output=True, check=True).stdout
PROGRAM
    "$environment/bin/pip" install --quiet --disable-pip-version-check pytest numpy pyyaml
    # For the comparison of stubs and module.
    "$environment/bin/pip" install --quiet --disable-pip-version-check mypy || echo "skipped: there is no mypy for $python"
    for wheel in "$wheels"/gxe_gxf-*.whl; do
        [ -f "$wheel" ] && "$environment/bin/pip" install --quiet --disable-pip-version-check "$wheel"
    done
    "$environment/bin/python" -m pytest -q -p no:cacheprovider python/tests "$@" || failed="$failed $version"
    rm -rf "$environment"
done
case $found in
*t*) ;;
*) echo "skipped: there is no free-threaded Python here (make free-threaded builds one), so its wheel is not tested" ;;
esac
[ -z "$failed" ] || { echo "tests failed on Python$failed" >&2; exit 1; }
[ -n "$found" ] || { echo "skipped: no Python from 3.9 on" >&2; exit 1; }
