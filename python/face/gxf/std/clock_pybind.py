"""Clocks of a running graph."""

from __future__ import annotations

from gxe import _gxe
from gxf._bound import bind, find, raising

__all__ = ["Clock"]


class Clock:
    """A clock."""

    def __init__(self, target: _gxe.Clock) -> None:
        self._target = target

    @staticmethod
    def get(context: int, cid: int, name: str) -> Clock:
        """The clock `name` beside a component, or `entity/name`."""
        return Clock(bind(_gxe.Clock, context, find(context, cid, name)))

    def timestamp(self) -> int:
        """Time in nanoseconds."""
        return raising(self._target.timestamp)

    def time(self) -> float:
        """Time in seconds."""
        return self.timestamp() / 1e9

    def sleep_for(self, duration_ns: int) -> None:
        """Waits."""
        raising(self._target.sleep_for, duration_ns)

    def sleep_until(self, target_ns: int) -> None:
        """Waits until a time."""
        raising(self._target.sleep_until, target_ns)
