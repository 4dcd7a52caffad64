#!/usr/bin/env bash
# Launches the example of two segments with what `gxe launch` submits to: Slurm with a controller and two
# node daemons on this machine, Ray with two local nodes, and a validator of Kubernetes' manifests.
# What is not there is skipped with a line. FOLDER keeps the Python packages.
set -euo pipefail

cd "$(dirname "$0")/.."
# Names of hosts that only this program sees.
if [ "$(id -u)" = 0 ] && [ -z "${GXE_OWN_MOUNTS:-}" ]; then
    GXE_OWN_MOUNTS=1 exec unshare --mount scripts/test_launch.sh "$@"
fi
folder=${1:?usage: test_launch.sh FOLDER}
mkdir -p "$folder"
folder=$(realpath "$folder")
target=$(realpath "${CARGO_TARGET_DIR:-target}")/debug
export PATH="$target:$PATH" GXF_EXTENSION_PATH="$target"
work=$(mktemp -d)
chmod 755 "$work"
XDG_RUNTIME_DIR=$work
export XDG_RUNTIME_DIR
cp -r apps/distributed/. "$work"
cd "$work"

# The receiver gets all ten numbers.
complete() { # file with the log
    [ "$(grep -c 'Message Received: rx_value' "$1")" = 10 ] || { cat "$1"; exit 1; }
}

slurm() {
    for program in slurmctld slurmd sbatch munged; do
        command -v "$program" >/dev/null || { echo "skipped: Slurm is not installed ($program)"; return 0; }
    done
    [ "$(id -u)" = 0 ] || { echo "skipped: node daemons of Slurm need root"; return 0; }
    mkdir -p state node1 node2 munge
    head -c 1024 /dev/urandom >munge/key
    chmod -R go= munge
    munged --force --foreground --key-file="$work/munge/key" --socket="$work/munge.socket" \
        --pid-file="$work/munge/pid" --log-file="$work/munge/log" --seed-file="$work/munge/seed" \
        >/dev/null 2>&1 &
    local host
    host=$(hostname -s)
    # The driver is reached by the name of the first node.
    { cat /etc/hosts && echo "127.0.0.1 node1 node2"; } >hosts
    mount --bind hosts /etc/hosts
    cat >slurm.conf <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=17000
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/%n
SlurmdPidFile=$work/%n.pid
SlurmctldPidFile=$work/controller.pid
SlurmdLogFile=$work/%n.log
SlurmctldLogFile=$work/controller.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
NodeName=node1 NodeHostname=$host NodeAddr=127.0.0.1 Port=17001 CPUs=1
NodeName=node2 NodeHostname=$host NodeAddr=127.0.0.1 Port=17002 CPUs=1
PartitionName=all Nodes=ALL Default=YES State=UP
END
    export SLURM_CONF=$work/slurm.conf
    slurmctld -D >/dev/null 2>&1 &
    slurmd -D -N node1 >/dev/null 2>&1 &
    slurmd -D -N node2 >/dev/null 2>&1 &
    for _ in $(seq 60); do
        sinfo -h -o %t 2>/dev/null | grep -qx idle && break
        sleep 1
    done
    SBATCH_WAIT=1 gxe launch ping.yaml --with slurm
    complete slurm-1.out
    echo "slurm: ok"
}

python() {
    command -v python3 >/dev/null || { echo "skipped: there is no python3 for Kubernetes and Ray"; return 0; }
    [ -x "$folder/bin/python" ] || python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet kubernetes-validate ray || {
        echo "skipped: pip cannot install kubernetes-validate and ray"
        return 0
    }
    gxe launch ping.yaml --with kubernetes --image gxe:1 --print >job.yaml
    "$folder/bin/kubernetes-validate" job.yaml
    echo "kubernetes: ok"
    PATH="$folder/bin:$PATH" "$folder/bin/python" - >ray.log 2>&1 <<'END' || { cat ray.log; exit 1; }
import os
import subprocess
import sys
from ray.cluster_utils import Cluster

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
cluster.add_node(num_cpus=1)
app = os.path.abspath("ping.yaml")
environment = {**os.environ, "RAY_ADDRESS": cluster.address}
ended = subprocess.run(["gxe", "launch", app, "--with", "ray"], env=environment)
cluster.shutdown()
sys.exit(ended.returncode)
END
    complete ray.log
    echo "ray: ok"
}

cleanup() {
    jobs -p | xargs -r kill 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT

slurm
python
