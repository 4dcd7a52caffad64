#!/usr/bin/env bash
# Runs ping.yaml on two hosts, which are network namespaces of this machine: driver and sender on one, receiver on
# the other. Needs root. GXE is the program to use.
set -euo pipefail

cd "$(dirname "$0")"
gxe=${GXE:-gxe}
one=gxe-one-$$ two=gxe-two-$$
token=$(mktemp)
trap 'ip netns del $one; ip netns del $two; rm -f "$token"' EXIT

head -c 32 /dev/urandom | base64 >"$token" # mktemp makes files that only the owner can read.
export GXE_TOKEN_FILE=$token
ip netns add $one
ip netns add $two
ip -n $one link add cable type veth peer name cable netns $two
ip -n $one addr add 10.99.0.1/24 dev cable
ip -n $two addr add 10.99.0.2/24 dev cable
for host in $one $two; do
    ip -n $host link set cable up
    ip -n $host link set lo up
done

ip netns exec $two "$gxe" run ping.yaml --worker --fragments downstream --address 10.99.0.1:57777 \
    --worker-address 10.99.0.2:57778 &
ip netns exec $one "$gxe" run ping.yaml --driver --worker --fragments upstream --address 10.99.0.1:57777 \
    --worker-address 10.99.0.1:57778
wait $!
