#!/usr/bin/env bash
# What scripts/test_packages.sh does inside the clean Debian. Each step is what a user types.
set -euo pipefail

step() { printf '== %s\n' "$*"; }
fail() {
    printf 'failed: %s\n' "$1"
    [ -z "${2-}" ] || cat "$2"
    exit 1
}
# Runs a command, which must succeed and print the text.
says() { # text, command …
    local text=$1
    shift
    "$@" >"$log" 2>&1 || fail "$*" "$log"
    said "$text"
}
# The same for what the latest command has printed.
said() { [ -z "$1" ] || grep -qF -- "$1" "$log" || fail "it does not say: $1" "$log"; }
has() { # file …
    local file
    for file in "$@"; do
        test -e "$file" || test -e "$file.gz" || fail "there is no $file"
    done
}
work=$(mktemp -d)
log=$work/log
languages=(c cpp)
[ -n "$QUICK" ] || languages+=(rust)

# What an installation has, and graphs of stock components.
run_graphs() { # prefix
    local prefix=$1 app=$1/share/gxe/apps/ping/ping.yaml
    step "$prefix: gxe, its manual, its completions"
    says 'gxe ' gxe version
    says libgxf_sample.so gxe doctor
    says nvidia::gxf::PingTx gxe list
    has "$prefix/share/bash-completion/completions/gxe" "$prefix/share/man/man1/gxe.1"
    says Apache-2.0 cat "$prefix/share/doc/gxe/THIRD-PARTY.md"

    step "$prefix: graphs, by the name of the manifest and without one"
    rm -rf "$work/graph" && mkdir "$work/graph" && cd "$work/graph"
    says 'Message Received' gxe --app "$app" --manifest ping
    cp "$app" .
    says 'Message Received' gxe ping.yaml
    says 'nothing found' gxe check ping.yaml
}

new_extensions() { # prefix
    local language
    cd "$work"
    for language in "${languages[@]}"; do
        step "$1: an extension in $language"
        rm -rf "of_$language"
        says 'next: cd' gxe new extension "of_$language" --lang "$language"
        # Without it, cargo would look for newer crates than this machine has.
        [ "$language" != rust ] || cp /packages/Cargo.lock of_rust
        says 'changed' gxe new codelet more --lang "$language" --path "of_$language"
        if grep -rnE "(/opt|/srv)/|/usr/(bin|lib|share|include)" "of_$language"; then
            fail 'the project names the installation'
        fi
        make -C "of_$language" test >"$log" 2>&1 || fail 'make test' "$log"
        says 'received 10 numbers, their sum is 45' make -C "of_$language" run
    done
}

# The same projects, with whatever gxe is in PATH now.
extensions_still_run() {
    local language
    for language in "${languages[@]}"; do
        step "the extension in $language that was there before"
        says 'received 10 numbers, their sum is 45' make -C "$work/of_$language" run
    done
}

new_programs() { # prefix
    step "$1: programs in C, Python and Rust that embed the runtime"
    local examples=$1/share/gxe/examples
    local files=("$1/share/gxe/manifests/ping.yaml" "$1/share/gxe/apps/ping/ping.yaml")
    rm -rf "$work/embed" && mkdir "$work/embed" && cd "$work/embed"
    # shellcheck disable=SC2046
    cc "$examples/embed.c" -o embed $(PKG_CONFIG_PATH=$1/lib/pkgconfig pkg-config --cflags --libs gxf) \
        -Wl,-rpath,"$1/lib"
    says 'Message Received' ./embed "${files[@]}"
    said GXF_SUCCESS
    says 'Message Received' python3 "$examples/embed.py" "$1/lib/libgxf_core.so" "${files[@]}"
    # An error is an exception with the place, not just a code.
    if python3 "$examples/embed.py" "$1/lib/libgxf_core.so" "${files[0]}" none.yaml >"$log" 2>&1; then
        fail 'an app that does not exist runs'
    fi
    said 'RuntimeError: GXF_FILE_NOT_FOUND'
    [ -z "$QUICK" ] || return 0
    says '' cargo init --quiet --name embed .
    cp "$examples/embed.rs" src/main.rs
    cp /packages/Cargo.lock .
    printf '[workspace]\n' >>Cargo.toml
    says '' cargo add --quiet gxf-runtime --path "$(gxe sdk runtime)"
    says 'done' cargo run --quiet -- "${files[@]}"
}

use() { # prefix
    run_graphs "$1"
    new_extensions "$1"
    new_programs "$1"
}

# Most of a project in Rust is the same for all installations.
export CARGO_TARGET_DIR=$work/target

step 'the Debian package, over an older one'
dpkg --install /packages/older.deb >/dev/null
has /usr/share/gxe/only_in_the_older_version
new_extensions /usr
dpkg --install /packages/gxe_*.deb >/dev/null
test ! -e /usr/share/gxe/only_in_the_older_version || fail 'the older version left something'
[ -z "$(dpkg --verify gxe)" ] || fail 'files differ from those of the package'
extensions_still_run
use /usr
dpkg --install /packages/gxe-dbgsym_*.deb >/dev/null
has /usr/lib/debug/usr/bin/gxe.debug

step 'the Debian package, removed'
dpkg --remove gxe-dbgsym gxe >/dev/null
hash -r
if command -v gxe; then fail 'gxe is still there'; fi

step 'the archive'
mkdir /opt/gxe
tar --extract --file /packages/gxe-*-linux.tar.gz --directory /opt/gxe --strip-components 1
path=$PATH
PATH=/opt/gxe/bin:$path
use /opt/gxe
size=$(du -s --block-size=1000000 --apparent-size /opt/gxe | cut -f 1)
step "the archive takes $size MB"
[ "$size" -le "$LARGEST" ] || fail "more than $LARGEST MB"

step 'the archive, moved'
mv /opt/gxe /srv/moved
PATH=/srv/moved/bin:$path
hash -r
extensions_still_run
use /srv/moved

step 'all is well'
