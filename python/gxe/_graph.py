"""Graphs composed in Python."""

from __future__ import annotations

import contextlib
import os
import pathlib
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator

from . import _codelets, _gxe, _life
from ._conditions import Asynchronous, Boolean, Condition
from ._draw import draw_text, table
from ._errors import GxfError, warn
from ._typing import Any

_CODELET = "nvidia::gxf::PyCodeletV0"
_CONDITION = "gxe::PythonSchedulingTerm"
#: The extension of both.
CODELETS = _life.LIBRARIES / "libgxf_python_codelet.so"
_RECEIVER = "nvidia::gxf::Receiver"
_TRANSMITTER = "nvidia::gxf::Transmitter"
_HANDLE = "GXF_PARAMETER_TYPE_HANDLE"


class Component:
    """A component of an entity."""

    def __init__(self, graph: Graph, cid: int) -> None:
        self.graph = graph
        self.cid = cid

    @property
    def name(self) -> str:
        return self.graph.context.component_name(self.cid)

    @property
    def type(self) -> str:
        """Full name of the type."""
        return self.graph.context.component_type(self.cid)

    @property
    def entity(self) -> Entity:
        return Entity(self.graph, self.graph.context.component_entity(self.cid))

    def __getitem__(self, key: str) -> Any:
        """The value of a parameter, or its default."""
        return self.graph.context.parameter(self.cid, key)

    def __setitem__(self, key: str, value: Any) -> None:
        """Sets a parameter; in a running graph it takes effect between two ticks."""
        self.graph._set(self.cid, key, value)

    def bind(self, array: Any) -> None:
        """Lets a gxe.Variable use the memory of an array, with the values in it, without a copy."""
        self.graph.context.bind_variable(self.cid, array)

    def read(self) -> bytes:
        """A copy of the value of a gxe.Variable, which nobody must use at that time."""
        return self.graph.context.read_variable(self.cid)

    def __str__(self) -> str:
        return f"{self.entity.name}/{self.name}"

    def __repr__(self) -> str:
        return f"<gxe.Component {self} ({self.type})>"


class Entity:
    """An entity with components."""

    def __init__(self, graph: Graph, eid: int) -> None:
        self.graph = graph
        self.eid = eid

    @property
    def name(self) -> str:
        return self.graph.context.entity_name(self.eid)

    @property
    def components(self) -> list[Component]:
        return [Component(self.graph, cid) for cid in self.graph.context.components(self.eid)]

    def add(self, type: str, name: str = "", /, **parameters: Any) -> Component:
        """Adds a component of the type with this full name. Handles take components or texts, such as
        `entity/component`."""
        info = self.graph.context.type_info(type) if parameters else None
        if info is not None:
            _check_parameters(type, parameters, info)
        component = Component(self.graph, self.graph.context.add_component(self.eid, type, name))
        for key, value in parameters.items():
            component[key] = value
        return component

    def __getitem__(self, name: str) -> Component:
        return Component(self.graph, self.graph.context.find_component(self.name, name))

    def __repr__(self) -> str:
        return f"<gxe.Entity {self.name}>"


class Port:
    """A port of a node, for `Graph.connect`."""

    def __init__(self, node: Node, name: str, is_input: bool) -> None:
        self.node = node
        self.name = name
        self.is_input = is_input

    def __repr__(self) -> str:
        return f"<gxe.Port {self.node.name}/{self.name}>"


class Node:
    """A codelet in a graph, with the queues and conditions of its entity. `node["name"]` is a port."""

    def __init__(self, graph: Graph, name: str) -> None:
        self.graph = graph
        self.name = name
        self.inputs: tuple[str, ...] = ()
        self.outputs: tuple[str, ...] = ()
        self.conditions: list[Condition] = []
        self._capacities: dict[str, int] = {}
        self._minimum: dict[str, int] = {}
        self._unconditional: set[str] = set()
        self._codelet: Any = None
        self._native: str | None = None
        self._parameters: dict[str, Any] = {}
        self._connected: set[str] = set()
        self._entity: Entity | None = None
        #: Why another program does not find the codelet.
        self._unfound = ""

    @property
    def entity(self) -> Entity:
        """The entity, once the graph was composed."""
        if self._entity is None:
            raise RuntimeError(f"the graph of `{self.name}` was not composed yet; see Graph.compose")
        return self._entity

    def __getitem__(self, name: str) -> Port:
        if name in self.inputs:
            return Port(self, name, True)
        if name in self.outputs:
            return Port(self, name, False)
        known = ", ".join((*self.inputs, *self.outputs)) or "none"
        raise KeyError(f"`{self.name}` has no port `{name}`; its ports: {known}")

    def __repr__(self) -> str:
        return f"<gxe.Node {self.name}>"

    def _check_ports(self) -> None:
        seen: set[str] = set()
        for port in (*self.inputs, *self.outputs):
            if port in seen:
                raise ValueError(f"`{self.name}` has two ports `{port}`; inputs and outputs have different names")
            if not port or "/" in port:
                raise ValueError(f"`{port}` is no name of a port of `{self.name}`: it is empty or has a slash")
            seen.add(port)
            size = self._capacities.get(port, 1)
            if not isinstance(size, int) or isinstance(size, bool) or size < 1:
                text = f"the capacity of the port `{port}` of `{self.name}` is {size!r}"
                raise ValueError(f"{text}, and must be a number of messages, 1 or more")

    def _only(self, is_input: bool) -> Port:
        names = self.inputs if is_input else self.outputs
        if len(names) != 1:
            what = "input" if is_input else "output"
            known = ", ".join(names) or "none"
            raise ValueError(f"say which {what} of `{self.name}` to connect: {known}")
        return Port(self, names[0], is_input)


class _Scheduler:
    type = ""

    def __init__(self, **parameters: Any) -> None:
        self.parameters = parameters


class Greedy(_Scheduler):
    """Executes entities one after another on one thread: the default."""

    type = "nvidia::gxf::GreedyScheduler"


class MultiThread(_Scheduler):
    """Executes entities on several threads."""

    type = "nvidia::gxf::MultiThreadScheduler"

    def __init__(self, workers: int = 0, **parameters: Any) -> None:
        super().__init__(worker_thread_number=workers or os.cpu_count() or 1, **parameters)


class EventBased(_Scheduler):
    """Executes entities on several threads, driven by events."""

    type = "nvidia::gxf::EventBasedScheduler"

    def __init__(self, workers: int = 0, **parameters: Any) -> None:
        super().__init__(worker_thread_number=workers or os.cpu_count() or 1, **parameters)


class Run:
    """A run that goes on: `wait` for it, or `await` it."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._lock = threading.Lock()
        self._ended = False
        self._error: BaseException | None = None

    def wait(self) -> None:
        """Waits for the end and raises its error."""
        self.graph.context.check_may_wait()
        with self._lock:
            if not self._ended:
                try:
                    self.graph.context.wait()
                except BaseException as error:
                    self._error = error
                self.graph._finish()
                self._ended = True
        if self._error is not None:
            raise self._error

    def interrupt(self) -> None:
        """Asks the run to end."""
        self.graph.interrupt()

    def __await__(self):
        import asyncio

        async def waited() -> None:
            waiting = asyncio.get_running_loop().run_in_executor(None, self.wait)
            try:
                await asyncio.shield(waiting)
            except asyncio.CancelledError:
                self.interrupt()
                await waiting
                raise

        return waited().__await__()


class Graph:
    """A graph of entities: loaded from YAML, composed in Python, or both.

    `scheduler` is `Greedy()`, `MultiThread()` or `EventBased()`, `clock` the type of the scheduler's
    clock; both apply if no app file has a scheduler. `statistics` collects counts and times.
    """

    def __init__(
        self,
        name: str = "",
        *,
        scheduler: _Scheduler | None = None,
        clock: str = "nvidia::gxf::RealtimeClock",
        statistics: bool = False,
    ) -> None:
        if scheduler is not None and not isinstance(scheduler, _Scheduler):
            what = scheduler.__name__ if isinstance(scheduler, type) else repr(scheduler)
            raise TypeError(
                f"`{what}` is no scheduler; give gxe.Greedy(), gxe.MultiThread() or gxe.EventBased()"
            )
        self.name = name
        self.context = _life.new_context()
        self.nodes: dict[str, Node] = {}
        self._scheduler = scheduler
        self._clock = clock
        self._connections: list[tuple[Any, Any]] = []
        self._composed = 0
        self._linked = 0
        self._has_codelets = False
        self._owned: list[Any] = []
        self._is_active = False
        self._ticks: dict[str, int] = {}
        if statistics:
            self.context.enable_statistics()

    # Loading

    def load_extension(self, path: str | os.PathLike, base: str | os.PathLike | None = None) -> None:
        """Loads an extension library."""
        self.context.load_extension(path, base)

    def load_manifest(self, path: str | os.PathLike, base: str | os.PathLike | None = None) -> None:
        """Loads the extensions that a manifest lists."""
        self.context.load_manifest(path, base)

    def load(
        self,
        *apps: str | os.PathLike,
        manifest: str | os.PathLike | Iterable[str | os.PathLike] = (),
        parameters: dict[str, Any] | None = None,
    ) -> Graph:
        """Loads app files into the graph. `parameters` replaces values: the keys are
        `entity/component/key`. All mistakes of the files are in one exception; what is probably one, such
        as an unknown parameter, is a `GxfWarning`."""
        self._load(*apps, manifest=manifest, parameters=parameters)
        self._warn_of_loaded()
        return self

    def _load(
        self,
        *apps: str | os.PathLike,
        manifest: str | os.PathLike | Iterable[str | os.PathLike] = (),
        parameters: dict[str, Any] | None = None,
    ) -> None:
        for path in (manifest,) if isinstance(manifest, (str, os.PathLike)) else manifest:
            self.context.load_manifest(path)
        self._need_extension()
        try:
            self.context.load_apps([pathlib.Path(app) for app in apps], _overrides(parameters))
        except GxfError as error:
            # The engine reads no file behind one that is not there.
            texts = [f"there is no file `{app}`" for app in apps if not os.path.exists(app)]
            others = [text for text in texts if text not in str(error)]
            if error.code != "GXF_FILE_NOT_FOUND" or not others:
                raise
            raise GxfError("\n".join((str(error).rstrip(), *others)), error.code) from None

    def _warn_of_loaded(self) -> None:
        for found in self.context.take_warnings():
            place = f"{found['file']}:{found['line']}:{found['column']}: " if found["file"] else ""
            warn("; ".join((place + found["message"], *filter(None, found["help"].split("\n")))))

    def loads(self, text: str, parameters: dict[str, Any] | None = None, name: str = "<text>") -> Graph:
        """Loads the text of an app file, as `load` does."""
        self._need_extension()
        self.context.load_app_text(text, name, _overrides(parameters))
        self._warn_of_loaded()
        return self

    def _need_extension(self) -> None:
        if not self._has_codelets:
            self.context.load_extension(CODELETS)
            self._has_codelets = True

    # Composing

    def entity(self, name: str = "") -> Entity:
        """Creates an entity, to which components can be added one by one."""
        return Entity(self, self.context.create_entity(name))

    def __getitem__(self, name: str) -> Entity:
        """The entity with this name."""
        self.compose()
        return Entity(self, self.context.find_entity(name))

    @property
    def entities(self) -> list[Entity]:
        self.compose()
        return [Entity(self, eid) for eid in self.context.entities()]

    def add(
        self,
        codelet: Any,
        *conditions: Any,
        name: str = "",
        capacity: int | dict[str, int] | None = None,
        **parameters: Any,
    ) -> Node:
        """Adds an entity with a codelet: one of `@gxe.codelet`, an instance of a codelet class, or
        the full name of a type of an extension.

        The entity gets a queue for each port, and a condition for each queue: that a message has arrived,
        or that there is room. `capacity` is that of all queues, or of some by port; that of others is what
        the class of the codelet says, or 1. `conditions` adds others; one that names a port
        replaces the port's own. An object with a method `check(now)` is a condition, too: it answers
        0 never, 1 ready, 2 wait, or 3 wait until, as a tuple with the time in nanoseconds; its methods
        `on_execute(now)` and `bind(context)` are called if it has them. `parameters` are those of the
        codelet.
        """
        node = Node(self, name or self._new_name(codelet))
        if not isinstance(node.name, str):
            raise TypeError(f"the name of an entity is a text, and not {node.name!r}")
        if "/" in node.name:
            raise ValueError(
                f"`{node.name}` is no name of an entity with a codelet: a slash separates entity and component in "
                "app files"
            )
        if node.name in self.nodes:
            raise ValueError(f"the graph has an entity `{node.name}` already")
        node.conditions = [self._as_condition(condition) for condition in conditions]
        if isinstance(codelet, str):
            self._add_native(node, codelet, parameters)
        else:
            self._add_python(node, codelet, parameters)
        if capacity is None:
            capacity = {}
        if not isinstance(capacity, (int, dict)):
            raise TypeError(f"a capacity is a number, or a dictionary of numbers by port, and not {capacity!r}")
        if isinstance(capacity, int):
            capacity = dict.fromkeys((*node.inputs, *node.outputs), capacity)
        for port, size in capacity.items():
            node[port]
            node._capacities[port] = size
        node._check_ports()
        self.nodes[node.name] = node
        return node

    def _as_condition(self, condition: Any) -> Condition:
        if isinstance(condition, Condition):
            return condition
        if not callable(getattr(condition, "check", None)):
            raise TypeError(
                f"a `{type(condition).__name__}` is no condition: neither is it one of gxe, nor has it a "
                "method `check`"
            )
        made = Condition(_CONDITION, "", condition_name=type(condition).__name__)
        made._owner = condition
        return made

    def _new_name(self, codelet: Any) -> str:
        if isinstance(codelet, str):
            base = codelet.rsplit("::", 1)[-1]
        elif isinstance(codelet, _codelets.Definition):
            base = codelet.name
        elif isinstance(codelet, type):
            base = codelet.__name__
        else:
            base = type(codelet).__name__
        base = base.strip("_") or "codelet"
        name, number = base, 1
        while name in self.nodes:
            number += 1
            name = f"{base}_{number}"
        return name

    def _add_native(self, node: Node, type: str, parameters: dict[str, Any]) -> None:
        info = self.context.type_info(type)
        if info is None:
            # The error of the engine names similar types and libraries.
            self.context.needed_type(type)
        assert info is not None
        known = _check_parameters(type, parameters, info)
        inputs, outputs = [], []
        for key, parameter in known.items():
            if parameter["type"] != _HANDLE or parameter["rank"] or key in parameters:
                continue
            if parameter["handle_type"] == _RECEIVER:
                inputs.append(key)
            elif parameter["handle_type"] == _TRANSMITTER:
                outputs.append(key)
        node.inputs, node.outputs = tuple(inputs), tuple(outputs)
        node._native, node._parameters = type, dict(parameters)

    def _add_python(self, node: Node, codelet: Any, parameters: dict[str, Any]) -> None:
        if isinstance(codelet, type):
            codelet, parameters = codelet(**parameters), {}
        if isinstance(codelet, _codelets.Definition):
            codelet = codelet(**parameters) if parameters else codelet
            node.inputs, node.outputs = codelet.inputs, codelet.outputs
        else:
            if not callable(getattr(codelet, "tick", None)):
                raise TypeError(
                    f"a `{type(codelet).__name__}` is no codelet: neither does @gxe.codelet decorate "
                    "it, nor has it a method `tick`"
                )
            if parameters:
                raise TypeError("parameters of a codelet class are arguments of its constructor")
            for other in self.nodes.values():
                if other._codelet is codelet:
                    raise ValueError(
                        f"the entity `{other.name}` has this `{type(codelet).__name__}` already; its ports can be "
                        "those of one entity only, so make another instance"
                    )
            declared = _codelets._declared(type(codelet), _codelets.Input)
            node.inputs = tuple(declared)
            for name, port in declared.items():
                node._capacities[name] = max(port.capacity, port.min_size)
                node._minimum[name] = port.min_size
                if not port.condition:
                    node._unconditional.add(name)
            declared = _codelets._declared(type(codelet), _codelets.Output)
            node.outputs = tuple(declared)
            for name, port in declared.items():
                node._capacities[name] = port.capacity
                if not port.condition:
                    node._unconditional.add(name)
        node._codelet = codelet

    def connect(self, *nodes: Node | Port | Component | str) -> None:
        """Connects nodes in a chain. A node with one output stands for it, as one with one input does;
        else say `node["port"]`. Components and texts such as `entity/queue` are ends, too."""
        if len(nodes) < 2:
            raise TypeError("connect takes two nodes or more")
        for source, target in zip(nodes, nodes[1:]):
            ends = []
            for end, is_input in ((source, False), (target, True)):
                if isinstance(end, Node):
                    end = end._only(is_input)
                if isinstance(end, Port):
                    if end.is_input != is_input:
                        what = "send" if is_input is False else "receive"
                        raise ValueError(f"the port `{end.name}` of `{end.node.name}` does not {what}")
                    if end.node.graph is not self:
                        raise ValueError(f"`{end.node.name}` belongs to another graph")
                    end.node._connected.add(end.name)
                if isinstance(end, Component):
                    self._check_own(end)
                ends.append(_checked_end(end))
            self._connections.append((ends[0], ends[1]))

    def _check_own(self, component: Component) -> None:
        # Ids of components are numbers within their graph.
        if component.graph is not self:
            raise ValueError(f"`{component}` belongs to another graph")

    def compose(self) -> None:
        """Creates the entities of all nodes and connections that were added; running does it."""
        for node in list(self.nodes.values())[self._composed :]:
            self._compose_node(node)
            self._composed += 1
        links = self._connections[self._linked :]
        if links:
            with self._whole("" if self._linked else "connections") as entity:
                for source, target in links:
                    entity.add("nvidia::gxf::Connection", source=_end(source), target=_end(target))
            self._linked += len(links)
        if (self.nodes or self._scheduler) and not self._has_scheduler():
            with self._whole("scheduler") as entity:
                clock = entity.add(self._clock, "clock")
                scheduler = self._scheduler or Greedy()
                entity.add(scheduler.type, "scheduler", clock=clock, **scheduler.parameters)

    @contextlib.contextmanager
    def _whole(self, name: str) -> Iterator[Entity]:
        """A new entity, which is destroyed if one of its components fails: the next attempt fails alike."""
        entity, owned = self.entity(name), len(self._owned)
        try:
            yield entity
        except BaseException:
            self.context.destroy_entity(entity.eid)
            del self._owned[owned:]
            raise

    def _has_scheduler(self) -> bool:
        context = self.context
        for eid in context.entities():
            for cid in context.components(eid):
                info = context.type_info(context.component_type(cid))
                if info is not None and "nvidia::gxf::Scheduler" in info["bases"]:
                    return True
        return False

    def _compose_node(self, node: Node) -> None:
        codelet = node._codelet
        terms: tuple[str, ...] = ()
        if isinstance(codelet, _codelets.Definition):
            terms = codelet.terms()
            if not codelet.outputs_stated:
                node.outputs = tuple(name for name in node.outputs if name in node._connected)
        if node._native is None:
            self._need_extension()
        with self._whole(node.name) as entity:
            self._add_components(node, entity, terms)
        node._entity = entity

    def _add_components(self, node: Node, entity: Entity, terms: tuple[str, ...]) -> None:
        codelet = node._codelet
        named = {
            value
            for condition in node.conditions
            for key, value in condition.parameters.items()
            if key in ("receiver", "transmitter") and isinstance(value, str)
        }
        queues: dict[str, Component] = {}
        awaited, messages = [], []
        for name in node.inputs:
            size = node._capacities.get(name, 1)
            queue = entity.add("nvidia::gxf::DoubleBufferReceiver", name, capacity=size)
            queues[name] = queue
            if name not in named and name not in node._unconditional:
                awaited.append(name)
        if "asynchronous" in terms and len(awaited) > 1:
            # One term, which the event is an alternative to.
            term = entity.add(
                "nvidia::gxf::MultiMessageAvailableSchedulingTerm",
                "messages_available",
                receivers=[queues[name] for name in awaited],
                sampling_mode="PerReceiver",
                min_sizes=[1] * len(awaited),
            )
            messages.append(term)
        else:
            for name in awaited:
                term = entity.add(
                    "nvidia::gxf::MessageAvailableSchedulingTerm",
                    f"{name}_available",
                    receiver=queues[name],
                    min_size=node._minimum.get(name, 1),
                )
                messages.append(term)
        for name in node.outputs:
            size = node._capacities.get(name, 1)
            queue = entity.add("nvidia::gxf::DoubleBufferTransmitter", name, capacity=size)
            queues[name] = queue
            if name not in named and name not in node._unconditional:
                entity.add(
                    "nvidia::gxf::DownstreamReceptiveSchedulingTerm",
                    f"{name}_room",
                    transmitter=queue,
                    min_size=1,
                )
        if "boolean" in terms:
            self._add_condition(entity, Boolean(True, "running"), queues)
        if "asynchronous" in terms:
            event = self._add_condition(entity, Asynchronous("event"), queues)
            if messages:
                entity.add("nvidia::gxf::OrSchedulingTermCombiner", "next", terms=[*messages, event])
        for condition in node.conditions:
            self._add_condition(entity, condition, queues)
        if node._native is not None:
            handles = {name: queues[name] for name in (*node.inputs, *node.outputs)}
            entity.add(node._native, "codelet", **handles, **node._parameters)
            return
        parameters, node._unfound = _codelets.reference(codelet)
        self._add_owned(entity, _CODELET, "codelet", codelet, **parameters)

    def _add_owned(self, entity: Entity, type: str, name: str, owner: Any, **parameters: Any) -> Component:
        """Adds the component that calls an object of this program."""
        component = entity.add(type, name, **parameters)
        _codelets.register(self._owned, component, owner)
        return component

    def _add_condition(
        self, entity: Entity, condition: Condition, queues: dict[str, Component]
    ) -> Component:
        term = entity.add(condition.type, condition.name)
        for key, value in condition.parameters.items():
            info = self.context.parameter_info(term.cid, key)
            if info is not None and info["type"] == _HANDLE:
                if isinstance(value, str) and value in queues:
                    value = queues[value]
                elif isinstance(value, (list, tuple)):
                    value = [queues.get(item, item) if isinstance(item, str) else item for item in value]
            term[key] = value
        if condition._owner is not None:
            _codelets.register(self._owned, term, condition._owner)
        return term

    def _set(self, cid: int, key: str, value: Any) -> None:
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(item, Component):
                self._check_own(item)
        if isinstance(value, Component):
            self.context.set_handles(cid, key, value.cid)
        elif isinstance(value, (list, tuple)) and value and all(
            isinstance(item, Component) for item in value
        ):
            self.context.set_handles(cid, key, [item.cid for item in value])
        else:
            self.context.set_parameter(cid, key, value)

    # Running

    def activate(self) -> None:
        """Checks and initialises everything; `run` does it."""
        self.compose()
        self.context.activate()
        self._is_active = True

    def deactivate(self) -> None:
        """Undoes `activate`, after ending a run."""
        self._is_active = False
        self.context.deactivate()

    def run(self) -> None:
        """Runs the graph to its end. Ctrl-C ends it and raises `KeyboardInterrupt`."""
        if not self._is_active:
            self.activate()
        try:
            self.context.run()
        except BaseException:
            self._finish_failed()
            raise
        self._finish()

    def run_async(self) -> Run:
        """Starts the graph: `run.wait()`, or `await graph.run_async()`."""
        if not self._is_active:
            self.activate()
        try:
            self.context.run_async()
        except BaseException:
            self._finish_failed()
            raise
        return Run(self)

    def _finish_failed(self) -> None:
        # A run that was refused because another one goes on leaves that alone.
        if self.context.is_abandoned or not self._goes_on():
            self._finish()

    def _goes_on(self) -> bool:
        return self.status["state"] in ("running", "paused", "stopping")

    def _finish(self) -> None:
        # A run that failed has deactivated the graph itself, and one that hangs has no end.
        self._is_active = False
        if self.context.is_abandoned:
            return
        self._ticks = dict(self.context.ticks())
        try:
            self.context.deactivate()
        except GxfError as error:
            if error.code != "GXF_INVALID_EXECUTION_SEQUENCE":
                raise

    def interrupt(self) -> None:
        """Asks the run to end; running ticks finish first."""
        try:
            self.context.interrupt()
        except GxfError as error:
            if error.code != "GXF_INVALID_EXECUTION_SEQUENCE":
                raise

    def pause(self) -> None:
        """Pauses the run until `resume`."""
        self.context.pause()

    def resume(self) -> None:
        """Ends a pause."""
        self.context.resume()

    # Looking

    def check(self) -> list[dict[str, Any]]:
        """What is certainly or probably wrong with the graph, found without running it."""
        self.compose()
        return self.context.check()

    @property
    def status(self) -> dict[str, Any]:
        """What the graph is doing now."""
        return _json(self.context.status())

    @property
    def statistics(self) -> dict[str, Any] | None:
        """Counts and times since the latest activation; `None` unless they are collected."""
        text = self.context.statistics()
        return None if text is None else _json(text)

    @property
    def ticks(self) -> dict[str, int]:
        """How often each entity ticked in the latest run."""
        return dict(self.context.ticks()) or self._ticks

    def trace(self) -> Trace:
        """Records what happens in a `with` block, in the format of ui.perfetto.dev."""
        return Trace(self)

    def to_yaml(self) -> str:
        """The graph as the text of an app file. A codelet in Python is in it as its file, its name there and
        its parameters; a `GxfWarning` names those that have none, which only this program can execute."""
        self.compose()
        self._warn_of_saved()
        return self.context.to_yaml()

    def save(self, path: str | os.PathLike) -> None:
        """Writes the graph as an app file; see `to_yaml`."""
        self.compose()
        self._warn_of_saved()
        self.context.save(path)

    def _warn_of_saved(self) -> None:
        for node in self.nodes.values():
            if node._unfound:
                warn(f"no other program can execute the codelet of the entity `{node.name}`: {node._unfound}")
            if any(condition._owner is not None for condition in node.conditions):
                warn(f"no other program can check the condition in Python of the entity `{node.name}`")

    def draw(self, format: str = "svg") -> str:
        """A picture of the graph: `svg`, `dot`, `mermaid` or `html`."""
        return draw_text(self, format)

    def _repr_svg_(self) -> str:
        return self.draw("svg")

    def _repr_html_(self) -> str | None:
        statistics = self.statistics
        if not statistics:
            return None
        return self.draw("svg") + table(statistics)

    def __iter__(self) -> Iterator[Entity]:
        return iter(self.entities)

    def __del__(self) -> None:
        # One whose constructor failed has no run; its context ends the run that there is.
        if not getattr(self, "_is_active", False) or sys.is_finalizing():
            return
        try:
            goes_on = self._goes_on()
        except RuntimeError:
            # Runs are those of the process that this one was forked from.
            return
        if goes_on:
            text = "a graph was dropped while it ran, which ends its run; keep it, and wait for the run or interrupt it"
            warnings.warn(text, ResourceWarning)
        # What the components call goes after this, in any order.
        for end in (self.context.interrupt, self.context.end):
            with contextlib.suppress(RuntimeError):
                end()

    def __repr__(self) -> str:
        return f"<gxe.Graph {self.name}: {len(self.context.entities())} entities>"


class Trace:
    """A trace of a run."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.text = ""

    def __enter__(self) -> Trace:
        self.graph.context.trace_start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.text = self.graph.context.trace_stop() or ""

    @property
    def events(self) -> list[dict[str, Any]]:
        found = _json(self.text or "[]")
        return found["traceEvents"] if isinstance(found, dict) else found

    def save(self, path: str | os.PathLike) -> None:
        """Writes the trace for ui.perfetto.dev."""
        pathlib.Path(path).write_text(self.text)


def _json(text: str) -> Any:
    # Imported here, as elsewhere: importing gxe takes little time.
    import json

    return json.loads(text)


def _check_parameters(type: str, parameters: Iterable[str], info: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The parameters of a type by key, if they have these among them."""
    known = {parameter["key"]: parameter for parameter in info["parameters"]}
    for key in parameters:
        if key not in known:
            raise TypeError(_codelets._unknown(type, key, known))
    return known


def _checked_end(end: Any) -> Any:
    """An end of a connection, if it may be one."""
    if isinstance(end, str) and not all(end.partition("/")):
        raise ValueError(f"`{end}` is no end of a connection; texts are `entity/queue`")
    if not isinstance(end, (str, Port, Component)):
        raise TypeError(f"a `{type(end).__name__}` is no end of a connection; connect nodes, ports or components")
    return end


def _end(end: Any) -> Any:
    if isinstance(end, Port):
        return end.node.entity[end.name]
    return end


def _overrides(parameters: dict[str, Any] | None) -> list[str]:
    return [f"{key}={_gxe.to_yaml(value)}" for key, value in (parameters or {}).items()]
