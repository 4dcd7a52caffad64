"""From operators and flows to entities."""

from __future__ import annotations

import enum
import functools
import re
from typing import Any

from .. import _codelets, _life
from .. import _graph as graphs
from .._gxe import Clock
from ._component import Condition, Resource
from ._executor import Executor, QueueNames
from ._links import LinkEnd
from ._operator import Operator
from ._spec import IOSpec, port_list
from ._types import ConditionType
from .conditions import MultiMessageAvailableTimeoutCondition, SamplingMode
from .conditions import _Native as _NativeCondition
from .logger import LogLevel, message
from .resources import Allocator

_TERMS = {
    ConditionType.MESSAGE_AVAILABLE: "nvidia::gxf::MessageAvailableSchedulingTerm",
    ConditionType.DOWNSTREAM_MESSAGE_AFFORDABLE: "nvidia::gxf::DownstreamReceptiveSchedulingTerm",
    ConditionType.EXPIRING_MESSAGE_AVAILABLE: "nvidia::gxf::ExpiringMessageAvailableSchedulingTerm",
    ConditionType.MULTI_MESSAGE_AVAILABLE: "nvidia::gxf::MultiMessageAvailableSchedulingTerm",
    ConditionType.MULTI_MESSAGE_AVAILABLE_TIMEOUT: (
        "nvidia::gxf::MessageAvailableFrequencyThrottler"
    ),
}

_ASYNC = IOSpec.ConnectorType.ASYNC_BUFFER
_MULTIPLE = (
    ConditionType.MULTI_MESSAGE_AVAILABLE,
    ConditionType.MULTI_MESSAGE_AVAILABLE_TIMEOUT,
)


def build(fragment: Any) -> graphs.Graph:
    """The graph of a fragment."""
    graph = fragment._graph = fragment._open_graph()
    fragment._next_graph = None
    _build_scheduler(fragment, graph)
    operators = list(fragment._operators.values())
    entities = {operator.name: _operator_entity(fragment, graph, operator.name) for operator in operators}
    for pool in fragment._pools:
        group = graph.context.create_group(pool.name)
        owner = _own_entity(fragment, graph, f"_thread_pool_{pool.name}")
        owner.add("nvidia::gxf::ThreadPool", pool.name, initial_size=pool.initial_size)
        graph.context.move_to_group(group, owner.eid)
        for operator, pinned in pool._members:
            entity = entities[operator.name]
            graph.context.move_to_group(group, entity.eid)
            if pinned is not None:
                entity.add("nvidia::gxf::CPUThread", "cpu_thread", **pinned)
    queues: dict[tuple[int, str], graphs.Component] = {}
    linked = _find_links(fragment)
    if linked:
        _build_network(fragment, graph)
    for operator in operators:
        _Builder(graph, operator, entities[operator.name], linked).build(queues)
        operator._is_built = True
    links = _own_entity(fragment, graph, "_connections")
    for operator in operators:
        for index, flow in enumerate(operator._flows):
            source = queues[id(operator), f"flow {index}"]
            target = queues[id(flow), "input"]
            links.add("nvidia::gxf::Connection", source=source, target=target)
    return graph


def _own_entity(fragment: Any, graph: graphs.Graph, name: str) -> graphs.Entity:
    """An entity that is none of an operator; operators may have its name."""
    while name in fragment._operators:
        name += "_"
    return graph.entity(name)


def _operator_entity(fragment: Any, graph: graphs.Graph, name: str) -> graphs.Entity:
    """The entity of an operator, with its name, unless that is one of those reserved for the runtime."""
    return _own_entity(fragment, graph, f"operator {name}") if name.startswith("__") else graph.entity(name)


def _find_links(fragment: Any) -> dict[tuple[int, str, bool], list[LinkEnd]]:
    """The ends of links by operator, port and direction."""
    found: dict[tuple[int, str, bool], list[LinkEnd]] = {}
    for end in fragment._link_ends:
        operator, port = end.find(fragment)
        operator._linked[end.is_input] = True
        found.setdefault((id(operator), port, end.is_input), []).append(end)
    return found


def _build_network(fragment: Any, graph: graphs.Graph) -> None:
    """What all links of a fragment need."""
    graph.load_extension(_life.LIBRARIES / "libgxf_ucx.so")
    entity = _own_entity(fragment, graph, "_network")
    memory = entity.add("nvidia::gxf::UnboundedAllocator", "memory")
    payloads = entity.add("nvidia::gxf::UcxComponentSerializer", "component_serializer", allocator=memory)
    objects = entity.add("gxe::PythonSerializer", "python_serializer")
    entities = entity.add(
        "nvidia::gxf::UcxEntitySerializer", "entity_serializer", component_serializers=[payloads, objects]
    )
    entity.add("nvidia::gxf::UcxContext", "network", serializer=entities)


def _build_scheduler(fragment: Any, graph: graphs.Graph) -> None:
    scheduler = fragment.scheduler()
    clock = fragment._clock = scheduler.clock
    clock.fragment = fragment
    entity = _own_entity(fragment, graph, "_scheduler")
    component = entity.add(clock.gxf_typename, clock.name, **clock._parameters)
    clock._entered(component)
    entity.add(scheduler.gxf_typename, scheduler.name, clock=component, **scheduler._parameters)
    fragment._engine_clock = Clock.at(graph.context.address, component.cid)


class _Timeout:
    """Messages have arrived, or some time has passed since the latest execution. The engine's own term always
    waits for the time; this one only with messages, so that an application may end without."""

    def __init__(self, names: list[str], values: dict[str, Any]) -> None:
        self.names = names
        #: What may change while the application runs.
        self.values = values
        self.latest: int | None = None
        _period(values.get("execution_frequency", "1Hz"))
        sizes = values.get("min_sizes")
        if sizes is not None and len(sizes) != len(names):
            text = f"`min_sizes` has {len(sizes)} numbers for the {len(names)} queues of its inputs"
            raise ValueError(f"{text}: {', '.join(names)}")

    def bind(self, context: Any) -> None:
        self.queues = [context.component("Receiver", name) for name in self.names]

    def check(self, now: int) -> int | tuple[int, int]:
        if self.latest is None:
            self.latest = now
        values = self.values
        sizes = [len(queue) + queue.back_count for queue in self.queues]
        if values["sampling_mode"] == "SumOfAll":
            least = values.get("min_sum")
            enough = sum(sizes) >= (values.get("min_size", 1) if least is None else least)
        else:
            each = values.get("min_sizes") or [1] * len(sizes)
            enough = all(size >= least for size, least in zip(sizes, each))
        end = self.latest + _period(values.get("execution_frequency", "1Hz"))
        if enough or now >= end:
            return 1
        return (3, end) if any(sizes) else 2

    def on_execute(self, now: int) -> None:
        self.latest = now


@functools.lru_cache
def _period(text: Any) -> int:
    """Nanoseconds of a text such as `250ms` or `30Hz`."""
    found = re.fullmatch(r"\s*([\d.]+)\s*(ns|us|ms|s|Hz|hz)?\s*", str(text))
    if found is None:
        raise ValueError(f"`{text}` is not a time such as `250ms` or `30Hz`")
    number, unit = float(found[1]), (found[2] or "ns").lower()
    if unit == "hz":
        return round(1e9 / number)
    return round(number * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit])


class _Builder:
    def __init__(
        self,
        graph: graphs.Graph,
        operator: Operator,
        entity: graphs.Entity,
        linked: dict[tuple[int, str, bool], list[LinkEnd]],
    ) -> None:
        self.graph = graph
        self.linked = linked
        self.operator = operator
        self.entity = entity
        self.names = operator._queue_names = QueueNames()
        self.receivers: dict[str, list[graphs.Component]] = {}
        self.senders: dict[str, graphs.Component] = {}
        self.terms: dict[str, list[graphs.Component]] = {}
        self.given = {port for known in operator.conditions.values() for port in known._ports()}
        self.shared = {port for _, ports, _ in operator.spec._multi for port in ports}

    def build(self, queues: dict[tuple[int, str], graphs.Component]) -> None:
        operator = self.operator
        for name, port in operator.spec.inputs.items():
            self._input(name, port, queues)
        self._exec_input(queues)
        for name, port in operator.spec.outputs.items():
            self._output(name, port, queues)
        self._exec_output(queues)
        for kind, ports, arguments in operator.spec._multi:
            receivers = self._receivers(ports)
            arguments = {"sampling_mode": "SumOfAll", **arguments, "receivers": receivers}
            self._term(kind, arguments, "multi")
        for ports in operator.spec._either:
            for port in ports:
                self._check_port("port", port, {**operator.spec.inputs, **operator.spec.outputs})
            terms = [term for port in ports for term in self.terms.get(port, ())]
            self.entity.add("nvidia::gxf::OrSchedulingTermCombiner", "any_of_ports", terms=terms)
        for resource in operator.resources.values():
            self._resource(resource)
        for key in operator.spec.params:
            value = getattr(operator, key, None)
            if isinstance(value, Allocator):
                self._resource(value)
        for condition in operator.conditions.values():
            if all(condition is not getattr(operator, key, None) for key in operator.spec.params):
                self._condition(condition)
        event = operator.async_condition
        event._entered(self.entity.add(event.gxf_typename, "async_condition"))
        if operator.gxf_typename:
            self._native_codelet()
        else:
            executor = Executor(operator)
            codelet = self.graph._add_owned(
                self.entity, graphs._CODELET, "codelet", executor, codelet_name=operator.name
            )
            operator._entered(codelet)

    def _check_port(self, what: str, name: str, known: dict[str, Any]) -> None:
        if name not in known:
            text = f"the operator `{self.operator.name}` has no {what} `{name}`"
            raise RuntimeError(f"{text}; its {what}s: {', '.join(known) or 'none'}")

    def _receivers(self, ports: list[str]) -> list[graphs.Component]:
        """The queues of inputs, by their names."""
        for port in ports:
            self._check_port("input", port, self.receivers)
        return [queue for port in ports for queue in self.receivers[port]]

    def _resource(self, resource: Any) -> graphs.Component | None:
        """The component of a resource, in the entity of the operator that is built first."""
        if not resource.gxf_typename or not hasattr(resource, "_parameters"):
            return None
        if resource._graph is not self.graph:
            resource._entered(self.entity.add(resource.gxf_typename, resource.name, **resource._parameters))
        return graphs.Component(self.graph, resource._cid)

    def _native_codelet(self) -> None:
        """The codelet of an operator that is not written in Python."""
        operator = self.operator
        parameters: dict[str, Any] = {}
        for key in operator.spec.params:
            value = getattr(operator, key, None)
            if isinstance(value, Resource):
                value = self._resource(value)
            elif isinstance(value, Condition):
                value = self._condition(value)
            if value is not None:
                parameters[key] = value
        for name, port in operator.spec.inputs.items():
            queues = self.receivers[name]
            parameters[name] = queues if port.queue_size == IOSpec.ANY_SIZE else queues[0]
        parameters.update(self.senders)
        operator._entered(self.entity.add(operator.gxf_typename, "codelet", **parameters))

    def _queue(self, port: IOSpec, name: str, capacity: int) -> graphs.Component:
        kind = "Receiver" if port.is_input else "Transmitter"
        if port.connector_type is IOSpec.ConnectorType.UCX:
            text = f"the port `{port.name}` of the operator `{self.operator.name}` has a queue of UCX"
            raise RuntimeError(f"{text}, and is not linked to another fragment")
        if port.connector_type is _ASYNC:
            return self.entity.add(f"nvidia::gxf::AsyncBuffer{kind}", name)
        parameters: dict[str, Any] = {"capacity": capacity}
        if port.queue_policy is not None:
            parameters["policy"] = int(port.queue_policy)
        parameters.update(port.connector_args)
        return self.entity.add(f"nvidia::gxf::DoubleBuffer{kind}", name, **parameters)

    def _link(self, end: LinkEnd, port: IOSpec, capacity: int) -> graphs.Component:
        """The queue of a link."""
        if port.connector_type is _ASYNC:
            text = f"the port `{port.name}` of the operator `{self.operator.name}` is an asynchronous buffer"
            raise RuntimeError(f"{text}, and cannot be linked to another fragment")
        memory = self.entity.add("nvidia::gxf::UnboundedAllocator", f"{end.name}_memory")
        buffer = self.entity.add("nvidia::gxf::UcxSerializationBuffer", f"{end.name}_buffer", allocator=memory)
        parameters: dict[str, Any] = {"capacity": capacity}
        if port.queue_policy is not None:
            parameters["policy"] = int(port.queue_policy)
        for key in ("capacity", "policy"):
            if key in port.connector_args:
                parameters[key] = port.connector_args[key]
        kind = "Receiver" if end.is_input else "Transmitter"
        return self.entity.add(f"nvidia::gxf::Ucx{kind}", end.name, buffer=buffer, **parameters, **end.address)

    def _input(self, name: str, port: IOSpec, queues: dict[Any, graphs.Component]) -> None:
        flows = [flow for flow in self.operator._sources if flow.input_port_name == name]
        links = self.linked.get((id(self.operator), name, True), [])
        if port.queue_size == IOSpec.ANY_SIZE:
            names = [f"{name}:{index}" for index in range(len(flows))]
            size = 1
        else:
            if links and len(links) + len(flows) > 1:
                text = f"the input `{name}` of the operator `{self.operator.name}` has several sources"
                raise RuntimeError(f"{text}, of other fragments, too; only an input of any size takes them")
            # A link takes the place of the queue.
            names = [] if links else [name]
            wanted = len(flows) + len(links) if port.queue_size == IOSpec.PRECEDING_COUNT else port.queue_size
            size = max(1, wanted)
        made = self.receivers[name] = [self._queue(port, queue, size) for queue in names]
        made += [self._link(end, port, size) for end in links]
        self.names.counts[name] = size
        self.names.inputs[name] = names + [end.name for end in links]
        for index, flow in enumerate(flows):
            queues[id(flow), "input"] = made[index if len(made) > 1 else 0]
        if port.connector_type is _ASYNC or (name in self.shared and not port.conditions):
            return
        conditions = port.conditions or [(ConditionType.MESSAGE_AVAILABLE, {"min_size": size})]
        if name in self.given and not port.conditions:
            self._log_given(name)
            return
        for kind, arguments in conditions:
            for queue in made:
                arguments = dict(arguments)
                if kind in _MULTIPLE:
                    arguments["receivers"] = [queue]
                    arguments.setdefault("sampling_mode", "SumOfAll")
                elif kind is not ConditionType.NONE:
                    arguments["receiver"] = queue
                    if kind is ConditionType.MESSAGE_AVAILABLE:
                        arguments.setdefault("min_size", size)
                    elif kind is ConditionType.EXPIRING_MESSAGE_AVAILABLE:
                        arguments["clock"] = self._clock()
                self._term(kind, arguments, queue.name, name)

    def _log_given(self, port: str) -> None:
        text = f"Not adding default condition to port '{port}' of operator '{self.operator.name}'"
        message(LogLevel.DEBUG, f"{text}: it has one")

    def _exec_input(self, queues: dict[Any, graphs.Component]) -> None:
        special = Operator.INPUT_EXEC_PORT_NAME
        flows = [flow for flow in self.operator._sources if flow.input_port_name == special]
        if not flows:
            return
        # In a loop any predecessor lets the operator run; else all of them do.
        count = 1 if self.operator._is_in_loop() else len(flows)
        room = max(8, 2 * len(flows))
        name = "input_exec"
        queue = self.entity.add("nvidia::gxf::DoubleBufferReceiver", name, capacity=room, policy=0)
        for flow in flows:
            queues[id(flow), "input"] = queue
        self.names.exec_input, self.names.exec_count = name, count
        self._term(ConditionType.MESSAGE_AVAILABLE, {"receiver": queue, "min_size": count}, name)

    def _output(self, name: str, port: IOSpec, queues: dict[Any, graphs.Component]) -> None:
        operator = self.operator
        at = [index for index, flow in enumerate(operator._flows) if flow.output_port_name == name]
        links = self.linked.get((id(operator), name, False), [])
        if links and operator._dynamic is not None:
            text = f"the operator `{operator.name}` chooses its flows"
            raise RuntimeError(f"{text}, and so cannot send to another fragment")
        size = max(1, port.queue_size)
        if operator._dynamic is not None:
            for index in at:
                queue = self._queue(port, f"{name}:output:{index}", size)
                self.names.edges.append((operator._flows[index], queue.name))
                queues[id(operator), f"flow {index}"] = queue
                self.senders.setdefault(name, queue)
                self._output_terms(name, port, queue)
            return
        # Components of an entity have different names.
        queue = f"{name}:output" if name in operator.spec.inputs else name
        # A codelet of the engine needs all of its queues.
        made = [self._queue(port, queue, size)] if at or operator.gxf_typename else []
        for index in at:
            queues[id(operator), f"flow {index}"] = made[0]
        made += [self._link(end, port, size) for end in links]
        if made:
            self.names.outputs[name] = [queue.name for queue in made]
        for queue in made:
            self.senders.setdefault(name, queue)
            # Without a receiver there is never room.
            if at or links:
                self._output_terms(name, port, queue)

    def _output_terms(self, name: str, port: IOSpec, queue: graphs.Component) -> None:
        if port.connector_type is _ASYNC:
            return
        if name in self.given and not port.conditions:
            self._log_given(name)
            return
        for kind, arguments in port.conditions or [(ConditionType.DOWNSTREAM_MESSAGE_AFFORDABLE, {})]:
            arguments = dict(arguments)
            if kind is not ConditionType.NONE:
                arguments["transmitter"] = queue
                arguments.setdefault("min_size", 1)
            self._term(kind, arguments, queue.name, name)

    def _exec_output(self, queues: dict[Any, graphs.Component]) -> None:
        operator = self.operator
        special = Operator.OUTPUT_EXEC_PORT_NAME
        at = [index for index, flow in enumerate(operator._flows) if flow._is_exec]
        if not at:
            return
        dynamic = operator._dynamic is not None
        for position, name in enumerate([f"output_exec:{i}" for i in at] if dynamic else ["output_exec"]):
            queue = self.entity.add("nvidia::gxf::DoubleBufferTransmitter", name, capacity=1)
            if dynamic:
                self.names.edges.append((operator._flows[at[position]], name))
                queues[id(operator), f"flow {at[position]}"] = queue
            else:
                self.names.outputs[special] = [name]
                for index in at:
                    queues[id(operator), f"flow {index}"] = queue

    def _term(
        self, kind: ConditionType, arguments: dict[str, Any], name: str, port: str = ""
    ) -> None:
        if kind is ConditionType.NONE:
            return
        if kind not in _TERMS:
            raise RuntimeError(f"{kind} is no condition of a port")
        values = {
            key: value.value if isinstance(value, enum.Enum) else value
            for key, value in arguments.items()
        }
        if kind in _MULTIPLE:
            values["sampling_mode"] = SamplingMode(values["sampling_mode"]).value
        label = f"{name}_{kind.name.lower()}"
        if kind is ConditionType.MULTI_MESSAGE_AVAILABLE_TIMEOUT:
            term = self._timeout(label, [queue.name for queue in values["receivers"]], values)
        else:
            term = self.entity.add(_TERMS[kind], label, **values)
        self.terms.setdefault(port or name, []).append(term)

    def _timeout(self, label: str, queues: list[str], values: dict[str, Any]) -> graphs.Component:
        condition = _Timeout(queues, values)
        return self.graph._add_owned(self.entity, graphs._CONDITION, label, condition, condition_name=label)

    def _clock(self) -> graphs.Component:
        return graphs.Component(self.graph, self.operator.fragment._clock._cid)

    def _condition(self, condition: Any) -> graphs.Component:
        if not condition.gxf_typename:
            name = condition.name
            term = self.graph._add_owned(self.entity, graphs._CONDITION, name, condition, condition_name=name)
            condition._entered(term)
            return term
        parameters: dict[str, Any] = {}
        if isinstance(condition, _NativeCondition):
            parameters = dict(condition._parameters)
        for key in ("receiver", "transmitter"):
            name = parameters.get(key)
            if isinstance(name, str):
                if key == "receiver":
                    made = self._receivers([name])
                else:
                    self._check_port("output", name, self.operator.spec.outputs)
                    made = [self.senders[name]] if name in self.senders else []
                if not made:
                    raise RuntimeError(f"nothing is connected to the port `{name}` of `{self.operator.name}`")
                parameters[key] = made[0]
        if "receivers" in parameters:
            parameters["receivers"] = self._receivers(port_list(parameters["receivers"]))
        if isinstance(condition, MultiMessageAvailableTimeoutCondition):
            names = [queue.name for queue in parameters["receivers"]]
            term = self._timeout(condition.name, names, condition._parameters)
            condition._entered(term)
            return term
        if "allocator" in parameters:
            parameters["allocator"] = self._resource(parameters["allocator"])
        if condition.gxf_typename.endswith("ExpiringMessageAvailableSchedulingTerm"):
            parameters["clock"] = self._clock()
        term = self.entity.add(condition.gxf_typename, condition.name, **parameters)
        condition._entered(term)
        return term
