"""Applications, operators and their ports."""

from __future__ import annotations

import enum
import os
import re
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

from .. import _gxe
from .. import _graph as graphs
from .._gxe import Tensor

__all__ = [
    "CLIOptions",
    "Application",
    "Arg",
    "ArgList",
    "Component",
    "ComponentSpec",
    "Condition",
    "ConditionType",
    "DataFlowMetric",
    "DataFlowTracker",
    "DefaultFragmentService",
    "ExecutionContext",
    "FlowInfo",
    "Fragment",
    "FragmentService",
    "IOSpec",
    "InputContext",
    "MessageLabel",
    "MetadataDictionary",
    "MetadataPolicy",
    "Operator",
    "OperatorSpec",
    "OperatorStatus",
    "OutputContext",
    "Resource",
    "Scheduler",
    "SchedulingStatusType",
    "Subgraph",
    "Tensor",
    "ThreadPool",
    "Tracker",
]


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


_TERMS = {
    ConditionType.MESSAGE_AVAILABLE: "nvidia::gxf::MessageAvailableSchedulingTerm",
    ConditionType.DOWNSTREAM_MESSAGE_AFFORDABLE: "nvidia::gxf::DownstreamReceptiveSchedulingTerm",
    ConditionType.EXPIRING_MESSAGE_AVAILABLE: "nvidia::gxf::ExpiringMessageAvailableSchedulingTerm",
    ConditionType.MULTI_MESSAGE_AVAILABLE: "nvidia::gxf::MultiMessageAvailableSchedulingTerm",
    ConditionType.MULTI_MESSAGE_AVAILABLE_TIMEOUT: (
        "nvidia::gxf::MessageAvailableFrequencyThrottler"
    ),
}


class Arg:
    """A named value for a component."""

    def __init__(self, name: str, value: Any = None) -> None:
        self.name = name
        self.value = value


class ArgList(list):
    """Named values for a component."""


class ComponentSpec:
    """Parameters that a component declares."""

    def __init__(self, fragment: Any = None) -> None:
        self.fragment = fragment
        self.params: dict[str, Any] = {}
        self._kinds: dict[str, str] = {}

    def param(self, param: str, default_value: Any = None, *, kind: str = "", **_texts: Any) -> None:
        """Declares a parameter, which becomes an attribute of the component."""
        self.params[param] = default_value
        if kind:
            self._kinds[param] = kind


class IOSpec:
    """A port of an operator."""

    class IOType(enum.Enum):
        """Direction of a port."""

        INPUT = 0
        OUTPUT = 1

    class QueuePolicy(enum.IntEnum):
        """What a full queue does with one message more."""

        POP = 0
        REJECT = 1
        FAULT = 2

    class ConnectorType(enum.Enum):
        """Kind of queue."""

        DEFAULT = 0
        DOUBLE_BUFFER = 1
        UCX = 2
        ASYNC_BUFFER = 3

    class IOSize(int):
        """Number of messages that one execution takes."""

        @property
        def size(self) -> int:
            """The number."""
            return int(self)

    ANY_SIZE = IOSize(-1)
    PRECEDING_COUNT = IOSize(0)
    SIZE_ONE = IOSize(1)

    def __init__(
        self,
        operator_spec: OperatorSpec,
        name: str,
        io_type: IOSpec.IOType,
        size: int = 1,
        policy: Any = None,
    ) -> None:
        self.operator_spec = operator_spec
        self.name = name
        self.io_type = io_type
        self.queue_size = size
        self.queue_policy = policy
        self.connector_type = IOSpec.ConnectorType.DEFAULT
        self.connector_args: dict[str, Any] = {}
        self.conditions: list[tuple[ConditionType, dict[str, Any]]] = []

    @property
    def is_input(self) -> bool:
        """Whether it receives."""
        return self.io_type is IOSpec.IOType.INPUT

    def condition(self, kind: ConditionType, *args: Any, **kwargs: Any) -> IOSpec:
        """Replaces the condition of the port."""
        kwargs.update({arg.name: arg.value for arg in args if isinstance(arg, Arg)})
        self.conditions.append((kind, kwargs))
        return self

    def connector(self, kind: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Chooses the kind of queue and its parameters."""
        if kind is None:
            return self.connector_type
        if kind is IOSpec.ConnectorType.UCX:
            raise NotImplementedError("queues of UCX need applications on several hosts")
        self.connector_type = kind
        self.connector_args.update({arg.name: arg.value for arg in args if isinstance(arg, Arg)})
        self.connector_args.update(kwargs)
        return self

    def __repr__(self) -> str:
        return f"<IOSpec {self.name} {self.io_type.name.lower()}>"


class OperatorSpec(ComponentSpec):
    """Ports and parameters that an operator declares."""

    def __init__(self, fragment: Any = None) -> None:
        super().__init__(fragment)
        self.inputs: dict[str, IOSpec] = {}
        self.outputs: dict[str, IOSpec] = {}
        self._multi: list[tuple[ConditionType, list[str], dict[str, Any]]] = []
        self._either: list[tuple[str, ...]] = []

    def input(
        self, name: str = "__iospec_input", *, size: int = 1, policy: Any = None, **_unused: Any
    ) -> IOSpec:
        """Adds a port that receives."""
        port = IOSpec(self, name, IOSpec.IOType.INPUT, size, policy)
        self.inputs[name] = port
        return port

    def output(
        self, name: str = "__iospec_output", *, size: int = 1, policy: Any = None, **_unused: Any
    ) -> IOSpec:
        """Adds a port that sends."""
        port = IOSpec(self, name, IOSpec.IOType.OUTPUT, size, policy)
        self.outputs[name] = port
        return port

    def param(self, param: str, default_value: Any = None, *, kind: str = "", **_texts: Any) -> None:
        """Declares a parameter; one of the kind `receivers` is a port for any number of senders."""
        if kind == "receivers":
            self.input(param, size=IOSpec.ANY_SIZE)
            return
        super().param(param, default_value, kind=kind)

    def multi_port_condition(
        self, kind: ConditionType, port_names: Iterable[str], **kwargs: Any
    ) -> None:
        """One condition for several ports, in place of theirs."""
        self._multi.append((kind, list(port_names), kwargs))

    def or_combine_port_conditions(self, port_names: Iterable[str]) -> None:
        """Lets the operator run when one of these ports would let it."""
        self._either.append(tuple(port_names))


class Component:
    """What has a name and belongs to a fragment."""

    #: Type of the component in the engine; empty for those that live in Python.
    gxf_typename = ""

    def __init__(self, fragment: Any = None, *args: Any, name: str = "", **kwargs: Any) -> None:
        self.fragment = fragment._fragment if isinstance(fragment, Subgraph) else fragment
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
        self._operator: Operator | None = None
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
        from .. import GxfError

        try:
            return _Queue(self._bridge.component(kind, name))
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


class _Queue:
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


class MetadataDictionary(dict):
    """Metadata that travels with messages."""

    def __init__(self, *args: Any, policy: MetadataPolicy = MetadataPolicy.RAISE) -> None:
        super().__init__(*args)
        self.policy = policy

    def set(self, key: str, value: Any) -> None:
        """Sets a value, whatever the policy."""
        self[key] = value

    def has_key(self, key: str) -> bool:
        """Whether there is a value."""
        return key in self

    def erase(self, key: str) -> None:
        """Removes a value."""
        self.pop(key, None)

    def size(self) -> int:
        """Number of values."""
        return len(self)

    def merge(self, other: dict, policy: MetadataPolicy | None = None) -> None:
        """Adds the values of another message by the policy."""
        policy = policy or self.policy
        for key, value in other.items():
            if key not in self or policy in (MetadataPolicy.UPDATE, MetadataPolicy.INPLACE_UPDATE):
                self[key] = value
            elif policy is MetadataPolicy.RAISE:
                raise RuntimeError(f"Key '{key}' already exists. The metadata policy is set to RAISE.")


class FragmentService:
    """Something that all operators of a fragment can ask for."""

    def resource(self, new_resource: Any = None) -> Any:
        """The resource that the service hands out."""
        if new_resource is not None:
            self._service_resource = new_resource
        return getattr(self, "_service_resource", None)


class DefaultFragmentService(FragmentService):
    """A service around a resource, or a base of services without one."""

    def __init__(self, resource: Any = None) -> None:
        self._service_resource = resource

    @property
    def resource(self) -> Any:
        """The resource that the service hands out."""
        return self._service_resource

    @resource.setter
    def resource(self, resource: Any) -> None:
        self._service_resource = resource


class FlowInfo:
    """A flow from an output of one operator to an input of another."""

    def __init__(self, source: Operator, output: str, target: Operator, input: str) -> None:
        self.curr_operator = source
        self.output_port_name = output
        self.next_operator = target
        self.input_port_name = input

    @property
    def output_port_spec(self) -> IOSpec | None:
        """The port that sends."""
        return self.curr_operator.spec.outputs.get(self.output_port_name)

    @property
    def input_port_spec(self) -> IOSpec | None:
        """The port that receives."""
        return self.next_operator.spec.inputs.get(self.input_port_name)

    @property
    def _is_exec(self) -> bool:
        return self.output_port_name == Operator.OUTPUT_EXEC_PORT_NAME

    def __repr__(self) -> str:
        source, target = self.curr_operator.name, self.next_operator.name
        return f"<FlowInfo {source}.{self.output_port_name} -> {target}.{self.input_port_name}>"


class Operator(Component):
    """A step of an application: override `setup` and `compute`, and `initialize`, `start` and `stop`
    where needed."""

    INPUT_EXEC_PORT_NAME = "__input_exec__"
    OUTPUT_EXEC_PORT_NAME = "__output_exec__"

    class OperatorType(enum.Enum):
        """Where an operator is implemented."""

        NATIVE = 0
        GXF = 1
        VIRTUAL = 2

    def __init__(self, fragment: Any, *args: Any, **kwargs: Any) -> None:
        owner = fragment
        self.fragment = owner._fragment if isinstance(owner, Subgraph) else owner
        self.name = owner._member_name(kwargs.pop("name", "") or "unnamed_operator", self)
        self.conditions: dict[str, Condition] = {}
        self.resources: dict[str, Resource] = {}
        self.args = []
        self._metadata_policy: MetadataPolicy | None = None
        self._executor: _Executor | None = None
        self._async_condition: Any = None
        self._flows: list[FlowInfo] = []
        self._sources: list[FlowInfo] = []
        self._dynamic: Callable[[Operator], Any] | None = None
        self._chosen: list[FlowInfo] = []
        self._status = OperatorStatus.NOT_STARTED
        self._outside_metadata = MetadataDictionary()
        for arg in args:
            for item in arg if isinstance(arg, ArgList) else (arg,):
                if isinstance(item, Condition):
                    self._add(self.conditions, item, "condition")
                elif isinstance(item, Resource):
                    self._add(self.resources, item, "resource")
                elif isinstance(item, Arg):
                    kwargs[item.name] = item.value
                elif isinstance(item, dict):
                    kwargs.update(item)
                else:
                    raise TypeError(
                        f"an argument of the operator `{self.name}` is a {type(item).__name__}, "
                        "neither a condition nor a resource nor an Arg"
                    )
        self.spec = OperatorSpec(self.fragment)
        self.setup(self.spec)
        for key, value in kwargs.items():
            if isinstance(value, Condition) and key not in self.spec.params:
                value.name = value.name or key
                self._add(self.conditions, value, key)
            elif isinstance(value, Resource) and key not in self.spec.params:
                value.name = value.name or key
                self._add(self.resources, value, key)
        for key, value in self.spec.params.items():
            if key in kwargs or not hasattr(self, key):
                setattr(self, key, kwargs.get(key, value))
        from .resources import CudaStreamPool

        pool = CudaStreamPool(self.fragment, name=f"{self.name}_stream_pool")
        if not any(isinstance(known, CudaStreamPool) for known in self.resources.values()):
            self.resources[pool.name] = pool

    def _add(self, known: dict[str, Any], item: Any, what: str) -> None:
        if not item.name:
            item.name = f"unnamed_{what}"
        name, number = item.name, 1
        while name in known:
            number += 1
            name = f"{item.name}_{number}"
        item.name = name
        if isinstance(item, Condition):
            item._operator = self
        known[name] = item

    # What subclasses override

    def setup(self, spec: OperatorSpec) -> None:
        """Declares ports and parameters."""

    def initialize(self) -> None:
        """Called once, before the graph runs."""

    def start(self) -> None:
        """Called before the first `compute`."""

    def compute(self, op_input: InputContext, op_output: OutputContext, context: Any) -> None:
        """Called whenever the conditions allow."""

    def stop(self) -> None:
        """Called after the last `compute`."""

    # What they use

    def add_arg(self, arg: Any) -> None:
        """Adds a condition, a resource or a parameter."""
        if isinstance(arg, Condition):
            self._add(self.conditions, arg, "condition")
        elif isinstance(arg, Resource):
            self._add(self.resources, arg, "resource")
        elif isinstance(arg, Arg):
            setattr(self, arg.name, arg.value)

    def condition(self, name: str) -> Condition | None:
        """A condition by name."""
        return self.conditions.get(name)

    def resource(self, name: str) -> Resource | None:
        """A resource by name."""
        return self.resources.get(name)

    @property
    def metadata(self) -> MetadataDictionary:
        """What came with the messages of this execution, and goes with those that are sent."""
        return self._executor.metadata if self._executor else self._outside_metadata

    @property
    def metadata_policy(self) -> MetadataPolicy:
        """What happens when several messages have the same key."""
        if self._metadata_policy is not None:
            return self._metadata_policy
        return MetadataPolicy.UPDATE if self._is_in_loop() else MetadataPolicy.RAISE

    @metadata_policy.setter
    def metadata_policy(self, policy: MetadataPolicy) -> None:
        self._metadata_policy = policy

    @property
    def is_metadata_enabled(self) -> bool:
        """Whether metadata travels with messages."""
        return self.fragment.is_metadata_enabled

    @property
    def async_condition(self) -> Any:
        """The condition that other threads control."""
        if self._async_condition is None:
            from .conditions import AsynchronousCondition

            self._async_condition = AsynchronousCondition(self.fragment, name="__async_condition")
        return self._async_condition

    def stop_execution(self) -> None:
        """Ends the operator: it does not run again."""
        from .conditions import AsynchronousEventState

        self.async_condition.event_state = AsynchronousEventState.EVENT_NEVER

    def queue_policy(
        self, port_name: str, port_type: Any = IOSpec.IOType.INPUT, policy: Any = None
    ) -> None:
        """Chooses what a full queue of a port does."""
        ports = self.spec.inputs if port_type is IOSpec.IOType.INPUT else self.spec.outputs
        if port_name not in ports:
            raise RuntimeError(f"the operator `{self.name}` has no port `{port_name}`")
        ports[port_name].queue_policy = policy

    def service(self, kind: type, id: str = "") -> Any:
        """A service of the fragment."""
        return self.fragment.service(kind, id)

    def receiver(self, port_name: str) -> Any:
        """The queue of an input; `None` before the application runs."""
        found = self._executor and self._executor.receivers.get(port_name)
        return _Queue(found[0]) if found else None

    def transmitter(self, port_name: str) -> Any:
        """The queue of an output; `None` before the application runs."""
        found = self._executor and self._executor.transmitters.get(port_name)
        return _Queue(found) if found else None

    def get_data_flow_tracking_label(self, port_name: str) -> MessageLabel:
        """The paths that the latest message of an input took."""
        if self._executor is None or port_name not in self._executor.labels:
            raise RuntimeError(f"no tracked message arrived at `{port_name}`; see Tracker")
        return self._executor.labels[port_name]

    # Flows

    @property
    def next_flows(self) -> list[FlowInfo]:
        """The flows that leave the operator."""
        return list(self._flows)

    def find_flow_info(self, predicate: Callable[[FlowInfo], bool]) -> FlowInfo | None:
        """The first flow that leaves the operator and fits."""
        return next(filter(predicate, self._flows), None)

    def find_all_flow_info(self, predicate: Callable[[FlowInfo], bool]) -> list[FlowInfo]:
        """The flows that leave the operator and fit."""
        return list(filter(predicate, self._flows))

    def add_dynamic_flow(self, *args: Any) -> None:
        """Sends along a flow this time: a `FlowInfo`, several, or what describes one: an output, an
        operator and an input, of which only the operator is needed."""
        first = args[0] if args else None
        if isinstance(first, FlowInfo):
            self._chosen.append(first)
            return
        if isinstance(first, (list, tuple)):
            self._chosen.extend(first)
            return
        output = first if isinstance(first, str) else None
        rest = args[1:] if output is not None else args
        if not rest or not isinstance(rest[0], (Operator, Subgraph)):
            raise TypeError("add_dynamic_flow takes a flow, or an operator, with ports if needed")
        target = rest[0]
        input = rest[1] if len(rest) > 1 else None
        found = [
            flow
            for flow in self._flows
            if flow.next_operator is target
            and output in (None, flow.output_port_name)
            and input in (None, flow.input_port_name)
        ]
        if not found:
            raise RuntimeError(f"there is no flow from `{self.name}` to `{target.name}`")
        self._chosen.append(found[0])

    def _is_in_loop(self) -> bool:
        seen: set[int] = set()
        waiting = [flow.next_operator for flow in self._flows]
        while waiting:
            operator = waiting.pop()
            if operator is self:
                return True
            if id(operator) not in seen:
                seen.add(id(operator))
                waiting.extend(flow.next_operator for flow in operator._flows)
        return False


class MessageLabel:
    """The paths that a message took, with times."""

    def __init__(self, paths: list[list[tuple[str, int, int]]] | None = None) -> None:
        #: Of each path, the operators with the times of receiving and of sending in nanoseconds.
        self._paths = paths or []

    def num_paths(self) -> int:
        """Number of paths."""
        return len(self._paths)

    def get_path_name(self, index: int) -> str:
        """Names of the operators of a path."""
        return ",".join(name for name, _, _ in self._paths[index])

    def get_e2e_latency(self, index: int) -> int:
        """Time from the first operator to the latest one in nanoseconds."""
        path = self._paths[index]
        return max(path[-1][1], path[-1][2]) - path[0][1]

    def get_e2e_latency_ms(self, index: int) -> float:
        """Time from the first operator to the latest one in milliseconds."""
        return self.get_e2e_latency(index) / 1e6

    def to_string(self) -> str:
        """The paths, one a line."""
        steps = ("->".join(f"({n},{r},{p})" for n, r, p in path) for path in self._paths)
        return "\n".join(steps)

    __str__ = to_string

    def _received(self, name: str, now: int) -> MessageLabel:
        return MessageLabel([[*path, (name, now, -1)] for path in self._paths])

    def _sent(self, now: int) -> MessageLabel:
        return MessageLabel([[*path[:-1], (path[-1][0], path[-1][1], now)] for path in self._paths])


_METADATA = "holoscan_metadata"
_LABEL = "holoscan_label"
_NOTHING = object()


class InputContext:
    """What an operator receives with."""

    def __init__(self, executor: _Executor) -> None:
        self._executor = executor

    def receive(self, name: str = "", kind: str = "", **_unused: Any) -> Any:
        """The value of the next message; `None` without one. For a port of several messages, a tuple of
        values."""
        executor = self._executor
        inputs = executor.operator.spec.inputs
        if not name and len(inputs) == 1:
            name = next(iter(inputs))
        if name not in inputs:
            known = ", ".join(inputs) or "none"
            raise RuntimeError(
                f"the operator `{executor.operator.name}` has no input `{name}`; its inputs: {known}"
            )
        receivers = executor.receivers.get(name, ())
        size = inputs[name].queue_size
        if size == IOSpec.ANY_SIZE or kind == "multi":
            found = (executor.take(name, receiver) for receiver in receivers)
            return tuple(value for value in found if value is not _NOTHING)
        if size > 1:
            values = []
            while len(values) < size:
                value = executor.take(name, receivers[0]) if receivers else _NOTHING
                if value is _NOTHING:
                    break
                values.append(value)
            return tuple(values)
        value = executor.take(name, receivers[0]) if receivers else _NOTHING
        return None if value is _NOTHING else value

    def get_acquisition_timestamp(self, name: str = "") -> int | None:
        """Acquisition time of the latest message of a port; `None` without one."""
        times = self.get_acquisition_timestamps(name)
        return times[-1] if times else None

    def get_acquisition_timestamps(self, name: str = "") -> list[int | None]:
        """Acquisition times of the messages that a port received in this execution."""
        inputs = self._executor.operator.spec.inputs
        if not name and len(inputs) == 1:
            name = next(iter(inputs))
        return list(self._executor.times.get(name, ()))

    def empty(self, name: str = "") -> bool:
        """Whether a port has no messages."""
        return not any(len(receiver) for receiver in self._executor.receivers.get(name, ()))

    def receive_cuda_stream(self, name: str = "", *_args: Any, **_kwargs: Any) -> int:
        """The stream of a message: 0, the default one, because this needs no GPU."""
        return 0


class OutputContext:
    """What an operator sends with."""

    def __init__(self, executor: _Executor) -> None:
        self._executor = executor

    def emit(
        self,
        data: Any,
        name: str = "",
        emitter_name: str = "",
        acq_timestamp: int = -1,
        **_unused: Any,
    ) -> None:
        """Sends a value; a dictionary of arrays as tensors."""
        executor = self._executor
        outputs = executor.operator.spec.outputs
        if not name and len(outputs) == 1:
            name = next(iter(outputs))
        if name not in outputs:
            known = ", ".join(outputs) or "none"
            raise RuntimeError(
                f"the operator `{executor.operator.name}` has no output `{name}`; its outputs: {known}"
            )
        executor.emit(name, data, None if acq_timestamp < 0 else acq_timestamp)

    def set_cuda_stream(self, *_args: Any, **_kwargs: Any) -> None:
        """Names the stream of a message: nothing to do without a GPU."""


class ExecutionContext:
    """An operator's view of the application that runs it."""

    def __init__(self, executor: _Executor) -> None:
        self._executor = executor
        self.input = InputContext(executor)
        self.output = OutputContext(executor)

    def get_operator_status(self, operator_name: str = "") -> OperatorStatus:
        """What an operator is doing."""
        fragment = self._executor.operator.fragment
        return fragment._operator_status(operator_name or self._executor.operator.name)

    def find_operator(self, name: str = "") -> Operator | None:
        """An operator by name."""
        fragment = self._executor.operator.fragment
        return fragment._operators.get(name or self._executor.operator.name)

    def is_gpu_available(self) -> bool:
        """Whether there is a GPU."""
        return False


class _Executor:
    """The codelet of an operator."""

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.metadata = MetadataDictionary()
        self.receivers: dict[str, tuple[Any, ...]] = {}
        self.transmitters: dict[str, Any] = {}
        self.edges: dict[int, Any] = {}
        self.exec_input: Any = None
        self.exec_count = 1
        self.labels: dict[str, MessageLabel] = {}
        self.times: dict[str, list[int | None]] = {}
        self.pending: list[tuple[str, Any, int | None]] = []
        self.execution = ExecutionContext(self)
        self.fragment = operator.fragment
        self.logs = operator.fragment._data_loggers
        operator._executor = self

    def set_bridge(self, context: Any) -> None:
        self.context = context
        names = self.operator._queue_names
        for port, queues in names.inputs.items():
            self.receivers[port] = tuple(context.component("Receiver", name) for name in queues)
        for port, queue in names.outputs.items():
            self.transmitters[port] = context.component("Transmitter", queue)
        for flow, queue in names.edges:
            self.edges[id(flow)] = context.component("Transmitter", queue)
        if names.exec_input:
            self.exec_input = context.component("Receiver", names.exec_input)
            self.exec_count = names.exec_count

    def start(self) -> None:
        self.operator._status = OperatorStatus.STARTED
        self.operator.start()
        self.operator._status = OperatorStatus.IDLE

    def stop(self) -> None:
        self.operator.stop()
        self.operator._status = OperatorStatus.IDLE

    def tick(self) -> None:
        operator = self.operator
        operator._status = OperatorStatus.TICKING
        self.metadata = MetadataDictionary(policy=operator.metadata_policy)
        self.labels = {}
        self.times = {}
        if self.exec_input is not None:
            for _ in range(self.exec_count):
                self.take(Operator.INPUT_EXEC_PORT_NAME, self.exec_input)
        try:
            operator.compute(self.execution.input, self.execution.output, self.execution)
            self._send_pending()
        finally:
            self.pending.clear()
            operator._status = OperatorStatus.IDLE
        if self.fragment._tracker is not None:
            self.fragment._tracker._ended(operator, self.labels)

    def take(self, port: str, receiver: Any) -> Any:
        message = receiver.receive_message()
        if message is None:
            return _NOTHING
        value: Any = _NOTHING
        tensors: dict[str, Tensor] | None = None
        for name, kind, _ in message.payloads():
            if kind == "nvidia::gxf::PyData":
                if name == _METADATA:
                    if self.fragment.is_metadata_enabled:
                        self.metadata.merge(message.object(name))
                elif name == _LABEL:
                    label = message.object(name)._received(self.operator.name, self._now())
                    known = self.labels.get(port)
                    self.labels[port] = MessageLabel((known._paths if known else []) + label._paths)
                else:
                    value = message.object(name)
            elif kind == "nvidia::gxf::Tensor" and tensors is None:
                tensors = message.tensors()
        self.times.setdefault(port, []).append(message.acqtime)
        if value is _NOTHING:
            value = tensors if tensors is not None else message.value
        for log in self.logs if port != Operator.INPUT_EXEC_PORT_NAME else ():
            log._log(f"{self.operator.name}.{port}", value, self.metadata, True)
        return value

    def emit(self, port: str, value: Any, acqtime: int | None) -> None:
        for log in self.logs:
            log._log(f"{self.operator.name}.{port}", value, self.metadata, False)
        if self.operator._dynamic is not None:
            # The callback chooses the flows when everything is computed.
            self.pending.append((port, value, acqtime))
            return
        queue = self.transmitters.get(port)
        if queue is not None:
            self._publish(queue, value, acqtime)

    def _send_pending(self) -> None:
        operator = self.operator
        if operator._dynamic is None:
            queue = self.transmitters.get(Operator.OUTPUT_EXEC_PORT_NAME)
            if queue is not None:
                self._publish(queue, _NOTHING, None)
            return
        operator._chosen = []
        operator._dynamic(operator)
        for flow in operator._chosen:
            queue = self.edges.get(id(flow))
            if queue is None:
                raise RuntimeError(f"{flow} is no flow of `{operator.name}`")
            if flow._is_exec:
                self._publish(queue, _NOTHING, None)
                continue
            for port, value, acqtime in self.pending:
                if port == flow.output_port_name:
                    self._publish(queue, value, acqtime)

    def _publish(self, queue: Any, value: Any, acqtime: int | None) -> None:
        message = queue.new_message()
        if isinstance(value, dict) and value and all(map(_is_array, value.values())):
            for name, array in value.items():
                message.add_tensor(array, name)
        elif isinstance(value, _gxe.Message):
            message = value
        elif value is not _NOTHING:
            message.add_object(value)
        if self.metadata and self.fragment.is_metadata_enabled:
            message.add_object(dict(self.metadata), _METADATA)
        if self.fragment._tracker is not None:
            message.add_object(self._label(), _LABEL)
        queue.publish(message, self.context.now if acqtime is None else acqtime)

    def _label(self) -> MessageLabel:
        now = self._now()
        paths = _distinct(self.labels)
        if not paths:
            return MessageLabel([[(self.operator.name, self.context.now, now)]])
        return MessageLabel(paths)._sent(now)

    def _now(self) -> int:
        return self.fragment._time()


def _distinct(labels: dict[str, MessageLabel]) -> list[list[tuple[str, int, int]]]:
    """The paths of several messages, each once."""
    found: dict[tuple[str, ...], list[tuple[str, int, int]]] = {}
    for label in labels.values():
        for path in label._paths:
            found[tuple(name for name, _, _ in path)] = path
    return list(found.values())


def _is_array(value: Any) -> bool:
    return hasattr(value, "__dlpack__") or hasattr(value, "__array_interface__")


class _QueueNames:
    """Names of the queues of an operator's entity."""

    def __init__(self) -> None:
        self.inputs: dict[str, list[str]] = {}
        self.outputs: dict[str, str] = {}
        self.edges: list[tuple[FlowInfo, str]] = []
        self.exec_input = ""
        self.exec_count = 1


class ThreadPool:
    """Threads of their own for some operators."""

    def __init__(self, fragment: Fragment, name: str, initial_size: int = 1) -> None:
        self.fragment = fragment
        self.name = name
        self.initial_size = initial_size
        self._members: list[tuple[Operator, bool]] = []

    def add(self, ops: Operator | Iterable[Operator], pin_operator: bool = True, **_pins: Any) -> None:
        """Executes operators on the threads; pinned ones on a thread each."""
        for operator in (ops,) if isinstance(ops, Operator) else ops:
            self._members.append((operator, pin_operator))

    @property
    def operators(self) -> list[Operator]:
        """The operators."""
        return [operator for operator, _ in self._members]


class Scheduler(Component):
    """Base of schedulers."""

    @property
    def clock(self) -> Any:
        """The clock that the application runs by."""
        return self.fragment._clock


class FlowGraph:
    """The operators of a fragment."""

    def __init__(self, fragment: Fragment) -> None:
        self._fragment = fragment

    def get_nodes(self) -> list[Operator]:
        """All operators."""
        return [op for op in self._fragment._operators.values() if op.name != _START]

    def get_root_nodes(self) -> list[Operator]:
        """The operators without predecessors."""
        return [op for op in self.get_nodes() if not op._sources]

    def get_next_nodes(self, operator: Operator) -> list[Operator]:
        """The operators behind one."""
        return [flow.next_operator for flow in operator._flows]

    def find_node(self, name: str) -> Operator | None:
        """An operator by name."""
        return self._fragment._operators.get(name)

    def port_map_description(self) -> str:
        """Operators, ports and flows in YAML."""
        lines = []
        for operator in self.get_nodes():
            lines.append(f"{operator.name}:")
            for title, ports in (("inputs", operator.spec.inputs), ("outputs", operator.spec.outputs)):
                names = ", ".join(ports)
                lines.append(f"  {title}: [{names}]")
            lines.append("  flows:" if operator._flows else "  flows: []")
            for flow in operator._flows:
                end = f"{flow.next_operator.name}.{flow.input_port_name}"
                lines.append(f"  - {flow.output_port_name} -> {end}")
        return "\n".join(lines) + "\n"


_START = "<|start|>"


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
        """A mapping of the configuration."""
        return self._fragment._kwargs(key)

    def from_config(self, key: str) -> Any:
        """A value of the configuration; `a.b` is a value within a mapping."""
        value: Any = self._fragment._configuration()
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value

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
        self._fragment = fragment._fragment
        self.fragment = self._fragment
        self.name = fragment._subgraph_name(name)
        self._inputs: dict[str, tuple[Any, str]] = {}
        self._outputs: dict[str, tuple[Any, str]] = {}
        self.compose()

    def compose(self) -> None:
        """Creates the operators, flows and interface ports."""

    def _subgraph_name(self, name: str) -> str:
        return f"{self.name}_{name}"

    def _member_name(self, name: str, operator: Operator) -> str:
        return self._fragment._member_name(f"{self.name}_{name}", operator)

    def add_input_interface_port(self, name: str, operator: Any, port: str) -> None:
        """Makes an input of an operator one of the subgraph."""
        self._inputs[name] = (operator, port)

    def add_output_interface_port(self, name: str, operator: Any, port: str) -> None:
        """Makes an output of an operator one of the subgraph."""
        self._outputs[name] = (operator, port)

    def add_interface_port(self, name: str, operator: Any, port: str, is_input: bool = True) -> None:
        """Makes a port of an operator one of the subgraph."""
        (self._inputs if is_input else self._outputs)[name] = (operator, port)

    def add_input_exec_interface_port(self, name: str, operator: Any) -> None:
        """Lets flows into the subgraph run an operator."""
        self._inputs[name] = (operator, Operator.INPUT_EXEC_PORT_NAME)

    def add_output_exec_interface_port(self, name: str, operator: Any) -> None:
        """Lets an operator run what follows the subgraph."""
        self._outputs[name] = (operator, Operator.OUTPUT_EXEC_PORT_NAME)

    def _end(self, name: str | None, is_input: bool) -> tuple[Operator, str]:
        ports = self._inputs if is_input else self._outputs
        if name is None:
            if len(ports) != 1:
                known = ", ".join(ports) or "none"
                raise RuntimeError(f"say which port of the subgraph `{self.name}`: {known}")
            name = next(iter(ports))
        if name not in ports:
            known = ", ".join(ports) or "none"
            raise RuntimeError(f"the subgraph `{self.name}` has no port `{name}`; its ports: {known}")
        member, port = ports[name]
        return member._end(port, is_input) if isinstance(member, Subgraph) else (member, port)


class Fragment(_Members):
    """A graph of operators."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._fragment = self
        self.name = kwargs.get("name", "")
        self.application = self
        self.graph = FlowGraph(self)
        self._operators: dict[str, Operator] = {}
        self._names: set[str] = set()
        self._pools: list[ThreadPool] = []
        self._services: dict[tuple[type, str], Any] = {}
        self._scheduler: Any = None
        self._configured: dict[str, Any] | None = None
        self._config_file = ""
        self._clock: Any = None
        self._composed = False
        self._data_loggers: list[Any] = []
        self._tracker: Tracker | None = None
        self._graph: graphs.Graph | None = None
        self._engine_clock: Any = None
        self.is_metadata_enabled = True

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
        self._operators.setdefault(operator.name, operator)

    def _start_op(self) -> Operator:
        found = self._operators.get(_START)
        if found is None:
            from .conditions import CountCondition

            found = Operator(self, CountCondition(self, 1), name=_START)
            self._enter(found)
        return found

    # Flows

    def _add_flow(self, source: Any, target: Any, args: tuple, kwargs: dict[str, Any]) -> None:
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
            ends = [(self._end(source, out, False), self._end(target, into, True)) for out, into in pairs]
        for (sender, output), (receiver, input) in ends:
            self._enter(sender)
            self._enter(receiver)
            flow = FlowInfo(sender, output, receiver, input)
            sender._flows.append(flow)
            receiver._sources.append(flow)
            if connector is not IOSpec.ConnectorType.DEFAULT:
                for port in (flow.output_port_spec, flow.input_port_spec):
                    if port is not None:
                        port.connector(connector)

    def _end(self, node: Any, name: str, is_input: bool) -> tuple[Operator, str]:
        if isinstance(node, Subgraph):
            return node._end(name, is_input)
        ports = node.spec.inputs if is_input else node.spec.outputs
        special = Operator.INPUT_EXEC_PORT_NAME if is_input else Operator.OUTPUT_EXEC_PORT_NAME
        if name not in ports and name != special:
            what = "input" if is_input else "output"
            known = ", ".join(ports) or "none"
            raise RuntimeError(f"the operator `{node.name}` has no {what} `{name}`; it has {known}")
        return node, name

    def _only_ends(self, source: Any, target: Any) -> tuple[tuple[Operator, str], tuple[Operator, str]]:
        """The ends of a flow without ports: data if each side has one port, else only the order."""
        if isinstance(source, Subgraph):
            sender, output = source._end(None, False)
        else:
            sender = source
            outputs = list(source.spec.outputs)
            output = outputs[0] if len(outputs) == 1 else ""
        if isinstance(target, Subgraph):
            receiver, input = target._end(None, True)
        else:
            receiver = target
            inputs = list(target.spec.inputs)
            input = inputs[0] if len(inputs) == 1 else ""
        into, out = Operator.INPUT_EXEC_PORT_NAME, Operator.OUTPUT_EXEC_PORT_NAME
        if input == into or output == out:
            return (sender, out), (receiver, into)
        for node, name, ports in ((sender, output, sender.spec.outputs), (receiver, input, receiver.spec.inputs)):
            other = receiver.spec.inputs if node is sender else sender.spec.outputs
            if not name and len(ports) > 1 and other:
                known = ", ".join(ports)
                raise RuntimeError(f"say which port of `{node.name}` to connect: {known}")
        if output and input:
            return (sender, output), (receiver, input)
        return (sender, out), (receiver, into)

    # Configuration

    def config(self, config_file: str | os.PathLike | None = None, prefix: str = "") -> Any:
        """Names the configuration file, in YAML."""
        if config_file is None:
            return self._configuration()
        path = os.fspath(config_file)
        if not os.path.isfile(path):
            raise RuntimeError(f"Config file '{path}' doesn't exist")
        self._config_file = path
        self._configured = None
        return None

    def config_keys(self) -> set[str]:
        """The keys of the configuration."""
        return set(self._configuration())

    def _configuration(self) -> dict[str, Any]:
        if self._configured is None:
            text = ""
            path = os.environ.get("HOLOSCAN_CONFIG_PATH") or self._config_file
            if path:
                with open(path, encoding="utf-8") as file:
                    text = file.read()
            found = _gxe.parse_yaml(text) if text.strip() else {}
            self._configured = found if isinstance(found, dict) else {}
        return self._configured

    def _kwargs(self, key: str) -> dict[str, Any]:
        found = self._configuration().get(key)
        return dict(found) if isinstance(found, dict) else {}

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
        return None

    # Further parts

    def scheduler(self, scheduler: Any = None) -> Any:
        """The scheduler; with an argument, chooses it."""
        if scheduler is not None:
            scheduler.fragment = self
            self._scheduler = scheduler
        elif self._scheduler is None:
            from .schedulers import GreedyScheduler

            self._scheduler = GreedyScheduler(self, name="greedy-scheduler")
        return self._scheduler

    def enable_metadata(self, enable: bool) -> None:
        """Lets metadata travel with messages, or not."""
        self.is_metadata_enabled = enable

    def add_data_logger(self, logger: Any) -> None:
        """Logs what the operators exchange."""
        self._data_loggers.append(logger)

    def track(self, *args: Any, **kwargs: Any) -> DataFlowTracker:
        """Tracks the paths of messages."""
        self._tracker = Tracker(self, *args, **kwargs)
        return self._tracker

    def stop_execution(self, op_name: str = "") -> None:
        """Ends an operator, or all."""
        operators = [self._operators[op_name]] if op_name else self._operators.values()
        for operator in operators:
            operator.stop_execution()

    def compose_graph(self) -> None:
        """Calls `compose` once."""
        if not self._composed:
            self._composed = True
            self.compose()

    def run(self) -> None:
        """Runs the application to its end."""
        self._prepare().run()
        self._ended()

    def run_async(self) -> Any:
        """Runs the application on another thread; returns a `concurrent.futures.Future`."""
        from concurrent.futures import Future

        future: Any = Future()

        def work() -> None:
            try:
                self.run()
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(None)

        threading.Thread(target=work, name="holoscan run_async", daemon=True).start()
        return future

    def _ended(self) -> None:
        if self._tracker is not None:
            self._tracker._finish()

    def _time(self) -> int:
        return self._engine_clock.timestamp() if self._engine_clock is not None else 0

    def _operator_status(self, name: str) -> OperatorStatus:
        operator = self._operators.get(name)
        if operator is None:
            raise RuntimeError(f"there is no operator `{name}`")
        return operator._status

    def _prepare(self) -> graphs.Graph:
        from ._build import build

        self.compose_graph()
        graph = build(self)
        graph.activate()
        for operator in self._operators.values():
            operator.initialize()
        return graph


class CLIOptions:
    """Options of the command line."""

    def __init__(self) -> None:
        self.config_path = ""


class Application(Fragment):
    """A program of operators."""

    def __init__(self, argv: list[str] | None = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.argv = list(argv) if argv else [sys.executable, *sys.argv]
        self.options = CLIOptions()
        self.description = ""
        self.version = ""
        found = re.match(r"--config=(.+)", next((a for a in self.argv if a.startswith("--config=")), ""))
        if found:
            self.options.config_path = found.group(1)
        elif "--config" in self.argv[:-1]:
            self.options.config_path = self.argv[self.argv.index("--config") + 1]

    def config(self, config_file: str | os.PathLike | None = None, prefix: str = "") -> Any:
        """Names the configuration file; `--config` on the command line wins."""
        if config_file is not None and self.options.config_path:
            config_file = self.options.config_path
        return super().config(config_file, prefix)

    def add_fragment(self, fragment: Fragment) -> None:
        """Several fragments in one application run on several hosts."""
        raise NotImplementedError("applications of several fragments are distributed; gxe has no such yet")


class DataFlowMetric(enum.Enum):
    """What the tracker measures."""

    MAX_MESSAGE_ID = 0
    MIN_MESSAGE_ID = 1
    MAX_E2E_LATENCY = 2
    AVG_E2E_LATENCY = 3
    MIN_E2E_LATENCY = 4
    NUM_SRC_MESSAGES = 5
    NUM_DST_MESSAGES = 6


class Tracker:
    """Measures how long messages take along each path, from roots to leaves. A context manager around
    `run`."""

    def __init__(
        self,
        app: Fragment,
        *,
        filename: str = "",
        num_buffered_messages: int = 100,
        num_start_messages_to_skip: int = 10,
        num_last_messages_to_discard: int = 10,
        latency_threshold: int = 0,
        is_limited_tracking: bool = False,
    ) -> None:
        self._app = app
        self._filename = filename
        self._skip = num_start_messages_to_skip
        self._discard = num_last_messages_to_discard
        self._threshold = latency_threshold
        self._lock = threading.Lock()
        self._latencies: dict[str, list[int]] = {}
        self._lines: list[str] = []
        self._sent: dict[str, int] = {}
        self._probes: set[str] = set()

    def __enter__(self) -> Tracker:
        self._app._tracker = self
        return self

    def __exit__(self, *exception: object) -> None:
        self._app._tracker = None
        self._finish()

    def add_probe_operator(self, name: str) -> None:
        """Measures the paths up to an operator, too."""
        self._probes.add(name)

    def _ended(self, operator: Operator, labels: dict[str, MessageLabel]) -> None:
        with self._lock:
            if not operator._sources:
                self._sent[operator.name] = self._sent.get(operator.name, 0) + 1
            if operator._flows and operator.name not in self._probes:
                return
            label = MessageLabel(_distinct(labels))
            for index in range(label.num_paths()):
                latency = label.get_e2e_latency(index)
                if latency >= self._threshold:
                    self._latencies.setdefault(label.get_path_name(index), []).append(latency)
            if self._filename and label.num_paths():
                self._lines.append(label.to_string())

    def _finish(self) -> None:
        if self._filename:
            with self._lock, open(self._filename, "w", encoding="utf-8") as file:
                file.writelines(f"{number}:\n{line}\n" for number, line in enumerate(self._lines, 1))

    end_logging = _finish

    def _counted(self, path: str) -> list[int]:
        found = self._latencies.get(path, [])
        return found[self._skip : len(found) - self._discard] if self._discard else found[self._skip :]

    def get_path_strings(self) -> list[str]:
        """The paths."""
        return list(self._latencies)

    def get_num_paths(self) -> int:
        """Number of paths."""
        return len(self._latencies)

    def get_metric(self, path: Any = None, metric: Any = None) -> Any:
        """A measurement of a path; without arguments, the messages that each root sent."""
        if path is None or isinstance(path, DataFlowMetric):
            return dict(self._sent)
        found = self._counted(path)
        values: dict[DataFlowMetric, Callable[[], float]] = {
            DataFlowMetric.MAX_E2E_LATENCY: lambda: max(found) / 1e6,
            DataFlowMetric.MIN_E2E_LATENCY: lambda: min(found) / 1e6,
            DataFlowMetric.AVG_E2E_LATENCY: lambda: sum(found) / len(found) / 1e6,
            DataFlowMetric.NUM_DST_MESSAGES: lambda: len(found),
            DataFlowMetric.MAX_MESSAGE_ID: lambda: found.index(max(found)) + 1 + self._skip,
            DataFlowMetric.MIN_MESSAGE_ID: lambda: found.index(min(found)) + 1 + self._skip,
        }
        if metric not in values:
            raise ValueError(f"{metric} is not a metric of a path")
        return values[metric]() if found else 0.0

    def print(self) -> None:
        """Prints the measurements."""
        print("Data Flow Tracking Results:")
        print(f"Total paths: {len(self._latencies)}\n")
        for number, path in enumerate(self._latencies, 1):
            print(f"Path {number}: {path}")
            found = self._counted(path)
            print(f"Number of messages: {len(found)}")
            if found:
                print(f"Min Latency Message No: {self.get_metric(path, DataFlowMetric.MIN_MESSAGE_ID)}")
                print(f"Min end-to-end Latency (ms): {min(found) / 1e6}")
                print(f"Avg end-to-end Latency (ms): {sum(found) / len(found) / 1e6}")
                print(f"Max Latency Message No: {self.get_metric(path, DataFlowMetric.MAX_MESSAGE_ID)}")
                print(f"Max end-to-end Latency (ms): {max(found) / 1e6}")
            print()
        print("Number of source messages [format: source operator->transmitter name: number of messages]:")
        for name, count in self._sent.items():
            outputs = self._app._operators[name].spec.outputs
            for output in outputs:
                print(f"{name}->{output}: {count}")
        print()


DataFlowTracker = Tracker
