"""Conditions: when an entity may run."""

from __future__ import annotations

from ._typing import Any


class Condition:
    """A scheduling term of the type ``type`` with parameters. Parameters that name queues take the
    names of ports."""

    def __init__(self, type: str, name: str = "", **parameters: Any) -> None:
        self.type = type
        self.name = name
        self.parameters = parameters
        #: The object of this program that the component calls, if it is one.
        self._owner: Any = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.type!r}, {self.parameters})"


class Count(Condition):
    """Lets the entity run ``count`` times."""

    def __init__(self, count: int, name: str = "") -> None:
        if isinstance(count, bool):
            raise TypeError(f"a count is a number, and not {count}")
        super().__init__("nvidia::gxf::CountSchedulingTerm", name, count=int(count))


class Periodic(Condition):
    """Lets the entity run once a period: a text such as ``10ms`` or ``30Hz``, as the parameter `recess_period`
    takes it, or a number of seconds."""

    def __init__(self, period: str | float, name: str = "") -> None:
        text = period if isinstance(period, str) else f"{round(period * 1e9)}ns"
        super().__init__("nvidia::gxf::PeriodicSchedulingTerm", name, recess_period=text)


class Boolean(Condition):
    """Lets the entity run while it is enabled: codelets get it by name, see ``Codelet.boolean``."""

    def __init__(self, enable_tick: bool = True, name: str = "") -> None:
        super().__init__("nvidia::gxf::BooleanSchedulingTerm", name, enable_tick=enable_tick)


class Asynchronous(Condition):
    """Lets the entity run when an event outside the graph happened; see ``Codelet.asynchronous``."""

    def __init__(self, name: str = "") -> None:
        super().__init__("nvidia::gxf::AsynchronousSchedulingTerm", name)


class TargetTime(Condition):
    """Lets the entity run at times that its codelet sets."""

    def __init__(self, name: str = "") -> None:
        super().__init__("nvidia::gxf::TargetTimeSchedulingTerm", name)


class MessageAvailable(Condition):
    """Lets the entity run when an input has messages; replaces the input's own condition."""

    def __init__(self, receiver: str, min_size: int = 1, name: str = "", **more: Any) -> None:
        type = "nvidia::gxf::MessageAvailableSchedulingTerm"
        super().__init__(type, name, receiver=receiver, min_size=min_size, **more)


class DownstreamReceptive(Condition):
    """Lets the entity run when there is room behind an output; replaces the output's own condition."""

    def __init__(self, transmitter: str, min_size: int = 1, name: str = "") -> None:
        type = "nvidia::gxf::DownstreamReceptiveSchedulingTerm"
        super().__init__(type, name, transmitter=transmitter, min_size=min_size)


class Allocator(Condition):
    """Any component that belongs into the entity of a codelet: an allocator, a serializer, …"""
