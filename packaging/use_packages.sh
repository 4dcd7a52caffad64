#!/usr/bin/env bash
# What scripts/test_packages.sh does inside the clean Debian. Each step is what a user types.
set -euo pipefail

step() { printf '== %s\n' "$*"; }
has() { # text, file
    grep -qF -- "$1" "$2" || { printf 'no `%s` in:\n' "$1" && cat "$2" && exit 1; }
}
work=$(mktemp -d)
cd "$work"
log=$work/log

# Everything a user does with an installation. The folder is that of the package.
use() {
    local prefix=$1 app=$1/share/gxe/apps/ping/ping.yaml
    step "$prefix: gxe, its manual, its completions"
    gxe version | tee "$log" && has 'gxe ' "$log"
    gxe doctor >"$log" && has libgxf_sample.so "$log"
    gxe list >"$log" && has nvidia::gxf::PingTx "$log"
    test -e "$prefix/share/bash-completion/completions/gxe"
    test -e "$prefix/share/man/man1/gxe.1" || test -e "$prefix/share/man/man1/gxe.1.gz"
    has Apache-2.0 "$prefix/share/doc/gxe/THIRD-PARTY.md"

    step "$prefix: graphs, by the name of the manifest and without one"
    rm -rf "$work/graph" && mkdir "$work/graph" && cd "$work/graph"
    gxe --app "$app" --manifest ping >"$log" 2>&1 && has 'Message Received' "$log"
    cp "$app" . && gxe ping.yaml >"$log" 2>&1 && has 'Message Received' "$log"
    gxe check ping.yaml >"$log" && has 'nothing found' "$log"

    local language
    for language in c cpp rust; do
        [ "$language" = rust ] && [ -n "$QUICK" ] && continue
        step "$prefix: an extension in $language"
        rm -rf "$work/own" && cd "$work"
        gxe new extension own --lang "$language" >/dev/null
        [ "$language" = rust ] && cp /packages/Cargo.lock own
        cd own
        gxe new codelet more --lang "$language" >/dev/null
        if grep -rn "$prefix/" . ; then echo "the project names the installation" && exit 1; fi
        make test >"$log" 2>&1 || { cat "$log" && exit 1; }
        make run >"$log" 2>&1 && has 'received 10 numbers, their sum is 45' "$log"
    done

    step "$prefix: programs in C, Python and Rust that embed the runtime"
    local examples=$prefix/share/gxe/examples
    local arguments=("$app" "$prefix/share/gxe/manifests/ping.yaml")
    rm -rf "$work/embed" && mkdir "$work/embed" && cd "$work/embed"
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    # shellcheck disable=SC2046
    cc "$examples/embed.c" -o embed $(pkg-config --cflags --libs gxf) \
        -Wl,-rpath,"$(pkg-config --variable=libdir gxf)"
    ./embed "${arguments[@]}" >"$log" 2>&1 && has GXF_SUCCESS "$log"
    LD_LIBRARY_PATH=$prefix/lib python3 "$examples/embed.py" "${arguments[@]}" >"$log" 2>&1 ||
        { cat "$log" && exit 1; }
    if [ -z "$QUICK" ]; then
        cargo init --quiet --name embed . && cp "$examples/embed.rs" src/main.rs
        cp /packages/Cargo.lock .
        local runtime
        runtime=$(gxe sdk runtime)
        printf '%s\n' '[workspace]' >>Cargo.toml
        sed -i "s|^\[dependencies\]|&\ngxf-runtime = { path = \"$runtime\" }|" Cargo.toml
        cargo run --quiet -- "${arguments[@]}" >"$log" 2>&1 || { cat "$log" && exit 1; }
    fi
    cd "$work"
}

step 'the Debian package, over an older one'
dpkg --install /packages/older.deb >/dev/null
test -e /usr/share/gxe/only_in_the_older_version
dpkg --install /packages/gxe_*.deb >/dev/null
test ! -e /usr/share/gxe/only_in_the_older_version
dpkg --verify gxe
use /usr
dpkg --install /packages/gxe-dbgsym_*.deb >/dev/null
test -e /usr/lib/debug/usr/bin/gxe.debug

step 'the Debian package, removed'
dpkg --remove gxe-dbgsym gxe >/dev/null
if command -v gxe; then exit 1; fi

step 'the archive'
mkdir /opt/gxe
tar --extract --file /packages/gxe-*-linux.tar.gz --directory /opt/gxe --strip-components 1
PATH=/opt/gxe/bin:$PATH
use /opt/gxe

step 'the archive, moved'
mv /opt/gxe '/srv/moved'
PATH=/srv/moved/bin:$PATH
hash -r
use /srv/moved

step 'all is well'
