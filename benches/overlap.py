#!/usr/bin/env python3
"""How much the stages of a pipeline of actors overlap, by the number of instances of its registers.

Each stage sleeps for its time, so the load of the machine changes little. Prints milliseconds a
message, from the difference of a long and a short run, beside the ideal: the longest stage. GXE is the
program to use; the library of the stages, libgxf_actor.so of the tests, is in its folder.
"""

import os
import subprocess
import tempfile
import time

STAGES = [10, 40, 20, 30]  # milliseconds
RUNS = [20, 120]  # messages
GXE = os.path.abspath(os.environ.get("GXE", "target/release/gxe"))


def entity(stage, messages):
    first, last = stage == 0, stage == len(STAGES) - 1
    lines = [f"---\nname: stage{stage}", "components:"]
    parameters = ["clock: scheduler/clock", f"sleep: {STAGES[stage] * 1_000_000}"]
    if first:
        lines.append(f"- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {messages}}}}}")
    else:
        lines.append("- {name: rx, type: nvidia::gxf::DoubleBufferReceiver}")
        lines.append(
            "- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: rx}}"
        )
        parameters.append("receivers: [rx]")
    if not last:
        lines.append("- {name: tx, type: nvidia::gxf::DoubleBufferTransmitter}")
        lines.append(
            "- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: tx}}"
        )
        parameters.append("transmitters: [tx]")
        parameters.append("first_numbers: [0]")
    lines.append(f"- {{type: 'gxe::test::Actor', parameters: {{{', '.join(parameters)}}}}}")
    return "\n".join(lines)


def app(messages, instances):
    parts = [entity(stage, messages) for stage in range(len(STAGES))]
    parts.append("---\ncomponents:")
    parts += [
        "- {type: nvidia::gxf::Connection, "
        f"parameters: {{source: stage{stage}/tx, target: stage{stage + 1}/rx}}}}"
        for stage in range(len(STAGES) - 1)
    ]
    parts.append(
        "---\nname: scheduler\ncomponents:\n"
        "- {name: clock, type: nvidia::gxf::RealtimeClock}\n"
        "- {type: gxe::ActorScheduler, parameters: "
        f"{{clock: clock, threads: {len(STAGES)}, register_num: {instances}}}}}"
    )
    return "\n".join(parts) + "\n"


def seconds(folder, messages, instances):
    with open(os.path.join(folder, "app.yaml"), "w", encoding="utf-8") as file:
        file.write(app(messages, instances))
    with open(os.path.join(folder, "manifest.yaml"), "w", encoding="utf-8") as file:
        file.write("extensions: [libgxf_actor.so]\n")
    line = [GXE, "app.yaml", "--manifest", "manifest.yaml", "--severity", "error"]
    start = time.monotonic()
    subprocess.run(line, cwd=folder, check=True)
    return time.monotonic() - start


def main():
    ideal = max(STAGES)
    print(f"stages of {', '.join(map(str, STAGES))} ms; the longest takes {ideal} ms")
    print(f"one after the other they take {sum(STAGES)} ms")
    with tempfile.TemporaryDirectory() as folder:
        for instances in (1, 2, 4):
            short, long = (seconds(folder, count, instances) for count in RUNS)
            each = (long - short) / (RUNS[1] - RUNS[0]) * 1000
            print(f"{instances} instances: {each:.2f} ms a message, {each / ideal:.2f} of the ideal")


if __name__ == "__main__":
    main()
