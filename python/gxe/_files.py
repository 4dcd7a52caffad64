"""Graphs in files: loading and checking them, and what extensions contain."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable

from . import _life
from ._draw import draw
from ._graph import CODELETS, Graph
from ._typing import Any


def load(
    *apps: str | os.PathLike,
    manifest: str | os.PathLike | Iterable[str | os.PathLike] = (),
    parameters: dict[str, Any] | None = None,
    statistics: bool = False,
) -> Graph:
    """A graph from app files. See `Graph.load`."""
    return Graph(statistics=statistics).load(*apps, manifest=manifest, parameters=parameters)


def check(
    *apps: str | os.PathLike,
    manifest: str | os.PathLike | Iterable[str | os.PathLike] = (),
    parameters: dict[str, Any] | None = None,
) -> list[dict[str, Any]]:
    """The findings of `gxe check` in app files. Mistakes that keep them from loading raise."""
    found = Graph()
    found._load(*apps, manifest=manifest, parameters=parameters)
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
    # With a manifest, which names the codelets' library, `gxe graph` no longer looks for one itself.
    manifests = manifests or tuple(filter(None, map(_beside, apps)))[:1]
    return draw(apps, manifests, format, (CODELETS,))


def _beside(app: str | os.PathLike) -> pathlib.Path | None:
    """The manifest beside an app file, as the program `gxe` finds it."""
    path = pathlib.Path(app)
    names = (f"{path.stem}_manifest.yaml", f"{path.stem}.manifest.yaml", "manifest.yaml")
    found = (path.with_name(name) for name in names if name != path.name)
    return next((manifest for manifest in found if manifest.is_file()), None)
