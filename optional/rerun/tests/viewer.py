"""Runs graphs with RerunSink; Rerun's own program reads what they show: usage viewer.py GXE LIBRARIES EXTENSION RERUN."""

import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests"))
from viewed import PATIENCE, Viewed, said

*ARGUMENTS, RERUN = sys.argv[1:]
# Neither the tests nor their machine tell anybody that they ran.
ENVIRONMENT = {**os.environ, "RERUN_ANALYTICS": "0"}


def rerun(folder, *arguments):
    ended = subprocess.run(
        [RERUN, *arguments], cwd=folder, env={**ENVIRONMENT, "HOME": str(folder)}, capture_output=True, text=True, timeout=PATIENCE
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def shows(folder, file):
    """Whether a file has what the graph sends."""
    said = rerun(folder, "rrd", "print", "-vvv", file)
    for path, archetype in [("/rows", "Scalars"), ("/integers", "Scalars"), ("/blocks", "Tensor"), ("/lines", "TextLog"), ("/pictures", "Image")]:
        assert re.search(path, said) and archetype in said, said
    assert "the second one" in said, said
    return said


def writes_files(viewed):
    status, text = viewed.ended(viewed.start("path: run.rrd"))
    assert status == 0 and "WARN" not in text, text
    rerun(viewed.folder, "rrd", "verify", "run.rrd")
    shows(viewed.folder, "run.rrd")


def serves_viewers(viewed):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = "127.0.0.1:%d" % free.getsockname()[1]
    folder = viewed.folder
    run = viewed.start(f"address: '{address}'", 100000, "20ms")
    try:
        url = said(run, r"Rerun connects to (rerun\+http://\S+)")
        command = [RERUN, "--save", "copy.rrd", url]
        viewer = subprocess.Popen(command, cwd=folder, env={**ENVIRONMENT, "HOME": str(folder)})
        time.sleep(5)
        # A second graph cannot have the same address.
        viewed.refuses(f"address: '{address}'", f"cannot listen on {address}: ")
    finally:
        run.terminate()
        viewed.ended(run)
    viewer.wait(PATIENCE)
    shows(folder, "copy.rrd")


with tempfile.TemporaryDirectory() as folder:
    viewed = Viewed(*ARGUMENTS, "gxe::rerun::RerunSink", folder)
    writes_files(viewed)
    serves_viewers(viewed)
    viewed.refuses("address: nowhere", "`address` is `nowhere`, which is no address with a port, such as 127.0.0.1:9876")
    viewed.refuses("memory: 5", "`memory` is 5, but must be at least 1048576")
    viewed.refuses("topics: [one]", "there are 5 `receivers` and 1 `topics`")
    viewed.refuses("path: /nowhere/run.rrd", "`/nowhere/run.rrd` cannot be written")
print("Rerun: numbers, tensors, texts and pictures arrive in files and viewers, wrong parameters are refused")
