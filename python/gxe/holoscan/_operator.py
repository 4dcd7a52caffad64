"""Operators and the flows between them."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from .. import _gxe
from ._component import Attribute, Component, Condition, Receiver, Resource, Transmitter, fragment_of
from ._metadata import MetadataDictionary
from ._spec import IOSpec, OperatorSpec
from ._tracking import MessageLabel
from ._types import Arg, ArgList, MetadataPolicy, OperatorStatus, kwargs_to_arglist
from .conditions import AsynchronousCondition, AsynchronousEventState
from .logger import LogLevel, message
from .resources import CudaStreamPool


#: Name of the operator that runs first, which `start_op` returns.
START = "<|start|>"


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

    spec: OperatorSpec
    INPUT_EXEC_PORT_NAME = "__input_exec__"
    OUTPUT_EXEC_PORT_NAME = "__output_exec__"

    class OperatorType(enum.Enum):
        """Where an operator is implemented."""

        NATIVE = 0
        GXF = 1
        VIRTUAL = 2

    def __init__(self, fragment: Any, *args: Any, **kwargs: Any) -> None:
        self.fragment = fragment_of(fragment, f"a {type(self).__name__}")
        self.name = fragment._member_name(kwargs.pop("name", "") or "unnamed_operator", self)
        self.conditions: dict[str, Condition] = {}
        self.resources: dict[str, Resource] = {}
        self._metadata: bool | None = None
        self._metadata_policy: MetadataPolicy | None = None
        self._executor: Any = None
        self._queue_names: Any = None
        self._async_condition: Any = None
        self._flows: list[FlowInfo] = []
        self._sources: list[FlowInfo] = []
        #: Whether inputs (true) and outputs (false) are linked to other fragments.
        self._linked = {True: False, False: False}
        self._dynamic: Callable[[Operator], Any] | None = None
        self._chosen: list[FlowInfo] = []
        self._status = OperatorStatus.NOT_STARTED
        self._outside_metadata = MetadataDictionary()
        #: Whether the graph of a run has it.
        self._is_built = False
        #: What `initialize` added for one run.
        self._of_run: list[Any] = []
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
        values = {key: value for key, value in kwargs.items() if not isinstance(value, (Condition, Resource))}
        self.args = kwargs_to_arglist(**values)
        self.spec = OperatorSpec(self.fragment)
        self.setup(self.spec)
        for key, value in kwargs.items():
            if isinstance(value, Condition) and key not in self.spec.params:
                value.name = value.name or key
                self._add(self.conditions, value, key)
            elif isinstance(value, Resource) and key not in self.spec.params:
                value.name = value.name or key
                self._add(self.resources, value, key)
        unknown = ", ".join(f"`{key}`" for key in values if key not in self.spec.params)
        if unknown:
            message(LogLevel.WARN, f"operator `{self.name}`: {unknown} of its arguments are no parameters in `setup`")
        for key, value in self.spec.params.items():
            if key in kwargs or not hasattr(self, key):
                setattr(self, key, kwargs.get(key, value))
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
        """Called once a run, before the graph is built: what it adds by `add_arg` is part of this run."""

    def start(self) -> None:
        """Called before the first `compute`."""

    def compute(self, op_input: Any, op_output: Any, context: Any) -> None:
        """Called whenever the conditions allow, with an `InputContext`, an `OutputContext` and an
        `ExecutionContext`."""

    def stop(self) -> None:
        """Called after the last `compute`."""

    # What they use

    def add_arg(self, *args: Any, **kwargs: Any) -> None:
        """Adds conditions, resources and parameters: each an `Arg`, several in an `ArgList`, or keywords."""
        parameters = []
        flat = [item for arg in args for item in (arg if isinstance(arg, ArgList) else (arg,))]
        for arg in (*flat, *kwargs_to_arglist(**kwargs)):
            is_named = isinstance(arg, Arg)
            item = arg.value if is_named and arg.name not in self.spec.params else arg
            if not isinstance(item, (Condition, Resource)):
                parameters.append(arg)
                continue
            if self._is_built:
                text = f"the operator `{self.name}` is part of a graph that runs, which has no further"
                raise RuntimeError(f"{text} {type(item).__name__}; add it in `initialize`, or before the run")
            if is_named:
                item.name = item.name or arg.name
            if isinstance(item, Condition):
                self._add(self.conditions, item, "condition")
            else:
                self._add(self.resources, item, "resource")
        super().add_arg(*parameters)

    def condition(self, name: str) -> Condition | None:
        """A condition by name."""
        return self.conditions.get(name)

    def resource(self, name: str) -> Resource | None:
        """A resource by name."""
        return self.resources.get(name)

    @Attribute
    def execution_context(self) -> Any:
        """What `compute` gets as its context; `None` before the graph is built."""
        return self._executor and self._executor.execution

    @Attribute
    def is_root(self) -> bool:
        """Whether no flow leads to the operator."""
        return self._is_root

    @Attribute
    def is_leaf(self) -> bool:
        """Whether no flow leaves the operator."""
        return self._is_leaf

    @property
    def operator_type(self) -> Operator.OperatorType:
        """Where it is implemented."""
        return Operator.OperatorType.GXF if self.gxf_typename else Operator.OperatorType.NATIVE

    @property
    def description(self) -> str:
        """Its parts, in YAML."""
        return _gxe.to_yaml(
            {
                "name": self.name,
                "type": type(self).__name__,
                "inputs": list(self.spec.inputs),
                "outputs": list(self.spec.outputs),
                "conditions": list(self.conditions),
                "resources": list(self.resources),
                "parameters": {key: str(getattr(self, key, None)) for key in self.spec.params},
            }
        )

    @property
    def metadata(self) -> MetadataDictionary:
        """What came with the messages of this execution, and goes with those that are sent."""
        return self._executor.metadata if self._executor else self._outside_metadata

    @property
    def metadata_policy(self) -> MetadataPolicy:
        """What happens when several messages have the same key."""
        if self._metadata_policy is not None:
            return self._metadata_policy
        if self.fragment.metadata_policy is not None:
            return self.fragment.metadata_policy
        return MetadataPolicy.UPDATE if self._is_in_loop() else MetadataPolicy.RAISE

    @metadata_policy.setter
    def metadata_policy(self, policy: MetadataPolicy) -> None:
        self._metadata_policy = policy

    @property
    def is_metadata_enabled(self) -> bool:
        """Whether metadata travels with messages."""
        return self.fragment.is_metadata_enabled if self._metadata is None else self._metadata

    def enable_metadata(self, enable: bool) -> None:
        """Lets metadata travel with the messages of this operator, or not."""
        self._metadata = enable

    @property
    def async_condition(self) -> Any:
        """The condition that other threads control."""
        if self._async_condition is None:
            self._async_condition = AsynchronousCondition(self.fragment, name="__async_condition")
        return self._async_condition

    def _all_conditions(self) -> list[Condition]:
        parameters = (getattr(self, key, None) for key in self.spec.params)
        known = (self.async_condition, *self.conditions.values(), *parameters)
        return [condition for condition in known if isinstance(condition, Condition)]

    def _initialize(self) -> None:
        """Calls `initialize` for the next run, without what it added for the one before."""
        for known in (self.conditions, self.resources):
            for name in [name for name, item in known.items() if any(item is old for old in self._of_run)]:
                del known[name]
        self.args[:] = [arg for arg in self.args if not any(arg is old for old in self._of_run)]
        self._executor = None
        before = self._parts()
        try:
            self.initialize()
        finally:
            self._of_run = [item for item in self._parts() if not any(item is known for known in before)]

    def _parts(self) -> list[Any]:
        return [*self.conditions.values(), *self.resources.values(), *self.args]

    def stop_execution(self) -> None:
        """Ends the operator: it does not run again."""
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
        return Receiver(found[0]) if found else None

    def transmitter(self, port_name: str) -> Any:
        """The queue of an output; `None` before the application runs."""
        found = self._executor and self._executor.transmitters.get(port_name)
        return Transmitter(found[0]) if found else None

    def get_data_flow_tracking_label(self, port_name: str) -> MessageLabel:
        """The paths that the latest messages of an input took; none before a message was received."""
        if self.fragment.data_flow_tracker() is None:
            raise RuntimeError(f"nothing tracks messages of the operator `{self.name}`; see Tracker")
        if port_name not in self.spec.inputs:
            known = ", ".join(self.spec.inputs) or "none"
            raise RuntimeError(f"the operator `{self.name}` has no input `{port_name}`; its inputs: {known}")
        return self._executor.labels.get(port_name, MessageLabel()) if self._executor else MessageLabel()

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
        if not rest or not hasattr(rest[0], "name"):
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

    @property
    def _is_root(self) -> bool:
        return not self._sources and not self._linked[True]

    @property
    def _is_leaf(self) -> bool:
        return not self._flows and not self._linked[False]

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
