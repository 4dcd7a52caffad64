"""Allocators of a running graph."""

from __future__ import annotations

from gxe import _gxe
from gxf._bound import bind, find, raising

__all__ = ["Allocator"]


class Allocator:
    """An allocator."""

    def __init__(self, target: _gxe.Allocator) -> None:
        self._target = target

    @staticmethod
    def get(context: int, cid: int, name: str) -> Allocator:
        """The allocator `name` beside a component, or `entity/name`."""
        return Allocator(bind(_gxe.Allocator, context, find(context, cid, name)))

    def is_available(self, size: int) -> bool:
        """Whether it has that many bytes."""
        return raising(self._target.is_available, size)

    def block_size(self) -> int:
        """Size of a block in bytes."""
        return raising(getattr, self._target, "block_size")
