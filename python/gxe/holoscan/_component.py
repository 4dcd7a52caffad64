"""Components: resources, conditions, and what a condition sees of a queue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import GxfError
from .._gxe import to_yaml
from ._spec import ComponentSpec
from ._types import Arg, ArgElementType, ArgList, SchedulingStatusType, arglist_to_kwargs, kwargs_to_arglist


def fragment_of(owner: Any, what: str) -> Any:
    """The fragment of what is constructed with an application, a fragment or a subgraph."""
    fragment = getattr(owner, "_fragment", None)
    if fragment is None:
        text = f"the first argument of {what} is the application, fragment or subgraph that it is part of"
        raise ValueError(f"{text}, and no {type(owner).__name__}")
    return fragment


class Attribute:
    """A property in whose place an object may have an attribute of its own."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else self._function(instance)


def parameter(key: str, text: str) -> property:
    """A property for a parameter of a component of the engine."""

    def read(component: Any) -> Any:
        return component._parameters.get(key)

    def write(component: Any, value: Any) -> None:
        component._change(key, value)

    return property(read, write, doc=text)


class Parameterized:
    """What has parameters that the engine reads when the application is built."""

    _parameters: dict[str, Any]

    def _change(self, key: str, value: Any) -> None:
        self._parameters[key] = value

    _set_arg = _change


class Component:
    """What has a name and belongs to a fragment."""

    #: Type of the component in the engine; empty for those that live in Python.
    gxf_typename = ""
    #: What it is as the value of an `Arg`.
    _arg_element_type = ArgElementType.CUSTOM
    #: Its id in the engine, and the graph of the engine that has it.
    _cid: int | None = None
    _graph: Any = None

    def __init__(self, fragment: Any = None, *args: Any, name: str = "", **kwargs: Any) -> None:
        self.fragment = None if fragment is None else fragment_of(fragment, f"a {type(self).__name__}")
        if not hasattr(self, "name") or name:
            self.name = name
        for arg in args:
            for item in arg if isinstance(arg, ArgList) else (arg,):
                if isinstance(item, Arg):
                    kwargs[item.name] = item.value
        self.args = kwargs_to_arglist(**kwargs)
        self.spec = ComponentSpec(self.fragment)
        self.setup(self.spec)
        for key, value in self.spec.params.items():
            # A constructor may have set it before.
            if key in kwargs or not hasattr(self, key):
                setattr(self, key, kwargs.get(key, value))

    def setup(self, spec: Any) -> None:
        """Declares parameters, on a `ComponentSpec`."""

    def initialize(self) -> None:
        """Called before the graph runs."""

    @Attribute
    def id(self) -> int:
        """Id of the component in the engine; -1 before the graph is built."""
        return -1 if self._cid is None else self._cid

    @Attribute
    def gxf_cid(self) -> int:
        """The same as `id`."""
        return self.id

    @Attribute
    def gxf_cname(self) -> str:
        """The same as `name`."""
        return self.name

    @Attribute
    def gxf_context(self) -> int:
        """Address of the engine's context; 0 before the graph is built."""
        return 0 if self._cid is None else self._graph.context.address

    @Attribute
    def gxf_eid(self) -> int:
        """Id of the entity that has the component; -1 before the graph is built."""
        return -1 if self._cid is None else self._graph.context.component_entity(self._cid)

    def _entered(self, made: Any) -> None:
        """Called with what the engine has of it in the graph of a new run."""
        self._cid, self._graph = made.cid, made.graph

    def add_arg(self, *args: Any, **kwargs: Any) -> None:
        """Adds parameters: each an `Arg`, several in an `ArgList`, or keywords."""
        added = kwargs_to_arglist(**kwargs)
        for arg in args:
            if not isinstance(arg, (Arg, ArgList)):
                raise TypeError(f"`add_arg` of a {type(self).__name__} takes no {type(arg).__name__}")
            added.add(arg)
        self.args.add(added)
        for arg in added:
            self._set_arg(arg.name, arg.value)

    def _set_arg(self, key: str, value: Any) -> None:
        setattr(self, key, value)

    @property
    def description(self) -> str:
        """Name, type and parameters, in YAML."""
        known = {key: getattr(self, key, None) for key in self.spec.params}
        parameters = {key: str(value) for key, value in {**arglist_to_kwargs(self.args), **known}.items()}
        return to_yaml({"name": self.name, "type": type(self).__name__, "parameters": parameters})

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class Resource(Component):
    """Something that operators share: an allocator, a clock, or any object."""

    _arg_element_type = ArgElementType.RESOURCE


class Condition(Component):
    """Decides when an operator runs. Subclasses in Python override `check`, and `update_state` and
    `on_execute` where they need to."""

    _arg_element_type = ArgElementType.CONDITION

    def __init__(self, fragment: Any = None, *args: Any, name: str = "", **kwargs: Any) -> None:
        self.receiver_name = kwargs.pop("receiver_name", getattr(self, "receiver_name", None))
        self.transmitter_name = kwargs.pop("transmitter_name", None)
        self._parameters: dict[str, Any] = {}
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

    def notify_scheduler(self) -> None:
        """Lets the scheduler check the operator again, from any thread: an event has come for which `check`
        answered `WAIT_EVENT`."""
        if self._bridge is None:
            raise RuntimeError(f"the condition `{self.name}` has no scheduler before the application runs")
        self._bridge.notify()

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
            found = self._bridge.component(kind, queues[0])
        except GxfError:
            return None
        return (Receiver if kind == "Receiver" else Transmitter)(found)

    def bind(self, context: Any) -> None:
        """Called by the engine."""
        self._bridge = context
        self.initialize()

    def _activated(self) -> None:
        """Called when the graph of a run is active."""

    def _left(self) -> None:
        """Called at the end of a run."""

    def _ports(self) -> set[str]:
        named = {self.receiver_name, self.transmitter_name}
        named |= {self._parameters.get("receiver"), self._parameters.get("transmitter")}
        return {name for name in named if isinstance(name, str)}


class _Queue:

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


class Receiver(_Queue):
    """The queue of an input, as operators and conditions see it."""


class Transmitter(_Queue):
    """The queue of an output, as operators and conditions see it."""


class Scheduler(Component):
    """Base of schedulers."""
