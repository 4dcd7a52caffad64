"""Pictures of graphs, and tables of statistics."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable

from ._errors import GxfError
from ._gxe import to_yaml
from ._typing import Any

#: The program `gxe` of the wheel.
PROGRAM = pathlib.Path(__file__).parent / "bin" / "gxe"

_FORMATS = ("svg", "dot", "mermaid", "html")


def draw(
    apps: Iterable[Any], manifests: Iterable[Any], format: str = "svg", libraries: Iterable[Any] = ()
) -> str:
    """A picture of app files, as `gxe graph` draws it, with extension libraries that no manifest names."""
    import re
    import subprocess
    import tempfile

    if format not in _FORMATS:
        raise ValueError(f"`{format}` is none of {', '.join(_FORMATS)}")
    command = [os.fspath(PROGRAM), "graph", "--format", format]
    for app in apps:
        command += ["--app", os.fspath(app)]
    for manifest in manifests:
        command += ["--manifest", os.fspath(manifest)]
    with tempfile.TemporaryDirectory() as folder:
        own = pathlib.Path(folder, "manifest.yaml")
        own.write_text(to_yaml({"extensions": [os.fspath(library) for library in libraries]}))
        command += ["--manifest", os.fspath(own)]
        drawn = subprocess.run(command, capture_output=True, text=True, check=False)
    if drawn.returncode != 0:
        text = drawn.stderr.strip() or f"gxe graph ended with {drawn.returncode}"
        found = re.search(r"error\[(GXF_\w+)\]", text)
        raise GxfError(text, found.group(1) if found else "GXF_FAILURE")
    return drawn.stdout


def draw_text(graph: Any, format: str) -> str:
    """A picture of a composed graph."""
    import re
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        # The picture has the name of the file, which may not have all characters, nor any length.
        name = re.sub(r"[/\0]", "_", str(graph.name))[:50] or "graph"
        app = pathlib.Path(folder, f"{name}.yaml")
        graph.compose()
        graph.context.save(app)
        paths = [os.fspath(extension["path"]) for extension in graph.context.extensions()]
        return draw((app,), (), format, [path for path in paths if path not in ("", ".")])


def table(statistics: dict[str, Any]) -> str:
    """Statistics as a table in HTML."""
    import html

    rows = []
    for entity in statistics["entities"]:
        for codelet in entity["codelets"]:
            median = codelet["execution_ns"]["median"]
            cells = (entity["name"], codelet["name"], codelet["ticks"], median)
            rows.append("".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells))
    head = "".join(f"<th>{title}</th>" for title in ("entity", "codelet", "ticks", "median (ns)"))
    return f"<table><tr>{head}</tr>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"
