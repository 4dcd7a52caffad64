"""Operators that come with the SDK, as far as they need no GPU."""

from __future__ import annotations

import time
from typing import Any

from ._missing import ON_A_GPU, missing
from ._modules import add_modules
from ._operator import Operator
from ._spec import IOSpec, OperatorSpec

__all__ = [
    "AsyncPingRxOp",
    "AsyncPingTxOp",
    "GXFCodeletOp",
    "PingRxOp",
    "PingTensorRxOp",
    "PingTensorTxOp",
    "PingTxOp",
]

_MISSING = {
    **dict.fromkeys(
        (
            "BayerDemosaicOp",
            "FormatConverterOp",
            "InferenceOp",
            "InferenceProcessorOp",
            "SegmentationPostprocessorOp",
        ),
        ON_A_GPU,
    ),
    "AJASourceOp": "needs a capture card, which gxe.holoscan does without",
    "HolovizOp": "needs a visualiser, which gxe.holoscan does without",
    "V4L2VideoCaptureOp": "needs a camera, which gxe.holoscan does without",
    "VideoStreamRecorderOp": "needs recordings on a GPU; `gxe` has the component VideoStreamRecorder",
    "VideoStreamReplayerOp": "needs recordings on a GPU; `gxe` has the component VideoStreamReplayer",
}


def __getattr__(name: str) -> Any:
    raise missing(__name__, name, _MISSING)


#: The modules that the SDK has for single operators, each with its operator.
_MODULES = {
    "aja_source": "AJASourceOp",
    "async_ping_rx": "AsyncPingRxOp",
    "async_ping_tx": "AsyncPingTxOp",
    "bayer_demosaic": "BayerDemosaicOp",
    "format_converter": "FormatConverterOp",
    "gxf_codelet": "GXFCodeletOp",
    "holoviz": "HolovizOp",
    "inference": "InferenceOp",
    "inference_processor": "InferenceProcessorOp",
    "ping_rx": "PingRxOp",
    "ping_tensor_rx": "PingTensorRxOp",
    "ping_tensor_tx": "PingTensorTxOp",
    "ping_tx": "PingTxOp",
    "segmentation_postprocessor": "SegmentationPostprocessorOp",
    "v4l2_video_capture": "V4L2VideoCaptureOp",
    "video_stream_recorder": "VideoStreamRecorderOp",
    "video_stream_replayer": "VideoStreamReplayerOp",
}


class GXFCodeletOp(Operator):
    """A codelet of the engine or of a loaded extension, with the parameters of its type. Those that lead to
    receivers and transmitters are ports."""

    def __init__(
        self, fragment: Any, gxf_typename: str, *args: Any, name: str = "gxf_codelet", **kwargs: Any
    ) -> None:
        self.gxf_typename = gxf_typename
        super().__init__(fragment, *args, name=name, **kwargs)

    def setup(self, spec: OperatorSpec) -> None:
        context = self.fragment._open_graph().context
        # The error of an unknown type names similar ones, and libraries.
        info = context.type_info(self.gxf_typename) or context.type_info(context.needed_type(self.gxf_typename))
        for parameter in info["parameters"]:
            key, size = parameter["key"], IOSpec.ANY_SIZE if parameter["rank"] else IOSpec.SIZE_ONE
            if parameter["handle_type"] == "nvidia::gxf::Receiver":
                spec.input(key, size=size)
            elif parameter["handle_type"] == "nvidia::gxf::Transmitter":
                spec.output(key)
            else:
                spec.param(key)


class PingTxOp(Operator):
    """Sends numbers that count up."""

    def __init__(self, fragment: Any, *args: Any, start: int = 1, increment: int = 1, **kwargs: Any) -> None:
        self.index = start
        self.increment = increment
        super().__init__(fragment, *args, **kwargs)

    def setup(self, spec: OperatorSpec) -> None:
        spec.output("out")

    def compute(self, op_input: Any, op_output: Any, context: Any) -> None:
        op_output.emit(self.index, "out")
        self.index += self.increment


class PingRxOp(Operator):
    """Prints what it receives."""

    def setup(self, spec: OperatorSpec) -> None:
        spec.input("in")

    def compute(self, op_input: Any, op_output: Any, context: Any) -> None:
        value = op_input.receive("in")
        if value is None:
            print("failed to receive a message on port 'in'")
            return
        print(f"Rx message value: {value}")


class _Asynchronous(Operator):
    """An operator that an event lets run after a delay in seconds."""

    def __init__(self, fragment: Any, *args: Any, delay: float = 0.2, count: int = 10, **kwargs: Any) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self.delay = delay
        self.count = count
        self.iter = 0
        self._pool = ThreadPoolExecutor(max_workers=1)
        self._future: Any = None
        super().__init__(fragment, *args, **kwargs)

    def _wait(self) -> None:
        from .conditions import AsynchronousEventState as State

        while True:
            time.sleep(self.delay)
            if self.async_condition.event_state == State.EVENT_WAITING:
                self.async_condition.event_state = State.EVENT_DONE
            elif self.async_condition.event_state == State.EVENT_NEVER:
                return

    def start(self) -> None:
        self.iter = 0
        self._future = self._pool.submit(self._wait)

    def stop(self) -> None:
        from .conditions import AsynchronousEventState as State

        self.async_condition.event_state = State.EVENT_NEVER
        self._future.result()


class AsyncPingTxOp(_Asynchronous):
    """Sends numbers, each after a delay."""

    def setup(self, spec: OperatorSpec) -> None:
        spec.output("out")

    def compute(self, op_input: Any, op_output: Any, context: Any) -> None:
        from .conditions import AsynchronousEventState as State

        self.iter += 1
        going = self.iter < self.count
        self.async_condition.event_state = State.EVENT_WAITING if going else State.EVENT_NEVER
        op_output.emit(self.iter, "out")


class AsyncPingRxOp(_Asynchronous):
    """Prints what it receives, each after a delay."""

    def setup(self, spec: OperatorSpec) -> None:
        spec.input("in")

    def compute(self, op_input: Any, op_output: Any, context: Any) -> None:
        from .conditions import AsynchronousEventState as State

        print(f"Rx message value: {op_input.receive('in')}")
        self.async_condition.event_state = State.EVENT_WAITING


class PingTensorTxOp(Operator):
    """Sends a tensor of a given shape."""

    def __init__(
        self,
        fragment: Any,
        *args: Any,
        allocator: Any = None,
        storage_type: str = "system",
        batch_size: int = 0,
        rows: int = 32,
        columns: int = 64,
        channels: int = 0,
        data_type: str = "uint8_t",
        tensor_name: str = "tensor",
        **kwargs: Any,
    ) -> None:
        if storage_type == "device":
            raise NotImplementedError("a tensor on a GPU; use `system` or `host`")
        sizes = (batch_size, rows, columns, channels)
        self._shape = [size for size in sizes if size > 0]
        self._type = {"float": "float32", "double": "float64"}.get(data_type, data_type.removesuffix("_t"))
        self._tensor_name = tensor_name
        super().__init__(fragment, *args, **kwargs)

    def setup(self, spec: OperatorSpec) -> None:
        spec.output("out")

    def compute(self, op_input: Any, op_output: Any, context: Any) -> None:
        from .._gxe import allocate

        op_output.emit({self._tensor_name: allocate(self._shape, self._type)}, "out")


class PingTensorRxOp(Operator):
    """Prints the attributes of a tensor that it receives."""

    def __init__(
        self, fragment: Any, *args: Any, receive_as_tensormap: bool = True, **kwargs: Any
    ) -> None:
        self.count = 0
        super().__init__(fragment, *args, **kwargs)

    def setup(self, spec: OperatorSpec) -> None:
        spec.input("in", policy=IOSpec.QueuePolicy.FAULT)

    def compute(self, op_input: Any, op_output: Any, context: Any) -> None:
        self.count += 1
        for name, tensor in op_input.receive("in").items():
            print(f"message {self.count}: Tensor key: '{name}', shape: {tuple(tensor.shape)}")


__path__ = add_modules(globals(), {name: (operator,) for name, operator in _MODULES.items()}, _MISSING)
