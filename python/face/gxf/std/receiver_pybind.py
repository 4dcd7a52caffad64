"""Receivers of a running graph."""

from __future__ import annotations

from gxe import _gxe
from gxf._bound import bind, find, raising
from gxf.core.core_pybind import MessageEntity

__all__ = ["Receiver"]


class Receiver:
    """A receiver of a codelet's entity."""

    def __init__(self, target: _gxe.Receiver) -> None:
        self._target = target

    @staticmethod
    def get(context: int, cid: int, name: str) -> Receiver:
        """The receiver `name` beside a component, or `entity/name`."""
        return Receiver(bind(_gxe.Receiver, context, find(context, cid, name)))

    def receive(self) -> MessageEntity | None:
        """The oldest message; `None` if there is none."""
        found = raising(self._target.receive_message)
        return None if found is None else MessageEntity(message=found)

    def peek(self, index: int = 0) -> MessageEntity:
        """A message that stays in the queue."""
        return MessageEntity(message=raising(self._target.peek, index))

    def size(self) -> int:
        """Messages that can be received."""
        return raising(len, self._target)

    def back_size(self) -> int:
        """Messages that arrived since the tick began."""
        return raising(getattr, self._target, "back_count")

    def capacity(self) -> int:
        """Room in messages."""
        return raising(getattr, self._target, "capacity")
