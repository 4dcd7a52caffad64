"""What GXF and Holoscan share."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable
from typing import Any

from .. import _life
from ._entity import Entity
from ._executor import ExecutionContext as GXFExecutionContext
from ._executor import InputContext as GXFInputContext
from ._executor import OutputContext as GXFOutputContext
from ._missing import OF_LINKS, missing
from .conditions import _Native as GXFCondition
from .resources import _Native as GXFResource
from .schedulers import _Native as GXFScheduler

__all__ = [
    "Entity",
    "GXFCondition",
    "GXFExecutionContext",
    "GXFInputContext",
    "GXFOutputContext",
    "GXFResource",
    "GXFScheduler",
    "load_extensions",
]


def load_extensions(
    context: int, extension_filenames: Iterable[str] = (), manifest_filenames: Iterable[str] = ()
) -> None:
    """Loads libraries and manifests for the next run of an application: `context` is `context_uint64` of its
    executor."""
    target = next((known for known in _life._contexts if known.address == context), None)
    if target is None:
        raise ValueError(f"{context} is no context; take `context_uint64` of the application's executor")
    for library in extension_filenames:
        target.load_extension(pathlib.Path(library))
    for manifest in manifest_filenames:
        target.load_manifest(pathlib.Path(manifest))


_MISSING = {
    **dict.fromkeys(
        ("GXFComponent", "GXFSystemResourceBase"),
        "has no counterpart: what the engine has is a GXFCondition, a GXFResource or a GXFScheduler",
    ),
    "GXFNetworkContext": OF_LINKS,
}


def __getattr__(name: str) -> Any:
    raise missing(__name__, name, _MISSING)
