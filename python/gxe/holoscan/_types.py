"""Enumerations and named values."""

from __future__ import annotations

import enum
from typing import Any


class ConditionType(enum.Enum):
    """Conditions that a port may have."""

    NONE = 0
    MESSAGE_AVAILABLE = 1
    DOWNSTREAM_MESSAGE_AFFORDABLE = 2
    COUNT = 3
    BOOLEAN = 4
    PERIODIC = 5
    ASYNCHRONOUS = 6
    EXPIRING_MESSAGE_AVAILABLE = 7
    MULTI_MESSAGE_AVAILABLE = 8
    MULTI_MESSAGE_AVAILABLE_TIMEOUT = 9


class SchedulingStatusType(enum.IntEnum):
    """What a condition answers."""

    NEVER = 0
    READY = 1
    WAIT = 2
    WAIT_TIME = 3
    WAIT_EVENT = 4


class OperatorStatus(enum.Enum):
    """What an operator is doing."""

    NOT_STARTED = 0
    START_PENDING = 1
    STARTED = 2
    TICK_PENDING = 3
    TICKING = 4
    IDLE = 5
    STOP_PENDING = 6


class MetadataPolicy(enum.Enum):
    """What happens when metadata has a key already."""

    REJECT = 0
    UPDATE = 1
    INPLACE_UPDATE = 2
    RAISE = 3
    DEFAULT = RAISE


class Arg:
    """A named value for a component."""

    def __init__(self, name: str, value: Any = None) -> None:
        self.name = name
        self.value = value


class ArgList(list):
    """Named values for a component."""

    def add(self, arg: Arg | ArgList) -> None:
        """Adds one value, or several."""
        self.extend(arg if isinstance(arg, ArgList) else [arg])


def arglist_to_kwargs(arglist: ArgList) -> dict[str, Any]:
    """The values by name."""
    return {arg.name: arg.value for arg in arglist}


def kwargs_to_arglist(**kwargs: Any) -> ArgList:
    """Named values of keyword arguments."""
    return ArgList(Arg(name, value) for name, value in kwargs.items())


def py_object_to_arg(obj: Any, name: str = "") -> Arg:
    """A named value."""
    return Arg(name, obj)


def arg_to_py_object(arg: Arg) -> Any:
    """The value."""
    return arg.value
