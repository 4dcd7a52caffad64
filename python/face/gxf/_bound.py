"""Components of a running graph by name, the base of what `T.get` returns."""

from __future__ import annotations

from typing import Any

from gxe import GxfError, _gxe


def find(context: int, cid: int, name: str) -> int:
    """The component `name` beside a component, or `entity/name`."""
    return raising(_gxe.find_component, context, cid, name)


def bind(kind: Any, context: int, cid: int) -> Any:
    """A component by id, as one of the engine's interfaces."""
    return raising(kind.at, context, cid)


def raising(call: Any, *arguments: Any, **keywords: Any) -> Any:
    """Calls the engine with GXF's exceptions: a `ValueError` whose text is the name of the result."""
    try:
        return call(*arguments, **keywords)
    except GxfError as error:
        raise ValueError(error.code) from error
