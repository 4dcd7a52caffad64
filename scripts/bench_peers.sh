#!/usr/bin/env bash
# Measures a chain of ten stages that forward messages, in gxe and in other open projects, one after
# the other on this machine. Prints nanoseconds per hop and the ratio to gxe. `make bench-peers`
# calls it after building gxe's side. Lists peers that cannot be installed as left out.
#
# RUNS (5): runs of each peer; the median counts. MESSAGES (1000000): messages in a run.
set -euo pipefail

cd "$(dirname "$0")/.."
export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
target=${CARGO_TARGET_DIR:-$PWD/target}
peers=$target/peers
runs=${RUNS:-5}
messages=${MESSAGES:-1000000}
stages=10
log=$(mktemp)
trap 'rm -f "$log"' EXIT

have() { command -v "$1" >/dev/null 2>&1; }

# The median of a command's output over several runs.
median() {
    for _ in $(seq "$runs"); do "$@" || return 1; done | sort --numeric-sort |
        sed -n "$(((runs + 1) / 2))p"
}

ours=

# Prints a row: a name, and the result of a command that prints nanoseconds per hop.
row() {
    local name=$1 figure
    shift
    if ! figure=$(median "$@" 2>"$log") || [ -z "$figure" ]; then
        left_out "$name" "does not run: $(tail -n 1 "$log")"
        return
    fi
    ours=${ours:-$figure}
    awk -v name="$name" -v figure="$figure" -v ours="$ours" \
        'BEGIN { printf "%-44s %9.1f ns %8.2f x\n", name, figure, figure / ours }'
}

left_out() { printf '%-44s %s\n' "$1" "left out: $2"; }

# Only one thread works without back-pressure: on several, the source could outrun the others.
gxe_hop() { "$target/release/hop" "$stages" "$messages" "$1" "$2" | cut -d ' ' -f 1; }

# Builds a peer's program and its dependencies from crates.io.
build() {
    CARGO_TARGET_DIR=$peers cargo build --quiet --release \
        --manifest-path "benches/peers/$1/Cargo.toml" 2>"$log"
}

# Installs only as root, or with a sudo that needs no password.
install_gstreamer() {
    local root=()
    have gst-launch-1.0 && return
    have apt-get || return 1
    [ "$(id -u)" = 0 ] || { sudo -n true 2>/dev/null && root=(sudo -n); } || return 1
    "${root[@]}" apt-get install --yes --quiet --no-install-recommends gstreamer1.0-tools \
        >/dev/null 2>"$log"
}

# GStreamer prints how long a pipeline ran. Ten elements: a source, eight that forward, a sink. With
# an argument, each one gets a queue, which means its own thread.
gstreamer_hop() {
    local pipeline="fakesrc num-buffers=$messages" queue=${1:+"! queue"}
    for _ in $(seq 3 "$stages"); do pipeline+=" $queue ! identity silent=true"; done
    # shellcheck disable=SC2086 # words of a pipeline
    gst-launch-1.0 $pipeline $queue ! fakesink sync=false | sed -n 's/^Execution ended after //p' |
        awk -F : -v hops="$((stages * messages))" '{ printf "%.1f\n", ($1 * 3600 + $2 * 60 + $3) * 1e9 / hops }'
}

printf '%s, %s cores; %s messages through %s stages, median of %s runs\n\n' \
    "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)" "$messages" "$stages" "$runs"

row "gxe, greedy" gxe_hop plain greedy
row "gxe, multi-thread, 2 workers" gxe_hop back_pressure multi_thread_2
row "gxe, event-based, 2 workers" gxe_hop back_pressure event_based_2
if build futuresdr; then
    for threads in 1 2; do
        row "FutureSDR 0.0.38, messages, $threads thread(s)" \
            "$peers/release/futuresdr_chain" "$stages" "$messages" "$threads"
    done
else
    left_out FutureSDR "does not build: $(grep -m 1 '^error' "$log" || tail -n 1 "$log")"
fi
if build copper; then
    row "Copper 1.3, wired at compile time" "$peers/release/copper_chain" "$messages"
else
    left_out Copper "does not build: $(grep -m 1 '^error' "$log" || tail -n 1 "$log")"
fi
if install_gstreamer; then
    row "GStreamer, one thread" gstreamer_hop
    row "GStreamer, a queue before each element" gstreamer_hop queues
else
    left_out GStreamer "not installed; run as root: apt-get install gstreamer1.0-tools"
fi
