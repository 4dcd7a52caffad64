"""Graphs in files: loading, checking, drawing, and what extensions contain."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable
from typing import Any

from . import _life
from ._graph import Graph

#: The program `gxe` of the wheel.
PROGRAM = pathlib.Path(__file__).parent / "bin" / "gxe"

_FORMATS = ("svg", "dot", "mermaid", "html")


def load(
    *apps: str | os.PathLike,
    manifest: str | os.PathLike | Iterable[str | os.PathLike] = (),
    parameters: dict[str, Any] | None = None,
    statistics: bool = False,
) -> Graph:
    """A graph from app files."""
    return Graph(statistics=statistics).load(*apps, manifest=manifest, parameters=parameters)


def check(
    *apps: str | os.PathLike,
    manifest: str | os.PathLike | Iterable[str | os.PathLike] = (),
    parameters: dict[str, Any] | None = None,
) -> list[dict[str, Any]]:
    """The findings of `gxe check` in app files. Mistakes that keep them from loading raise."""
    found = load(*apps, manifest=manifest, parameters=parameters)
    return found.context.take_warnings() + found.check()


def inspect(*libraries: str | os.PathLike, manifest: str | os.PathLike | None = None) -> list[dict]:
    """The extensions of a manifest, and of libraries, with their types and parameters. Without any,
    those that come with gxe."""
    context = _life.new_context()
    if manifest is not None:
        context.load_manifest(manifest)
    for library in libraries:
        context.load_extension(library)
    if manifest is None and not libraries:
        for library in sorted(_life.LIBRARIES.glob("lib*.so")):
            context.load_extension(library)
    extensions = context.extensions()
    for extension in extensions:
        extension["types"] = [context.type_info(name) for name in extension["types"]]
    return extensions


def graph(
    *apps: str | os.PathLike,
    manifest: str | os.PathLike | Iterable[str | os.PathLike] = (),
    format: str = "svg",
) -> str:
    """A picture of app files, as `gxe graph` draws it."""
    manifests = (manifest,) if isinstance(manifest, (str, os.PathLike)) else tuple(manifest)
    return draw(apps, manifests, format)


def draw(apps: Iterable[Any], manifests: Iterable[Any], format: str = "svg") -> str:
    """See `graph`."""
    if format not in _FORMATS:
        raise ValueError(f"`{format}` is none of {', '.join(_FORMATS)}")
    import subprocess

    command = [os.fspath(PROGRAM), "graph", "--format", format]
    for app in apps:
        command += ["--app", os.fspath(app)]
    for manifest in manifests:
        command += ["--manifest", os.fspath(manifest)]
    drawn = subprocess.run(command, capture_output=True, text=True, check=False)
    if drawn.returncode != 0:
        raise RuntimeError(drawn.stderr.strip() or f"gxe graph ended with {drawn.returncode}")
    return drawn.stdout


def draw_text(graph: Graph, format: str) -> str:
    """A picture of a composed graph."""
    import tempfile

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
    import html

    rows = []
    for entity in statistics["entities"]:
        for codelet in entity["codelets"]:
            median = codelet["execution_ns"]["median"]
            cells = (entity["name"], codelet["name"], codelet["ticks"], median)
            rows.append("".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells))
    head = "".join(f"<th>{title}</th>" for title in ("entity", "codelet", "ticks", "median (ns)"))
    return f"<table><tr>{head}</tr>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"
