#!/bin/sh
# Builds CPython without the interpreter's lock (3.14t) from Debian's source package into
# target/python/3.14t, where scripts/test_python.sh looks for it, or, with the argument `tsan`, one with
# ThreadSanitizer into target/python/3.14t-tsan. Prints the program's path last. PYTHON_SOURCE names
# another place of the same archive: a file or an address.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
version=3.14.7
checksum=3b48dac8fb59f62eaa67ac83c1eb12bda1b7a08406dd286e252c11a66be27f81
archive=python3.14_$version.orig.tar.xz
mkdir -p "${CARGO_TARGET_DIR:-target}/python"
folder=$(cd "${CARGO_TARGET_DIR:-target}/python" && pwd)
name=3.14t${1:+-$1}
prefix=$folder/$name
python=$prefix/bin/python3.14t
if [ "$("$python" -c 'import platform; print(platform.python_version())' 2>/dev/null)" = $version ]; then
    echo "$python"
    exit 0
fi

is_intact() {
    echo "$checksum  $folder/$archive" | sha256sum --check --status 2>/dev/null
}
if ! is_intact; then
    source=${PYTHON_SOURCE:-https://deb.debian.org/debian/pool/main/p/python3.14/$archive}
    case $source in
    *://*) curl -fsSL --connect-timeout 20 -o "$folder/$archive" "$source" || true ;;
    *) cp "$source" "$folder/$archive" ;;
    esac
fi
is_intact || {
    echo "skipped: the source of Python $version ($archive, SHA-256 $checksum) cannot be had;" \
        "PYTHON_SOURCE may name a file" >&2
    exit 0
}

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
tar -xf "$folder/$archive" -C "$build" --strip-components 1
rm -rf "$prefix"
log=$folder/$name.log
echo "building free-threaded Python $version; the log is $log"
case $name in
*-tsan)
    # Libraries find the sanitizer's functions in the program, also those that only newer compilers call.
    gcc -fsanitize=thread -c -o "$build/newer.o" "$root/runtime/core/tests/support/tsan.c"
    set -- --with-thread-sanitizer CC="gcc -fsanitize=thread" LIBS="$build/newer.o"
    ;;
*) set -- --enable-shared LDFLAGS="-Wl,-rpath,$prefix/lib" ;;
esac
(
    cd "$build" &&
        ./configure --prefix="$prefix" --disable-gil --disable-test-modules "$@" &&
        make -j "$(nproc)" &&
        make install &&
        cat Tools/tsan/suppressions*.txt >"$prefix/tsan_suppressions.txt"
) >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    exit 1
}
# Python builds without the modules whose C libraries are missing.
"$python" -c 'import ctypes, ssl, zlib' || {
    echo "the packages libffi-dev, libssl-dev and zlib1g-dev (Debian's names) were missing" >&2
    exit 1
}
echo "$python"
