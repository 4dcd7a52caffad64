//! What Slurm, Kubernetes and Ray are given. They choose the hosts and end what is left over; the
//! processes find each other through the driver, which is the one with number 0.

use super::Job;
use crate::shell_words::line;
use serde_json::json;
use std::fmt::Write as _;

/// Port of the driver, where it has a host of its own.
const PORT: u16 = 57777;

/// A job script. Its options are those of the environment: SBATCH_PARTITION and so on.
pub fn slurm(job: &Job) -> String {
    let Job { name, segments, .. } = job;
    let cases = cases(job, "$driver");
    format!(
        r#"#!/bin/sh
#SBATCH --job-name={name}
#SBATCH --ntasks={}
set -eu
# Other hosts are let in with a token, which lies in the folder that all hosts of the job share.
if [ -z "${{GXE_TOKEN_FILE:-}}${{GXE_TLS_DIRECTORY:-}}" ]; then
    GXE_TOKEN_FILE="$PWD/gxe-token.$SLURM_JOB_ID"
    export GXE_TOKEN_FILE
    trap 'rm -f "$GXE_TOKEN_FILE"' EXIT
    (umask 077 && head -c 32 /dev/urandom | base64 >"$GXE_TOKEN_FILE")
fi
# The driver is on the first host, at a port of this job's own.
driver="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1):$((20000 + SLURM_JOB_ID % 10000))"
export driver
srun --kill-on-bad-exit=1 --label sh -s <<'END'
case "$SLURM_PROCID" in
{cases}esac
END
"#,
        segments.len()
    )
}

/// Control socket of a process in its container.
pub const CONTROL: &str = "/tmp/gxe.sock";

/// A service, which gives the processes names, and an indexed job. A container is probed through the
/// control socket of its process: unlike Kubernetes' own probes, this needs no token, and works with
/// TLS.
pub fn kubernetes(job: &Job, image: &str, secret: &str) -> String {
    let Job { name, segments, .. } = job;
    let count = segments.len();
    let script = format!(
        "case \"$JOB_COMPLETION_INDEX\" in\n{}esac\n",
        cases(job, &format!("{name}-0.{name}:{PORT}"))
    );
    // Kubernetes takes `$(NAME)` in arguments for a variable, and `$$` for one `$`.
    let script = script.replace('$', "$$").lines().fold(String::new(), |mut text, line| {
        _ = writeln!(text, "          {line}");
        text
    });
    // Quoted: `true` and `null` are names, too.
    let (name, image, secret) = (json!(name), json!(image), json!(secret));
    format!(
        "\
# The secret with the token is made once:
#   kubectl create secret generic {secret} --from-literal=token=\"$(head -c 32 /dev/urandom | base64)\"
apiVersion: v1
kind: Service
metadata:
  name: {name}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    job-name: {name}
  ports:
  - name: driver
    port: {PORT}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
spec:
  completionMode: Indexed
  completions: {count}
  parallelism: {count}
  backoffLimit: 0
  template:
    metadata:
      labels:
        job-name: {name}
    spec:
      restartPolicy: Never
      subdomain: {name}
      containers:
      - name: gxe
        image: {image}
        command: [sh, -c]
        args:
        - |
{script}        env:
        - name: GXE_TOKEN_FILE
          value: /run/secrets/gxe/token
        livenessProbe:
          exec:
            command: [gxe, top, {CONTROL}, --json, --count=1]
          initialDelaySeconds: 10
          periodSeconds: 10
          timeoutSeconds: 5
        volumeMounts:
        - name: token
          mountPath: /run/secrets/gxe
          readOnly: true
      volumes:
      - name: token
        secret:
          secretName: {secret}
          defaultMode: 256
"
    )
}

/// A Python program, which needs the package ray.
pub fn ray(job: &Job) -> String {
    let commands = job.ranks().fold(String::new(), |mut text, words| {
        let words: Vec<String> = std::iter::once("gxe".to_owned()).chain(words).collect();
        _ = writeln!(text, "    {},", json!(words));
        text
    });
    let app = json!(job.app);
    format!(
        r#"# Runs the segments of {app}, each on a node of its own.
import os
import secrets
import socket
import subprocess
import sys
import tempfile

import ray
from ray.util.placement_group import placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

COMMANDS = [
{commands}]


# After the first failure, the driver has this long to end the others, and these as long to end once
# they are told to, in seconds.
GRACE = 2
LAST_GRACE = 10
# Exit status of a run that fails.
FAILED = 5


# Two methods at once: one ends what the other one waits for.
@ray.remote(num_cpus=1, max_concurrency=2)
class Process:
    def __init__(self):
        self.process = None
        self.ends = False

    def address(self):
        with socket.socket() as free:
            free.bind(("", 0))
            return f"{{ray.util.get_node_ip_address()}}:{{free.getsockname()[1]}}"

    def run(self, command, token):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(token)
            file.flush()
            environment = {{**os.environ, "GXE_TOKEN_FILE": file.name}}
            self.process = subprocess.Popen(command, env=environment)
            if self.ends:
                self.process.terminate()
            return self.process.wait()

    def end(self):
        self.ends = True
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(LAST_GRACE)
        except subprocess.TimeoutExpired:
            self.process.kill()


def status(run):
    try:
        code = ray.get(run)
    except ray.exceptions.RayError as error:
        print(error, file=sys.stderr)
        return FAILED
    return code if code >= 0 else FAILED


ray.init(address="auto")
group = placement_group([{{"CPU": 1}}] * len(COMMANDS), strategy="STRICT_SPREAD")
if not group.wait(60):
    sys.exit(f"the cluster does not have {{len(COMMANDS)}} nodes with a free CPU")
processes = [
    Process.options(
        scheduling_strategy=PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=rank)
    ).remote()
    for rank in range(len(COMMANDS))
]
# The driver is the first one.
address = ray.get(processes[0].address.remote())
token = secrets.token_urlsafe(32)
runs = [
    process.run.remote([*command, f"--address={{address}}"], token)
    for process, command in zip(processes, COMMANDS)
]
code = 0
while runs:
    done, runs = ray.wait(runs, timeout=GRACE if code else None)
    if not done:
        # The driver does not know of the failure, or is the one that failed.
        ends = [process.end.remote() for process in processes]
        ray.wait(ends, num_returns=len(ends), timeout=2 * LAST_GRACE)
        break
    code = code or status(done[0])
sys.exit(code)
"#
    )
}

/// The branches of a `case` in a shell, one for each process. `address` is that of the driver.
fn cases(job: &Job, address: &str) -> String {
    let mut text = String::new();
    for (rank, words) in job.ranks().enumerate() {
        _ = writeln!(text, "{rank}) exec gxe {} --address=\"{address}\" ;;", line(&words));
    }
    text
}
