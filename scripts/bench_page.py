#!/usr/bin/env python3
"""What an open live page costs a run: usage bench_page.py GXE LIBRARIES [PAIRS].

Runs graphs of 5, 60 and 500 entities in turns without the page, and with it and a reader of its
events, as a browser is one. Prints the median times of the process, and the medians of the ratios of
neighbours: of times, and of the processor time that the process used, which the reader's own work does not
count in.
"""

import http.client
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

GXE, LIBRARIES = sys.argv[1:3]
PAIRS = int(sys.argv[3]) if len(sys.argv) > 3 else 7


def app(entities, count):
    """Chains of ten entities that pass `count` messages on."""
    documents = ["default_conditions: true"]
    for number in range(entities):
        first, last = number % 10 == 0, number % 10 == 9 or number == entities - 1
        lines = [f"name: e{number}", "components:"]
        if first:
            lines.append(f"- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}")
            lines.append("- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}")
            lines.append("- {type: nvidia::gxf::PingTx, parameters: {signal: out}}")
        else:
            lines.append("- {name: in, type: nvidia::gxf::DoubleBufferReceiver}")
        if not first and not last:
            lines.append("- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}")
            lines.append("- {type: nvidia::gxf::Forward, parameters: {in: in, out: out}}")
        if not first and last:
            lines.append("- {type: nvidia::gxf::PingRx, parameters: {signal: in}}")
        documents.append("\n".join(lines))
    connections = [
        f"- {{type: nvidia::gxf::Connection, parameters: {{source: e{number - 1}/out, target: e{number}/in}}}}"
        for number in range(entities)
        if number % 10
    ]
    documents.append("components:\n" + "\n".join(connections))
    documents.append(
        "name: scheduler\ncomponents:\n- {name: clock, type: nvidia::gxf::RealtimeClock}\n"
        "- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}\n"
    )
    return "\n---\n".join(documents)


def read(url):
    """Reads the page's events to their end."""
    host, path = re.fullmatch(r"http://([^/]+)(/.*)", url).groups()
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("GET", path + "events")
    answer = connection.getresponse()
    assert answer.status == 200, answer.status
    updates = 0
    while line := answer.readline():
        updates += line.startswith(b"event: status")
    return updates


def run(folder, is_served):
    """Seconds that a process takes, those of processors, and the updates that a reader got."""
    command = [GXE, "--app", "app.yaml", "--manifest", "manifest.yaml", "--severity", "warning"]
    updates, begin = 0, time.monotonic()
    if is_served:
        command += ["--serve", "127.0.0.1:0"]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        url = next(found[0] for line in process.stdout if (found := re.search(r"http://\S+/", line)))
        updates = read(url)
        process.stdout.read()
    else:
        process = subprocess.Popen(command, cwd=folder)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.returncode
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, updates


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    library = pathlib.Path(LIBRARIES).resolve() / "libgxf_sample.so"
    (folder / "manifest.yaml").write_text(f"extensions:\n- {library}\n")
    for entities in (5, 60, 500):
        (folder / "app.yaml").write_text(app(entities, 800_000_000 // entities // 4))
        pairs = [(run(folder, False), run(folder, True)) for _ in range(PAIRS)]
        median = lambda values: statistics.median(list(values))
        without, served = (median(pair[side][0] for pair in pairs) for side in (0, 1))
        updates = median(pair[1][2] for pair in pairs)
        wall, processors = (median(served[at] / alone[at] for alone, served in pairs) for at in (0, 1))
        print(
            f"{entities} entities: {without:.2f} s alone, {served:.2f} s with {updates:.0f} updates, ratio {wall:.3f}, "
            f"of processor time {processors:.3f}",
            flush=True,
        )
