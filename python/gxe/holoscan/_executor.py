"""The codelet of an operator, and what `compute` receives and sends with."""

from __future__ import annotations

from typing import Any

from .. import _gxe
from .._gxe import Tensor
from ._entity import Entity
from ._metadata import MetadataDictionary
from ._operator import FlowInfo, Operator
from ._spec import IOSpec
from ._tracking import MessageLabel
from ._types import OperatorStatus


_METADATA = "holoscan_metadata"
_LABEL = "holoscan_label"
_NOTHING = object()


def _port(operator: Operator, kind: str, known: dict[str, Any], name: str) -> str:
    """The name of a port; without one, that of the only port."""
    if not name and len(known) == 1:
        return str(next(iter(known)))
    if name not in known:
        names = ", ".join(known) or "none"
        raise RuntimeError(f"the operator `{operator.name}` has no {kind} `{name}`; its {kind}s: {names}")
    return name


class InputContext:
    """What an operator receives with."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def receive(self, name: str = "", kind: str = "", **_unused: Any) -> Any:
        """The value of the next message; `None` without one. For a port whose size is not 1, and for any of
        the kind `multi`, a tuple of values, however many connections it has."""
        if kind not in ("", "single", "multi"):
            raise ValueError(f"the kind of what is received is `single` or `multi`, and not {kind!r}")
        executor = self._executor
        inputs = executor.operator.spec.inputs
        name = _port(executor.operator, "input", inputs, name)
        receivers = executor.receivers.get(name, ())
        size = inputs[name].queue_size
        if size == IOSpec.ANY_SIZE or (size == IOSpec.SIZE_ONE and kind == "multi"):
            numbered = enumerate(receivers)
            found = (executor.take(name, receiver, f"{name}:{at}") for at, receiver in numbered)
            return tuple(value for value in found if value is not _NOTHING)
        if size != IOSpec.SIZE_ONE:
            values = []
            while len(values) < executor.counts.get(name, 0):
                value = executor.take(name, receivers[0]) if receivers else _NOTHING
                if value is _NOTHING:
                    break
                values.append(value)
            return tuple(values)
        value = executor.take(name, receivers[0]) if receivers else _NOTHING
        return None if value is _NOTHING else value

    def get_acquisition_timestamp(self, name: str = "") -> int | None:
        """Acquisition time of the first message of a port; `None` without one."""
        times = self.get_acquisition_timestamps(name)
        return times[0] if times else None

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

    def __init__(self, executor: Executor) -> None:
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
        name = _port(executor.operator, "output", executor.operator.spec.outputs, name)
        executor.emit(name, data, None if acq_timestamp < 0 else acq_timestamp)

    def set_cuda_stream(self, *_args: Any, **_kwargs: Any) -> None:
        """Names the stream of a message: nothing to do without a GPU."""


class ExecutionContext:
    """An operator's view of the application that runs it."""

    def __init__(self, executor: Executor) -> None:
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


class Executor:
    """The codelet of an operator."""

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.metadata = MetadataDictionary()
        self.receivers: dict[str, tuple[Any, ...]] = {}
        self.transmitters: dict[str, tuple[Any, ...]] = {}
        self.counts: dict[str, int] = {}
        self.edges: dict[int, Any] = {}
        self.exec_input: Any = None
        self.exec_count = 1
        self.labels: dict[str, MessageLabel] = {}
        self.latest: dict[str, MessageLabel] = {}
        self.times: dict[str, list[int | None]] = {}
        self.pending: list[tuple[str, Any, int | None]] = []
        self.execution = ExecutionContext(self)
        self.fragment = operator.fragment
        self.logs = operator.fragment._all_data_loggers
        #: How loggers name the operator.
        self.place = f"{self.fragment.name}.{operator.name}" if self.fragment._is_part else operator.name
        self.began = 0
        self.ran_at = 0
        operator._executor = self

    def set_bridge(self, context: Any) -> None:
        self.context = context
        for condition in self.operator._all_conditions():
            condition._activated()
        names = self.operator._queue_names
        self.counts = names.counts
        for port, queues in names.inputs.items():
            self.receivers[port] = tuple(context.component("Receiver", name) for name in queues)
        for port, queues in names.outputs.items():
            self.transmitters[port] = tuple(context.component("Transmitter", name) for name in queues)
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
        self.ran_at = self.context.now
        if self.fragment._tracker is not None:
            self.began = self._now()
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
            self.fragment._tracker._ended(operator, self._all_labels())

    def take(self, port: str, receiver: Any, logged_as: str = "") -> Any:
        message = receiver.receive_message()
        if message is None:
            return _NOTHING
        objects: dict[str, Any] = {}
        tensors: dict[str, Tensor] | None = None
        for name, kind, _ in message.payloads():
            if kind == "nvidia::gxf::PyData":
                if name == _METADATA:
                    if self.operator.is_metadata_enabled:
                        self.metadata.merge(message.object(name))
                elif name == _LABEL:
                    if self.fragment._tracker is not None:
                        self._take_label(port, message.object(name))
                else:
                    objects[name] = message.object(name)
            elif kind == "nvidia::gxf::Tensor" and tensors is None:
                tensors = message.tensors()
        self.times.setdefault(port, []).append(message.acqtime)
        if len(objects) == 1 and tensors is None:
            (value,) = objects.values()
        elif objects:
            value = {**(tensors or {}), **objects}
        else:
            value = tensors if tensors is not None else message.value
        for log in self.logs if port != Operator.INPUT_EXEC_PORT_NAME else ():
            log._log(f"{self.place}.{logged_as or port}", value, message.acqtime, self.metadata, IOSpec.IOType.INPUT)
        return value

    def _take_label(self, port: str, sent: MessageLabel) -> None:
        # An asynchronous buffer hands out its message until there is another.
        is_old = self.latest.get(port) is sent
        self.latest[port] = sent
        label = self.fragment._tracker._received(self.operator, sent, self._now(), is_old)
        known = self.labels.get(port, MessageLabel())
        self.labels[port] = MessageLabel(known._paths + label._paths)

    def _all_labels(self) -> MessageLabel:
        return MessageLabel([path for label in self.labels.values() for path in label._paths])

    def emit(self, port: str, value: Any, acqtime: int | None) -> None:
        for log in self.logs:
            log._log(f"{self.place}.{port}", value, acqtime, self.metadata, IOSpec.IOType.OUTPUT)
        if self.operator._dynamic is not None:
            # The callback chooses the flows when everything is computed.
            self.pending.append((port, value, acqtime))
            return
        queues = self.transmitters.get(port)
        if queues:
            self._publish(port, queues, value, acqtime)

    def _send_pending(self) -> None:
        operator = self.operator
        if operator._dynamic is None:
            port = Operator.OUTPUT_EXEC_PORT_NAME
            queues = self.transmitters.get(port)
            if queues:
                self._publish(port, queues, _NOTHING, None)
            return
        operator._chosen = []
        operator._dynamic(operator)
        for flow in operator._chosen:
            queue = self.edges.get(id(flow))
            if queue is None:
                raise RuntimeError(f"{flow} is no flow of `{operator.name}`")
            if flow._is_exec:
                self._publish(flow.output_port_name, (queue,), _NOTHING, None)
                continue
            for port, value, acqtime in self.pending:
                if port == flow.output_port_name:
                    self._publish(port, (queue,), value, acqtime)

    def _publish(self, port: str, queues: tuple[Any, ...], value: Any, acqtime: int | None) -> None:
        message = queues[0].new_message()
        if _gxe.is_tensor_map(value):
            for name, array in value.items():
                message.add_tensor(array, name)
        elif isinstance(value, Entity):
            value._fill(message)
        elif value is not _NOTHING:
            message.add_object(value)
        if self.metadata and self.operator.is_metadata_enabled:
            message.add_object(dict(self.metadata), _METADATA)
        tracker = self.fragment._tracker
        if tracker is not None:
            label = tracker._sent(self.operator, port, self._all_labels(), self._now(), self.began)
            message.add_object(label, _LABEL)
        for queue in queues:
            queue.publish(message, self.context.now if acqtime is None else acqtime)

    def _now(self) -> int:
        return self.fragment._time()


class QueueNames:
    """Names of the queues of an operator's entity."""

    def __init__(self) -> None:
        self.inputs: dict[str, list[str]] = {}
        #: Messages that one execution takes from an input.
        self.counts: dict[str, int] = {}
        self.outputs: dict[str, list[str]] = {}
        self.edges: list[tuple[FlowInfo, str]] = []
        self.exec_input = ""
        self.exec_count = 1
