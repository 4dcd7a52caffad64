#!/usr/bin/env bash
# Builds the book of docs/book into target/book. First makes the pages and pictures that come from
# the code (`scripts/book.sh pages` stops there), then runs mdBook, which it installs below target/
# if necessary. GXE is the program to use; the libraries are in its folder.
set -euo pipefail

cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
gxe=${GXE:-$target/release/gxe}
book=docs/book/src
version=0.5.4

reference() { # file, title, what to show…
    { printf '# %s\n\n' "$2" && "$gxe" inspect --format markdown "${@:3}"; } >"$book/reference/$1.md"
}

picture() { # file, app, manifest
    "$gxe" graph --app "apps/$2.yaml" --manifest "manifests/$3.yaml" -o "$book/images/$1.svg"
}

mkdir -p "$book/images"
reference standard 'Standard components' libgxf_std.so
reference sample 'Sample components' libgxf_sample.so
reference behavior_tree 'Behaviour tree components' libgxf_behavior_tree.so
reference serialization 'Serialization components' libgxf_serialization.so
reference stream_playback 'Stream playback components' libgxf_stream_playback.so
reference multimedia 'Multimedia components' libgxf_multimedia.so
reference format_converter 'Format converter components' libgxf_format_converter.so
reference cuda 'CUDA components' libgxf_cuda.so libgxf_rmm.so
reference stream 'Stream components' libgxf_stream.so
reference npp 'NPP components' libgxf_npp.so
reference io 'Input and output components' libgxe_io.so
reference math 'Arithmetic components' libgxe_math.so
reference view 'View components' libgxe_view.so
reference mcap 'MCAP components' libgxe_mcap.so
reference actors 'Actor components' libgxe_actors.so
reference python_codelet 'Python codelets' libgxf_python_codelet.so
reference ucx 'Link components' libgxf_ucx.so
reference http 'HTTP components' libgxf_http.so
reference grpc 'gRPC components' libgxf_grpc.so
reference network 'TCP and clock components' libgxf_network.so
picture ping ping/ping ping
picture fan_out_fan_in ping_topologies/fan_out_fan_in test
{
    printf '# Command line\n\n```text\n'
    "$gxe" --help
    printf '```\n'
    "$gxe" --help | sed -n '/^Commands:/,/^$/ s/^  \([a-z]*\) .*/\1/p' | while IFS= read -r command; do
        printf '\n## gxe %s\n\n```text\n' "$command"
        "$gxe" "$command" --help
        printf '```\n'
    done
} >"$book/reference/command_line.md"

[ "${1-}" = pages ] && exit 0

if command -v mdbook >/dev/null 2>&1; then
    mdbook=mdbook
else
    mdbook=$target/tools/bin/mdbook
    [ -x "$mdbook" ] || cargo install mdbook --version "$version" --locked \
        --no-default-features --features search --root "$target/tools"
fi
"$mdbook" build docs/book
echo "the book is target/book/index.html"
