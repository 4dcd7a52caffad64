"""Transmitters of a running graph."""

from __future__ import annotations

from gxe import _gxe
from gxf._bound import bind, find, raising
from gxf.core.core_pybind import MessageEntity

__all__ = ["Transmitter"]


class Transmitter:
    """A transmitter of a codelet's entity."""

    def __init__(self, target: _gxe.Transmitter) -> None:
        self._target = target

    @staticmethod
    def get(context: int, cid: int, name: str) -> Transmitter:
        """The transmitter `name` beside a component, or `entity/name`."""
        return Transmitter(bind(_gxe.Transmitter, context, find(context, cid, name)))

    def publish(self, message: MessageEntity, acqtime: int | None = None) -> None:
        """Sends a message at the end of the tick. With an acquisition time, the publication time is that
        at which it is sent; else one that the message has stays, unless it is 0."""
        if not isinstance(message, MessageEntity):
            raise TypeError(f"publish takes a MessageEntity, and got a {type(message).__name__}")
        raising(self._target.publish, message.message, acqtime)

    def size(self) -> int:
        """Messages that wait to be sent."""
        return raising(len, self._target)

    def capacity(self) -> int:
        """Room in messages."""
        return raising(getattr, self._target, "capacity")
