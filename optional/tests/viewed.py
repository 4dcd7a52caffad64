"""A graph with all that viewers show: what the tests of Foxglove and Rerun share."""

import pathlib
import re
import struct
import subprocess
import zlib

PATIENCE = 60

ENTITIES = {
    "rows": "gxe::math::Signal, parameters: {output: out, rows: 2, messages: MESSAGES, columns: [n = i]}",
    "blocks": "gxe::math::Signal, parameters: {output: out, rows: 100, messages: MESSAGES, columns: [n = i]}",
    "integers": "nvidia::gxf::PingTx, parameters: {signal: out, clock: scheduler/clock}",
    "lines": "gxe::io::LineSource, parameters: {output: out, address: lines.txt}",
    "pictures": "gxe::view::ImageSource, parameters: {output: out, paths: [PICTURES]}",
}
TERMS = {
    "rows": "PERIOD",
    "blocks": "PERIOD",
    "pictures": "PERIOD",
    "integers": "PERIOD\n- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: MESSAGES}}",
}
PERIOD = "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: PERIOD}}"


def _app(viewer, messages, period):
    names = ", ".join(ENTITIES)
    parts = ["default_conditions: true"]
    for name, codelet in ENTITIES.items():
        parts.append(f"name: {name}\ncomponents:\n- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}\n")
        parts[-1] += f"- {{type: {codelet}}}\n{TERMS.get(name, '')}"
    receivers = "".join(f"- {{name: {name}, type: nvidia::gxf::DoubleBufferReceiver}}\n" for name in ENTITIES)
    type_name, parameters = viewer
    parts.append(
        f"name: view\ncomponents:\n{receivers}- type: {type_name}\n  parameters: {{receivers: [{names}], {parameters}}}"
    )
    connection = "- {{type: nvidia::gxf::Connection, parameters: {{source: {0}/out, target: view/{0}}}}}"
    parts.append("components:\n" + "\n".join(connection.format(name) for name in ENTITIES))
    parts.append(
        "name: scheduler\ncomponents:\n- {name: clock, type: nvidia::gxf::RealtimeClock}\n"
        "- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}\n"
    )
    app = "\n---\n".join(parts)
    pictures = ", ".join(["picture.png"] * min(messages, 500))
    period = PERIOD.replace("PERIOD", period) if period else ""
    return app.replace("MESSAGES", str(messages)).replace("PICTURES", pictures).replace("PERIOD", period)


def _png(width, height, colour):
    """A PNG file of one colour."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes(colour) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Viewed:
    """The graph, with a viewer's component of this type from this extension."""

    def __init__(self, gxe, libraries, extension, type_name, folder):
        self.gxe, self.type_name, self.folder = gxe, type_name, pathlib.Path(folder)
        names = ["libgxf_sample.so", "libgxe_math.so", "libgxe_io.so", "libgxe_view.so"]
        paths = [str(pathlib.Path(libraries) / name) for name in names] + [extension]
        self.manifest = "extensions:\n" + "".join(f"- {path}\n" for path in paths)

    def start(self, parameters, messages=20, period="", name="app"):
        """Starts it, with so many messages of each source, and a pause between them."""
        (self.folder / f"{name}.yaml").write_text(_app((self.type_name, parameters), messages, period))
        (self.folder / "manifest.yaml").write_text(self.manifest)
        (self.folder / "picture.png").write_bytes(_png(32, 24, (200, 100, 50)))
        (self.folder / "lines.txt").write_text("a first line\nthe second one\n")
        command = [self.gxe, "--app", f"{name}.yaml", "--manifest", "manifest.yaml"]
        return subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def ended(self, run):
        """Its exit status and what it said, once it has ended."""
        try:
            said, _ = run.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            run.kill()
            raise
        return run.returncode, said

    def refuses(self, parameters, text):
        """It does not run, and says why."""
        status, said = self.ended(self.start(parameters, name="refused"))
        assert status != 0 and text in said, said


def said(run, pattern):
    """The first group of the first line that matches."""
    for line in run.stdout:
        if found := re.search(pattern, line):
            return found[1]
    raise AssertionError(f"it did not say `{pattern}`")
