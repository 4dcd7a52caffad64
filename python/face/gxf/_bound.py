"""Components of a running graph by name, the base of what `T.get` returns."""

from __future__ import annotations

from typing import Any

from gxe import GxfError, _gxe


def find(context: int, cid: int, name: str) -> int:
    """The component `name` beside a component, or `entity/name`."""
    try:
        return _gxe.find_component(context, cid, name)
    except GxfError as error:
        raise ValueError(error.code) from error


def bind(kind: Any, context: int, cid: int) -> Any:
    """A component by id, as one of the engine's interfaces."""
    try:
        return kind.at(context, cid)
    except GxfError as error:
        raise ValueError(error.code) from error


def raising(call: Any, *arguments: Any) -> Any:
    """Calls the engine with GXF's exceptions."""
    try:
        return call(*arguments)
    except GxfError as error:
        raise ValueError(error.code) from error
