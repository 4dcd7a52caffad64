"""Fragments and subgraphs: operators, flows, services and thread pools of an application."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from .. import GxfError
from .. import _graph as graphs
from ._build import build
from ._component import Resource, Scheduler, fragment_of
from ._config import Config
from ._flow_graphs import OperatorFlowGraph
from ._links import LinkEnd
from ._operator import START, FlowInfo, Operator
from ._services import DefaultFragmentService
from ._spec import IOSpec
from ._tracking import DataFlowTracker
from ._types import Arg, ArgList, MetadataPolicy, OperatorStatus
from .conditions import CountCondition
from .executors import GXFExecutor
from .resources import ThreadPool
from .schedulers import GreedyScheduler


class _Running(Future):
    """A run on a thread of its own. Who waits for the result waits for the end of the thread too, and lets
    threads that ask for `done` have their turn: once a program ends, Python 3.12 and newer start none."""

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__()
        # It runs from the start: `cancel` would end the future, but not the application.
        self.set_running_or_notify_cancel()
        self._work = work
        self._thread = threading.Thread(target=self._run, name="holoscan run_async", daemon=True)
        _running.add(self)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self.set_exception(error)
        else:
            self.set_result(None)
        finally:
            _running.discard(self)

    def result(self, timeout: float | None = None) -> None:
        """Waits for the end of the run; raises what it raised."""
        try:
            super().result(timeout)
        finally:
            if self.done() and threading.current_thread() is not self._thread:
                self._thread.join()
                time.sleep(sys.getswitchinterval())


#: The runs that go on.
_running: set[_Running] = set()


def _end() -> None:
    # As with the SDK, a program lasts as long as its runs, unless Ctrl-C ended it.
    if not issubclass(getattr(sys, "last_type", None) or Exception, KeyboardInterrupt):
        for run in list(_running):
            run._thread.join()


atexit.register(_end)


def exec_port(is_input: bool) -> str:
    """The port of every operator by which others only run it, or by which it runs others."""
    return Operator.INPUT_EXEC_PORT_NAME if is_input else Operator.OUTPUT_EXEC_PORT_NAME


def _direction(is_input: bool) -> str:
    return "input" if is_input else "output"


class _Members:
    """What fragments and subgraphs have in common."""

    _fragment: Fragment

    def add_operator(self, operator: Operator) -> None:
        """Adds an operator that no flow names."""
        self._fragment._enter(operator)

    def add_flow(self, upstream_op: Any, downstream_op: Any, *args: Any, **kwargs: Any) -> None:
        """Connects operators: by pairs of ports, else by their only ports; operators without ports, and
        those that were connected so, run one after the other."""
        self._fragment._add_flow(upstream_op, downstream_op, args, kwargs)

    def start_op(self) -> Operator:
        """The operator that runs first, once."""
        return self._fragment._start_op()

    def set_dynamic_flows(self, operator: Operator, callback: Callable[[Operator], Any]) -> None:
        """Lets a function choose the flows after each execution of an operator."""
        operator._dynamic = callback

    def kwargs(self, key: str) -> dict[str, Any]:
        """What the configuration has behind a key, by names: a mapping, or the key with its value."""
        return self._fragment.config().kwargs(key)

    def from_config(self, key: str) -> Arg | ArgList:
        """What the configuration has behind a key: an `ArgList` of a mapping, or an `Arg`, of which `int`,
        `float`, `str` and `bool` are values. `a.b` is a key within a mapping."""
        return self._fragment.config().args(key)

    def register_service(self, service: Any, id: str = "") -> bool:
        """Makes a service or a resource known to all operators."""
        return self._fragment._register_service(service, id)

    def service(self, kind: type, id: str = "") -> Any:
        """A service by type, and by name if there are several; `None` without one."""
        return self._fragment._service(kind, id)

    def make_thread_pool(self, name: str, initial_size: int = 1) -> ThreadPool:
        """Threads of their own for some operators."""
        pool = ThreadPool(self._fragment, name, initial_size)
        self._fragment._pools.append(pool)
        return pool

    def make_condition(self, kind: type, *args: Any, **kwargs: Any) -> Any:
        """A condition."""
        return kind(self, *args, **kwargs)

    def make_resource(self, kind: type, *args: Any, **kwargs: Any) -> Any:
        """A resource."""
        return kind(self, *args, **kwargs)


class Subgraph(_Members):
    """A part of an application that can be used several times."""

    def __init__(self, fragment: Any, name: str = "") -> None:
        self._parent = fragment
        self._fragment = fragment_of(fragment, f"a {type(self).__name__}")
        self.fragment = self._fragment
        self.name = fragment._subgraph_name(name)
        self._inputs: dict[str, tuple[Operator, str]] = {}
        self._outputs: dict[str, tuple[Operator, str]] = {}
        self.compose()

    def compose(self) -> None:
        """Creates the operators, flows and interface ports."""

    def _subgraph_name(self, name: str) -> str:
        return f"{self.name}_{name}"

    def _member_name(self, name: str, operator: Operator) -> str:
        return self._fragment._member_name(f"{self.name}_{name}", operator)

    def add_input_interface_port(self, name: str, operator: Any, port: str) -> None:
        """Makes an input of an operator, or of a subgraph within this one, one of the subgraph."""
        self._add_interface(name, operator, port, True)

    def add_output_interface_port(self, name: str, operator: Any, port: str) -> None:
        """Makes an output of an operator, or of a subgraph within this one, one of the subgraph."""
        self._add_interface(name, operator, port, False)

    def add_interface_port(self, name: str, operator: Any, port: str, is_input: bool = True) -> None:
        """Makes a port of an operator, or of a subgraph within this one, one of the subgraph."""
        self._add_interface(name, operator, port, is_input)

    def add_input_exec_interface_port(self, name: str, operator: Any, port: str = "") -> None:
        """Lets flows into the subgraph run an operator; or a subgraph within this one, by its port."""
        self._add_interface(name, operator, self._exec_port(operator, port, True), True)

    def add_output_exec_interface_port(self, name: str, operator: Any, port: str = "") -> None:
        """Lets an operator run what follows the subgraph; or a subgraph within this one, by its port."""
        self._add_interface(name, operator, self._exec_port(operator, port, False), False)

    def _add_interface(self, name: str, node: Any, port: str, is_input: bool) -> None:
        ports = self._ports(is_input)
        if name in ports:
            raise RuntimeError(f"the subgraph `{self.name}` has an {_direction(is_input)} `{name}` already")
        ports[name] = self._fragment._end(node, port, is_input)

    def _exec_port(self, node: Any, port: str, is_input: bool) -> str:
        if not isinstance(node, Subgraph):
            return exec_port(is_input)
        ports = node._ports(is_input)
        known = [name for name, (_, inner) in ports.items() if inner == exec_port(is_input)]
        if not port and len(known) == 1:
            return known[0]
        if port in known:
            return port
        direction = _direction(is_input)
        if known and not port:
            names = ", ".join(known)
            raise RuntimeError(f"say which {direction} of the subgraph `{node.name}` runs operators: {names}")
        named = f" `{port}`" if port else ""
        text = f"the subgraph `{node.name}` has no {direction}{named} that runs operators"
        raise RuntimeError(f"{text}; it has {', '.join(known) or 'none'}")

    def _ports(self, is_input: bool) -> dict[str, tuple[Operator, str]]:
        return self._inputs if is_input else self._outputs


def raising_causes(call: Callable[[], None]) -> None:
    """Raises what an operator raised instead of the engine's error about it, as the SDK does."""
    try:
        call()
        return
    except GxfError as error:
        failure = error.__cause__ or error
    # Here, because this has no further context.
    raise failure


class Fragment(_Members):
    """A graph of operators."""

    def __init__(self, app: Any = None, name: str = "", *_args: Any, **_kwargs: Any) -> None:
        if app is not None and not hasattr(app, "add_fragment"):
            kind = type(app).__name__
            raise ValueError(f"the first argument of a fragment is its application, and no {kind}")
        self._fragment = self
        self.name = name
        #: The application that the fragment is a part of.
        self.application = self if app is None else app
        self.graph = OperatorFlowGraph(self)
        self._operators: dict[str, Operator] = {}
        self._names: set[str] = set()
        self._pools: list[ThreadPool] = []
        self._services: dict[tuple[type, str], Any] = {}
        self._scheduler: Any = None
        self._config = Config()
        self._clock: Any = None
        self._composed = False
        self._composed_badly: Exception | None = None
        self._data_loggers: list[Any] = []
        self._tracker: DataFlowTracker | None = None
        #: The graph of the latest run, and that of the next one.
        self._graph: graphs.Graph | None = None
        self._next_graph: graphs.Graph | None = None
        #: What runs it.
        self.executor = GXFExecutor(self)
        self._engine_clock: Any = None
        self._metadata: bool | None = None
        self._metadata_policy: MetadataPolicy | None = None
        self._link_ends: list[LinkEnd] = []
        self._run_lock = threading.Lock()
        self._run_goes_on = False
        #: Until the operators of a run are built, those that are to end; empty for all.
        self._to_end: list[tuple[Fragment, str]] | None = None

    # What subclasses override

    def compose(self) -> None:
        """Creates the operators and flows."""

    # Names

    def _subgraph_name(self, name: str) -> str:
        return name

    def _member_name(self, name: str, operator: Operator) -> str:
        unique, number = name, 1
        while unique in self._names:
            number += 1
            unique = f"{name}_{number}"
        self._names.add(unique)
        return unique

    def _enter(self, operator: Operator) -> None:
        if not isinstance(operator, Operator):
            raise TypeError(f"a {type(operator).__name__} is no operator")
        if operator.fragment is not self:
            raise ValueError(f"the operator `{operator.name}` is part of another application or fragment")
        self._operators.setdefault(operator.name, operator)

    def _start_op(self) -> Operator:
        found = self._operators.get(START)
        if found is None:
            found = Operator(self, CountCondition(self, 1), name=START)
            self._enter(found)
        return found

    # Flows

    def _add_flow(self, source: Any, target: Any, args: tuple, kwargs: dict[str, Any]) -> None:
        for node in (source, target):
            if not isinstance(node, (Operator, Subgraph)):
                raise TypeError(f"flows connect operators and subgraphs, and a {type(node).__name__} is neither")
        pairs = kwargs.get("port_pairs")
        connector = kwargs.get("connector_type", IOSpec.ConnectorType.DEFAULT)
        for arg in args:
            if isinstance(arg, IOSpec.ConnectorType):
                connector = arg
            else:
                pairs = arg
        if pairs is None:
            ends = [self._only_ends(source, target)]
        else:
            # A set has no order; names have.
            pairs = sorted(pairs) if isinstance(pairs, (set, frozenset)) else list(pairs)
            for pair in pairs:
                if isinstance(pair, str) or len(pair) != 2:
                    raise TypeError(f"{pair!r} is no pair of ports; flows take pairs such as {{('out', 'in')}}")
            ends = [(self._end(source, out, False), self._end(target, into, True)) for out, into in pairs]
        for (sender, output), (receiver, input) in ends:
            if (output == exec_port(False)) != (input == exec_port(True)):
                text = f"the flow from `{sender.name}.{output}` to `{receiver.name}.{input}`"
                raise RuntimeError(f"{text} connects a port for messages with one that only runs operators")
            self._enter(sender)
            self._enter(receiver)
            known = (
                flow
                for flow in sender._flows
                if flow.next_operator is receiver
                and (flow.output_port_name, flow.input_port_name) == (output, input)
            )
            flow = next(known, None)
            if flow is None:
                flow = FlowInfo(sender, output, receiver, input)
                sender._flows.append(flow)
                receiver._sources.append(flow)
            if connector is not IOSpec.ConnectorType.DEFAULT:
                for port in (flow.output_port_spec, flow.input_port_spec):
                    if port is not None:
                        port.connector(connector)

    def _end(self, node: Any, name: str, is_input: bool) -> tuple[Operator, str]:
        """The operator behind a port, and the name of its port. An empty name stands for the only port."""
        if isinstance(node, Subgraph):
            what, ports = "subgraph", node._ports(is_input)
            others = node._ports(not is_input)
        else:
            what, ports = "operator", node.spec.inputs if is_input else node.spec.outputs
            others = node.spec.outputs if is_input else node.spec.inputs
            if name == exec_port(is_input):
                return node, name
        if not name and name not in ports and len(ports) == 1:
            name = next(iter(ports))
        if name not in ports:
            direction = _direction(is_input)
            known = ", ".join(ports) or "none"
            text = f"the {what} `{node.name}` has no {direction} `{name}`; it has {known}"
            if name in others:
                text += f". `{name}` is an {_direction(not is_input)}"
            raise RuntimeError(text)
        return ports[name] if isinstance(node, Subgraph) else (node, name)

    def _only_end(self, node: Any, is_input: bool) -> tuple[Operator, str | None]:
        """The end of a flow without ports at a node: its only port, if it has a single one."""
        if not isinstance(node, Subgraph):
            ports = node.spec.inputs if is_input else node.spec.outputs
            return node, next(iter(ports)) if len(ports) == 1 else None
        ends = node._ports(is_input)
        if len(ends) != 1:
            known = ", ".join(ends) or "none"
            raise RuntimeError(f"say which {_direction(is_input)} of the subgraph `{node.name}`: {known}")
        return next(iter(ends.values()))

    def _only_ends(self, source: Any, target: Any) -> tuple[tuple[Operator, str], tuple[Operator, str]]:
        """The ends of a flow without ports: data if each side has one port, else only the order."""
        (sender, output), (receiver, input) = self._only_end(source, False), self._only_end(target, True)
        if input == exec_port(True) or output == exec_port(False):
            return (sender, exec_port(False)), (receiver, exec_port(True))
        for node, name, ports in ((sender, output, sender.spec.outputs), (receiver, input, receiver.spec.inputs)):
            other = receiver.spec.inputs if node is sender else sender.spec.outputs
            if name is None and len(ports) > 1 and other:
                known = ", ".join(ports)
                raise RuntimeError(f"say which port of `{node.name}` to connect: {known}")
        if output is not None and input is not None:
            return (sender, output), (receiver, input)
        return (sender, exec_port(False)), (receiver, exec_port(True))

    # Configuration

    def config(self, config_file: str | os.PathLike | None = None, prefix: str = "") -> Config:
        """The configuration. With an argument, names its file, in YAML."""
        if config_file is not None:
            self._config = Config(config_file, prefix)
        if self._is_part and not self._config.config_file:
            return self.application.config()
        return self._config

    def config_keys(self) -> set[str]:
        """The keys of the configuration."""
        return self.config().keys()

    # Services

    def _register_service(self, service: Any, id: str) -> bool:
        if isinstance(service, Resource):
            id = service.name
        key = (type(service), id)
        if key in self._services:
            return False
        self._services[key] = service
        return True

    def _service(self, kind: type, id: str) -> Any:
        exact = self._services.get((kind, id))
        if exact is not None:
            return exact
        for (_, name), service in self._services.items():
            if name == id and isinstance(service, kind):
                return service
        for (_, name), service in self._services.items():
            held = service.resource if isinstance(service, DefaultFragmentService) else None
            if isinstance(held, kind) and id in (name, held.name):
                return held
            if kind is DefaultFragmentService and name == id and isinstance(service, Resource):
                return DefaultFragmentService(service)
        return self.application._service(kind, id) if self._is_part else None

    # Further parts

    def scheduler(self, scheduler: Any = None) -> Any:
        """The scheduler; with an argument, chooses it."""
        if scheduler is not None:
            if not isinstance(scheduler, Scheduler):
                raise TypeError(f"`scheduler` takes a scheduler, and a {type(scheduler).__name__} is none")
            scheduler.fragment = self
            self._scheduler = scheduler
        elif self._scheduler is None:
            self._scheduler = GreedyScheduler(self, name="greedy-scheduler")
        return self._scheduler

    @property
    def _is_part(self) -> bool:
        """Whether it is a fragment of an application."""
        return self.application is not self

    def enable_metadata(self, enable: bool) -> None:
        """Lets metadata travel with messages, or not."""
        self._metadata = enable

    @property
    def is_metadata_enabled(self) -> bool:
        """Whether metadata travels with messages: a fragment does as its application, unless stated."""
        if self._metadata is None and self._is_part:
            return self.application.is_metadata_enabled
        return self._metadata is not False

    @is_metadata_enabled.setter
    def is_metadata_enabled(self, enable: bool) -> None:
        self._metadata = enable

    @property
    def metadata_policy(self) -> MetadataPolicy | None:
        """What happens when several messages have the same key, for operators that do not state it: a
        fragment does as its application, unless stated."""
        if self._metadata_policy is None and self._is_part:
            return self.application.metadata_policy
        return self._metadata_policy

    @metadata_policy.setter
    def metadata_policy(self, policy: MetadataPolicy) -> None:
        self._metadata_policy = policy

    def add_data_logger(self, logger: Any) -> None:
        """Logs what the operators exchange."""
        self._data_loggers.append(logger)

    @property
    def _all_data_loggers(self) -> list[Any]:
        return self._data_loggers + (self.application._data_loggers if self._is_part else [])

    def track(
        self,
        num_start_messages_to_skip: int = 10,
        num_last_messages_to_discard: int = 10,
        latency_threshold: int = 0,
        is_limited_tracking: bool = False,
    ) -> DataFlowTracker:
        """Tracks the paths of messages."""
        self._tracker = DataFlowTracker(
            self, num_start_messages_to_skip, num_last_messages_to_discard, latency_threshold, is_limited_tracking
        )
        return self._tracker

    def data_flow_tracker(self) -> DataFlowTracker | None:
        """What tracks the paths of messages; `None` if nothing does."""
        return self._tracker

    def stop_execution(self, op_name: str = "") -> None:
        """Ends an operator, or all, in the run that goes on."""
        running = self.application if self.application._run_goes_on else self
        with running._run_lock:
            if running._to_end is not None:
                running._to_end.append((self, op_name))
                return
        self._end_operators(op_name)

    def _end_operators(self, name: str) -> None:
        if name and name not in self._operators:
            raise RuntimeError(f"there is no operator `{name}`")
        for operator in [self._operators[name]] if name else self._operators.values():
            operator.stop_execution()

    def compose_graph(self) -> None:
        """Calls `compose` once; what that raised is raised each time."""
        if self._composed_badly is not None:
            raise self._composed_badly
        if not self._composed:
            self._composed = True
            try:
                self.compose()
            except Exception as error:
                self._composed_badly = error
                raise

    def run(self) -> None:
        """Runs the application to its end; raises what an operator raised."""
        self._begin()
        self._run_begun()

    def run_async(self) -> Any:
        """Runs the application on another thread; returns a `concurrent.futures.Future`."""
        self._begin()
        try:
            return _Running(self._run_begun)
        except BaseException:
            self._run_goes_on = False
            raise

    def _begin(self) -> None:
        with self._run_lock:
            if self._run_goes_on:
                text = f"the application `{self.name}`" if self.name else "the application"
                raise RuntimeError(f"{text} runs already; wait for the end of that run, or call `stop_execution`")
            self._run_goes_on, self._to_end = True, []

    def _run_begun(self) -> None:
        try:
            self._run_to_end()
        finally:
            self._forget_events()
            with self._run_lock:
                self._run_goes_on, self._to_end = False, None

    def _run_to_end(self) -> None:
        graph = self._prepare()
        raising_causes(graph.run)
        self._ended()

    def _built(self) -> None:
        """Ends what was to end before the operators of this run were built."""
        with self._run_lock:
            wishes, self._to_end = self._to_end or [], None
        for part, name in wishes:
            part._end_operators(name)

    def _forget_events(self) -> None:
        """Lets the next run begin anew."""
        for operator in self._operators.values():
            operator._is_built = False
            for condition in operator._all_conditions():
                condition._left()

    def _ended(self) -> None:
        if self._tracker is not None:
            self._tracker.end_logging()

    def _time(self) -> int:
        if self._is_part:
            # Fragments have clocks of their own, which count from their starts.
            return time.time_ns()
        return self._engine_clock.timestamp() if self._engine_clock is not None else 0

    def _operator_status(self, name: str) -> OperatorStatus:
        operator = self._operators.get(name)
        if operator is None:
            raise RuntimeError(f"there is no operator `{name}`")
        return operator._status

    def _composed_fragments(self) -> list[Fragment]:
        """The fragments of an application that has some."""
        return []

    def _initialize_operators(self) -> None:
        for operator in list(self._operators.values()):
            operator._initialize()

    def _activated(self) -> None:
        for operator in self._operators.values():
            for condition in operator._all_conditions():
                condition._activated()

    def _open_graph(self) -> graphs.Graph:
        """The graph of the next run, with the extensions of the configuration."""
        if self._next_graph is None:
            graph = self._next_graph = graphs.Graph(self.name)
            graph._need_extension()
            for library in self.config().values.get("extensions") or ():
                graph.load_extension(library)
        return self._next_graph

    def _prepare(self) -> graphs.Graph:
        self.compose_graph()
        self._initialize_operators()
        graph = build(self)
        self._built()
        raising_causes(graph.activate)
        self._activated()
        return graph
