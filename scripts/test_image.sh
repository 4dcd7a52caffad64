#!/usr/bin/env bash
# Builds the image of target/dist and runs a graph in it. The folder is a Debian to use instead of
# the image from the registry.
set -euo pipefail

cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
base=$1
command -v buildah >/dev/null || {
    echo "skipped: the image is not built, because buildah is missing"
    exit 0
}
echo '== the image'
# In a folder of its own, and without user namespaces and networks of its own, which a container
# may not create.
storage=$(mktemp -d "$target/image.XXXXXX")
trap 'rm -rf --one-file-system "$storage"' EXIT
build() {
    buildah --root "$storage/root" --runroot "$storage/run" --storage-driver vfs "$@"
}
tar --create --directory "$base" --one-file-system . >"$storage/base.tar"
container=$(build from scratch)
build add --quiet "$container" "$storage/base.tar" / >/dev/null
rm "$storage/base.tar"
build commit --quiet "$container" base >/dev/null
build rm "$container" >/dev/null
build bud --quiet --isolation chroot --from base --file "$target/dist/Containerfile" --tag gxe "$target/dist" >/dev/null
container=$(build from gxe)
run() { build run --isolation chroot --user nobody "$container" -- "$@"; }
run gxe /usr/share/gxe/apps/ping/ping.yaml --manifest ping | grep 'Message Received' >/dev/null
run gxe version
[ "$(build inspect --type image --format '{{.OCIv1.Config.Entrypoint}}' gxe)" = '[gxe]' ]
