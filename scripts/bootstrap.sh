#!/usr/bin/env bash
# Makes sure that C and C++ compilers, make and a recent Rust toolchain are there, and what tests need
# (CMake, pkg-config, Python), and installs what is missing where that is possible. Called by make and
# .ci/run; silent when all is well.
set -euo pipefail

cd "$(dirname "$0")/.."
export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
needed=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

have() { command -v "$1" >/dev/null 2>&1; }

say() { printf 'bootstrap: %s\n' "$*" >&2; }

give_up() {
    say "$1"
    shift
    printf '  %s\n' "$@" >&2
    exit 1
}

# At least version $2 of what calls itself $1.
recent() { [ "$(printf '%s\n' "$2" "$1" | sort --version-sort | head -n 1)" = "$2" ]; }

# The components count too: `make lint` needs them.
rust_is_there() {
    local version
    version=$(cargo --version 2>/dev/null | cut -d ' ' -f 2) || return 1
    [ -n "$version" ] && recent "$version" "$needed" &&
        cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1
}

# Installs Debian packages, as root or with a sudo that does not ask.
apt_install() {
    local root=()
    have apt-get || return 1
    if [ "$(id -u)" != 0 ]; then
        sudo -n true 2>/dev/null || return 1
        root=(sudo -n)
    fi
    say "installing $*"
    "${root[@]}" apt-get update -qq &&
        "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}

if ! have cc || ! have c++ || ! have make; then
    apt_install build-essential || give_up "a C or C++ compiler or make is missing" \
        "On Debian and Ubuntu, as root: apt-get install build-essential"
fi

# Only tests need these, so that nothing else has to fail without them.
missing=()
for tool in cmake pkg-config python3; do
    have "$tool" || missing+=("$tool")
done
if [ ${#missing[@]} != 0 ] && ! apt_install "${missing[@]}"; then
    say "tests need ${missing[*]}: without, those that do will fail"
fi

rust_is_there && exit 0

# Debian 12 packages Rust 1.63 and no rustup; Debian 13 and Ubuntu 24.04 have rustup.
if ! have rustup && have apt-get; then
    apt_install rustup 2>/dev/null || true
fi
if ! have rustup && { have curl || apt_install curl ca-certificates; }; then
    say "installing rustup from https://sh.rustup.rs"
    installer=$(mktemp)
    trap 'rm -f "$installer"' EXIT
    if curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs -o "$installer"; then
        sh "$installer" -y --quiet --no-modify-path --default-toolchain none || true
    fi
fi
if have rustup; then
    say "installing the stable Rust toolchain"
    rustup toolchain install stable --profile minimal --component clippy --component rustfmt || true
    # Another toolchain may be the default and too old.
    rust_is_there || rustup default stable || true
fi

rust_is_there || give_up "Rust $needed or newer, with clippy and rustfmt, is missing" \
    "Install it with rustup, see https://rustup.rs, then open a new shell:" \
    "    rustup toolchain install stable --component clippy --component rustfmt" \
    "Without access to the network, copy a toolchain and name it: rustup toolchain link"
