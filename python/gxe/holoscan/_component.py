"""Components: resources, conditions, and what a condition sees of a queue."""

from __future__ import annotations

from typing import Any

from .. import GxfError
from ._spec import ComponentSpec
from ._types import Arg, ArgList, SchedulingStatusType


class Component:
    """What has a name and belongs to a fragment."""

    #: Type of the component in the engine; empty for those that live in Python.
    gxf_typename = ""

    def __init__(self, fragment: Any = None, *args: Any, name: str = "", **kwargs: Any) -> None:
        # That of a subgraph is the one that it is a part of.
        self.fragment = getattr(fragment, "_fragment", fragment)
        if not hasattr(self, "name") or name:
            self.name = name
        for arg in args:
            for item in arg if isinstance(arg, ArgList) else (arg,):
                if isinstance(item, Arg):
                    kwargs[item.name] = item.value
        self.args = kwargs
        self.spec = ComponentSpec(self.fragment)
        self.setup(self.spec)
        for key, value in self.spec.params.items():
            setattr(self, key, kwargs.get(key, value))

    def setup(self, spec: ComponentSpec) -> None:
        """Declares parameters."""

    def initialize(self) -> None:
        """Called before the graph runs."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class Resource(Component):
    """Something that operators share: an allocator, a clock, or any object."""

    def __init__(self, fragment: Any = None, *args: Any, name: str = "", **kwargs: Any) -> None:
        super().__init__(fragment, *args, name=name, **kwargs)
        self._cid: int | None = None


class Condition(Component):
    """Decides when an operator runs. Subclasses in Python override `check`, and `update_state` and
    `on_execute` where they need to."""

    def __init__(self, fragment: Any = None, *args: Any, name: str = "", **kwargs: Any) -> None:
        self.receiver_name = kwargs.pop("receiver_name", getattr(self, "receiver_name", None))
        self.transmitter_name = kwargs.pop("transmitter_name", None)
        self._parameters: dict[str, Any] = {}
        self._cid: int | None = None
        self._operator: Any = None
        self._bridge: Any = None
        super().__init__(fragment, *args, name=name, **kwargs)

    # Of those in Python

    def check(self, timestamp: int) -> tuple[SchedulingStatusType, int | None]:
        """State and time at `timestamp`, in nanoseconds."""
        raise NotImplementedError(f"`{type(self).__name__}` has no `check`")

    def update_state(self, timestamp: int) -> None:
        """Called before `check`."""

    def on_execute(self, timestamp: int) -> None:
        """Called after the operator ran."""

    def receiver(self, port_name: str) -> Any:
        """The queue of an input of the operator; `None` if there is none."""
        return self._queue("Receiver", port_name)

    def transmitter(self, port_name: str) -> Any:
        """The queue of an output of the operator; `None` if there is none."""
        return self._queue("Transmitter", port_name)

    def _queue(self, kind: str, name: str) -> Any:
        names = self._operator._queue_names
        queues = (names.inputs if kind == "Receiver" else names.outputs).get(name) or [name]
        try:
            return Queue(self._bridge.component(kind, queues[0]))
        except GxfError:
            return None

    def bind(self, context: Any) -> None:
        """Called by the engine."""
        self._bridge = context
        self.initialize()

    def _ports(self) -> set[str]:
        named = {self.receiver_name, self.transmitter_name}
        named |= {self._parameters.get("receiver"), self._parameters.get("transmitter")}
        return {name for name in named if isinstance(name, str)}


class Queue:
    """A queue, as conditions see it."""

    def __init__(self, queue: Any) -> None:
        self._queue = queue

    @property
    def size(self) -> int:
        """Messages that can be received."""
        return len(self._queue)

    @property
    def back_size(self) -> int:
        """Messages that arrived since."""
        return getattr(self._queue, "back_count", 0)

    @property
    def capacity(self) -> int:
        """Room in messages."""
        return self._queue.capacity


class Scheduler(Component):
    """Base of schedulers."""

    @property
    def clock(self) -> Any:
        """The clock that the application runs by."""
        return self.fragment._clock
