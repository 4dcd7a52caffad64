"""Scheduling terms of a running graph."""

from __future__ import annotations

from typing import Any

from gxe import _gxe
from gxf._bound import bind, find, raising
from gxf.std.scheduling_condition_pybind import SchedulingConditionType

__all__ = [
    "AsynchronousSchedulingTerm",
    "BooleanSchedulingTerm",
    "CountSchedulingTerm",
    "TargetTimeSchedulingTerm",
]


class _Term:
    _kind: Any = None

    def __init__(self, target: Any) -> None:
        self._target = target

    @classmethod
    def get(cls, context: int, cid: int, name: str) -> Any:
        """The term `name` beside a component, or `entity/name`."""
        return cls(bind(cls._kind, context, find(context, cid, name)))


class BooleanSchedulingTerm(_Term):
    """A term that lets its entity run, or ends it."""

    _kind = _gxe.BooleanTerm

    def enable_tick(self) -> None:
        """Lets the entity run."""
        raising(self._target.enable_tick)

    def make_disable_tick(self) -> None:
        """Ends the entity."""
        raising(self._target.disable_tick)

    disable_tick = make_disable_tick

    def check_tick_enabled(self) -> bool:
        """Whether the entity may run."""
        return raising(self._target.check_tick_enabled)


class AsynchronousSchedulingTerm(_Term):
    """A term that follows an event outside the graph."""

    _kind = _gxe.AsynchronousTerm

    def get_event_state(self) -> int:
        """State of the event."""
        return raising(getattr, self._target, "event_state")

    def set_event_state(self, state: int) -> None:
        """Changes the state."""
        raising(setattr, self._target, "event_state", int(state))


class TargetTimeSchedulingTerm(_Term):
    """A term that waits for a time."""

    _kind = _gxe.TargetTimeTerm

    def set_next_target_time(self, target_ns: int) -> None:
        """Sets the time of the next execution."""
        raising(self._target.set_next_target_time, target_ns)


class CountSchedulingTerm(_Term):
    """A term that lets its entity run a number of times."""

    _kind = _gxe.SchedulingTerm

    def check(self, timestamp: int = 0) -> SchedulingConditionType:
        """Whether the entity may run."""
        return SchedulingConditionType(raising(self._target.check, timestamp)[0])
