#!/bin/sh
# Compiles the kernels of runtime/device/kernels to PTX, which stands in the repository. Needs clang 19
# or newer with the NVPTX target, as CLANG or in the path.
set -eu
cd "$(dirname "$0")/../runtime/device/kernels"
clang=${CLANG:-clang-19}
for source in picture numbers; do
    {
        echo "// Made by scripts/kernels.sh from source $(cat kernel.h $source.c | sha256sum | cut -d' ' -f1)"
        $clang --target=nvptx64-nvidia-cuda -march=sm_52 -Xclang -target-feature -Xclang +ptx60 -ffreestanding -nostdlib -O3 -ffp-contract=off \
            -fno-ident -S -x c -o - $source.c
    } >$source.ptx.new
    mv $source.ptx.new $source.ptx
done
