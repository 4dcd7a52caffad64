#!/usr/bin/env bash
# Installs the crates that extensions (gxf) and programs (gxf-runtime) in Rust are built with into a
# folder, as a workspace that cargo accepts on its own.
set -euo pipefail

cd "$(dirname "$0")/.."
to=$1
crates=(plugin-abi plugin-abi/sdk plugin-abi/macros)
while IFS= read -r manifest; do
    crates+=("$(dirname "$manifest")")
done < <(find runtime -name Cargo.toml | sort)

install -d "$to"
{
    printf '[workspace]\nresolver = "3"\nmembers = ['
    printf '"%s", ' "${crates[@]}"
    printf ']\n\n'
    # What the crates inherit. Of the project's own crates only these are there.
    awk '/^\[/ { shown = /^\[workspace\.(package|dependencies|lints)/ }
         shown && (!/path = "/ || /path = "(plugin-abi|runtime)/)' Cargo.toml
} >"$to/Cargo.toml"
for crate in "${crates[@]}"; do
    install -D -m 644 "$crate/Cargo.toml" "$to/$crate/Cargo.toml"
    for source in "$crate/src" "$crate/examples" "$crate/build.rs" "$crate/kernels"; do
        [ -e "$source" ] || continue
        find "$source" \( -name '*.rs' -o -name '*.ptx' \) -exec install -D -m 644 {} "$to/{}" \;
    done
done
# The documentation of the SDK includes the first one.
install -m 644 README.md LICENSE "$to"
