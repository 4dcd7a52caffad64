#!/usr/bin/env bash
# Checks for C and C++ compilers, make, a recent Rust toolchain, and the tools that tests need
# (CMake, pkg-config, Python). Installs what is missing if it can. make and .ci/run call it. Prints
# nothing if all is well.
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

# Whether version $1 is at least version $2.
recent() { [ "$(printf '%s\n' "$2" "$1" | sort --version-sort | head -n 1)" = "$2" ]; }

# The components count as well: `make lint` needs them.
rust_is_there() {
    local version
    version=$(cargo --version 2>/dev/null | cut -d ' ' -f 2) || return 1
    [ -n "$version" ] && recent "$version" "$needed" &&
        cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1
}

# Installs Debian packages, as root or with a sudo that needs no password.
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
    apt_install build-essential || give_up "no C compiler, C++ compiler or make" \
        "On Debian and Ubuntu, run as root: apt-get install build-essential"
fi

# Only tests need these, so a missing one is no reason to stop.
missing=()
for tool in cmake pkg-config python3; do
    have "$tool" || missing+=("$tool")
done
if [ ${#missing[@]} != 0 ] && ! apt_install "${missing[@]}"; then
    say "missing: ${missing[*]}; tests that need them will fail"
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
    "Without network access, copy a toolchain to this machine and run: rustup toolchain link"
