"""Pictures of graphs, and tables of statistics."""

from __future__ import annotations

import html
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Iterable
from typing import Any

#: The program `gxe` of the wheel.
PROGRAM = pathlib.Path(__file__).parent / "bin" / "gxe"

_FORMATS = ("svg", "dot", "mermaid", "html")


def draw(apps: Iterable[Any], manifests: Iterable[Any], format: str = "svg") -> str:
    """A picture of app files, as `gxe graph` draws it."""
    if format not in _FORMATS:
        raise ValueError(f"`{format}` is none of {', '.join(_FORMATS)}")
    command = [os.fspath(PROGRAM), "graph", "--format", format]
    for app in apps:
        command += ["--app", os.fspath(app)]
    for manifest in manifests:
        command += ["--manifest", os.fspath(manifest)]
    drawn = subprocess.run(command, capture_output=True, text=True, check=False)
    if drawn.returncode != 0:
        raise RuntimeError(drawn.stderr.strip() or f"gxe graph ended with {drawn.returncode}")
    return drawn.stdout


def draw_text(graph: Any, format: str) -> str:
    """A picture of a composed graph."""
    with tempfile.TemporaryDirectory() as folder:
        app = pathlib.Path(folder, f"{graph.name or 'graph'}.yaml")
        manifest = pathlib.Path(folder, "manifest.yaml")
        graph.save(app)
        paths = [extension["path"] for extension in graph.context.extensions()]
        paths = [os.fspath(path) for path in paths if os.fspath(path) not in ("", ".")]
        manifest.write_text("extensions:\n" + "".join(f"- {path}\n" for path in paths))
        return draw((app,), (manifest,) if paths else (), format)


def table(statistics: dict[str, Any]) -> str:
    """Statistics as a table in HTML."""
    rows = []
    for entity in statistics["entities"]:
        for codelet in entity["codelets"]:
            median = codelet["execution_ns"]["median"]
            cells = (entity["name"], codelet["name"], codelet["ticks"], median)
            rows.append("".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells))
    head = "".join(f"<th>{title}</th>" for title in ("entity", "codelet", "ticks", "median (ns)"))
    return f"<table><tr>{head}</tr>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"
