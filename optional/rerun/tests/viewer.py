"""Runs graphs with RerunSink; Rerun's own program reads what they show: usage viewer.py GXE LIBRARIES EXTENSION RERUN."""

import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time
import zlib

GXE, LIBRARIES, EXTENSION, RERUN = sys.argv[1:]
PATIENCE = 60

APP = """default_conditions: true
---
name: rows
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::math::Signal, parameters: {output: out, rows: 2, messages: MESSAGES, columns: [n = i]}}
PERIOD
---
name: blocks
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::math::Signal, parameters: {output: out, rows: 100, messages: MESSAGES, columns: [n = i]}}
PERIOD
---
name: lines
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::io::LineSource, parameters: {output: out, address: lines.txt}}
PERIOD
---
name: pictures
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::view::ImageSource, parameters: {output: out, paths: [picture.png]}}
---
name: view
components:
- {name: rows, type: nvidia::gxf::DoubleBufferReceiver}
- {name: blocks, type: nvidia::gxf::DoubleBufferReceiver}
- {name: lines, type: nvidia::gxf::DoubleBufferReceiver}
- {name: pictures, type: nvidia::gxf::DoubleBufferReceiver}
- type: gxe::rerun::RerunSink
  parameters: {receivers: [rows, blocks, lines, pictures], PARAMETERS}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: rows/out, target: view/rows}}
- {type: nvidia::gxf::Connection, parameters: {source: blocks/out, target: view/blocks}}
- {type: nvidia::gxf::Connection, parameters: {source: lines/out, target: view/lines}}
- {type: nvidia::gxf::Connection, parameters: {source: pictures/out, target: view/pictures}}
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
"""



def png(width, height, colour):
    """A PNG file of one colour."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes(colour) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


PICTURE = png(32, 24, (200, 100, 50))

# Neither the tests nor their machine tell anybody that they ran.
ENVIRONMENT = {**os.environ, "RERUN_ANALYTICS": "0"}


def start(folder, parameters, messages, period=""):
    app = APP.replace("PARAMETERS", parameters).replace("MESSAGES", str(messages)).replace("PERIOD", period)
    (folder / "app.yaml").write_text(app)
    (folder / "picture.png").write_bytes(PICTURE)
    (folder / "lines.txt").write_text("a first line\nthe second one\n")
    libraries = ["libgxf_sample.so", "libgxe_math.so", "libgxe_io.so", "libgxe_view.so"]
    paths = [str(pathlib.Path(LIBRARIES) / name) for name in libraries] + [EXTENSION]
    (folder / "manifest.yaml").write_text("extensions:\n" + "".join(f"- {path}\n" for path in paths))
    command = [GXE, "--app", "app.yaml", "--manifest", "manifest.yaml"]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def rerun(folder, *arguments):
    ended = subprocess.run(
        [RERUN, *arguments], cwd=folder, env={**ENVIRONMENT, "HOME": str(folder)}, capture_output=True, text=True, timeout=PATIENCE
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def shows(folder, file):
    """Whether a file has what the graph sends."""
    said = rerun(folder, "rrd", "print", "-vvv", file)
    for path, archetype in [("/rows", "Scalars"), ("/blocks", "Tensor"), ("/lines", "TextLog"), ("/pictures", "Image")]:
        assert re.search(path, said) and archetype in said, said
    assert "the second one" in said, said
    return said


def writes_files(folder):
    run = start(folder, "path: run.rrd", 20)
    said, _ = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0 and "WARN" not in said, said
    rerun(folder, "rrd", "verify", "run.rrd")
    shows(folder, "run.rrd")


def serves_viewers(folder):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = "127.0.0.1:%d" % free.getsockname()[1]
    period = "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 20ms}}"
    run = start(folder, f"address: '{address}'", 100000, period)
    try:
        for line in run.stdout:
            if found := re.search(r"Rerun connects to (rerun\+http://\S+)", line):
                break
        else:
            raise AssertionError("the sink did not say its address")
        command = [RERUN, "--save", "copy.rrd", found[1]]
        viewer = subprocess.Popen(command, cwd=folder, env={**ENVIRONMENT, "HOME": str(folder)})
        time.sleep(5)
        # A second graph cannot have the same address.
        (folder / "other").mkdir()
        refuses(folder / "other", f"address: '{address}'", f"cannot listen on {address}: ")
    finally:
        run.terminate()
        run.communicate(timeout=PATIENCE)
    viewer.wait(PATIENCE)
    shows(folder, "copy.rrd")


def refuses(folder, parameters, text):
    run = start(folder, parameters, 20)
    try:
        said, _ = run.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        run.kill()
        raise
    assert run.returncode != 0 and text in said, said


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    writes_files(folder)
    serves_viewers(folder)
    refuses(folder, "address: nowhere", "`address` is `nowhere`, which is no address with a port, such as 127.0.0.1:9876")
    refuses(folder, "memory: 5", "`memory` is 5, but must be at least 1048576")
    refuses(folder, "topics: [one]", "there are 4 `receivers` and 1 `topics`")
    refuses(folder, "path: /nowhere/run.rrd", "`/nowhere/run.rrd` cannot be written")
print("Rerun: numbers, tensors, texts and pictures arrive in files and viewers, wrong parameters are refused")
