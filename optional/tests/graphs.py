"""Graphs that run beside a test: what the tests of zenoh and iceoryx2 share."""

import pathlib
import subprocess
import time

PATIENCE = 60


class Graphs:
    """Starts graphs with these extensions in a folder of the test."""

    def __init__(self, gxe, extensions, *options):
        self.gxe, self.extensions, self.options = gxe, extensions, options

    def start(self, folder, name, app):
        (folder / f"{name}.yaml").write_text(app)
        paths = "".join(f"- {path}\n" for path in self.extensions)
        # Its own: another graph may be about to read one.
        (folder / f"{name}.manifest.yaml").write_text(f"extensions:\n{paths}")
        log = open(folder / f"{name}.log", "w")
        command = [self.gxe, "--app", f"{name}.yaml", "--manifest", f"{name}.manifest.yaml", *self.options]
        return subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)


def libraries(folder, *names):
    """Paths of extensions in a folder."""
    return [str(pathlib.Path(folder) / f"lib{name}.so") for name in names]


def ends(folder, name, process, status=0):
    """The log of a graph that ends with this status."""
    try:
        ended = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        ended = "a timeout"
    logs = "".join(f"{path.name}:\n{path.read_text()}" for path in folder.glob("*.log"))
    assert ended == status, f"{name} ended with {ended}:\n{logs}"
    return (folder / f"{name}.log").read_text()


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def rows(folder, name="rows"):
    """The numbers in a CSV file with one column."""
    path = folder / f"{name}.csv"
    return [int(line) for line in path.read_text().split()[1:]] if path.exists() else []
