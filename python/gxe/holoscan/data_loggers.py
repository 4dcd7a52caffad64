"""Loggers of what operators exchange."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .._gxe import Tensor, is_tensor_map
from ._component import Resource
from ._modules import add_modules
from ._spec import ComponentSpec, IOSpec
from .logger import LogLevel, message

__all__ = [
    "AsyncConsoleLogger",
    "BasicConsoleLogger",
    "DataLogger",
    "DataLoggerResource",
    "GXFConsoleLogger",
    "SimpleTextSerializer",
]

_OUTPUT = IOSpec.IOType.OUTPUT


class DataLogger:
    """Logs what operators exchange, on the threads of the operators: subclasses say how. `unique_id` is
    `operator.port`, with a number behind it for each sender of a port for any number of them."""

    def log_data(
        self,
        data: Any,
        unique_id: str,
        acquisition_timestamp: int = -1,
        metadata: Any = None,
        io_type: IOSpec.IOType = _OUTPUT,
    ) -> bool:
        """Logs an object."""
        raise NotImplementedError(f"`{type(self).__name__}` has no `log_data`")

    def log_tensor_data(
        self,
        tensor: Any,
        unique_id: str,
        acquisition_timestamp: int = -1,
        metadata: Any = None,
        io_type: IOSpec.IOType = _OUTPUT,
    ) -> bool:
        """Logs a tensor."""
        return self.log_data(tensor, unique_id, acquisition_timestamp, metadata, io_type)

    def log_tensormap_data(
        self,
        tensor_map: Any,
        unique_id: str,
        acquisition_timestamp: int = -1,
        metadata: Any = None,
        io_type: IOSpec.IOType = _OUTPUT,
    ) -> bool:
        """Logs a dictionary of tensors."""
        return self.log_data(tensor_map, unique_id, acquisition_timestamp, metadata, io_type)

    def should_log_input(self) -> bool:
        """Whether it logs what operators receive."""
        return True

    def should_log_output(self) -> bool:
        """Whether it logs what operators send."""
        return True

    def _is_logged(self, unique_id: str, io_type: IOSpec.IOType) -> bool:
        return self.should_log_output() if io_type is _OUTPUT else self.should_log_input()

    def _log(self, unique_id: str, value: Any, acqtime: int | None, metadata: dict, io_type: IOSpec.IOType) -> None:
        if not self._is_logged(unique_id, io_type):
            return
        log: Callable[..., bool] = self.log_data
        if is_tensor_map(value):
            log = self.log_tensormap_data
        elif isinstance(value, Tensor):
            log = self.log_tensor_data
        log(value, unique_id, -1 if acqtime is None else acqtime, metadata, io_type)


class DataLoggerResource(Resource, DataLogger):
    """A logger with parameters. With `allowlist_patterns` it logs the ports of which one fits, else those
    that fit no pattern of `denylist_patterns`."""

    log_inputs: bool
    log_outputs: bool
    log_metadata: bool
    log_tensor_data_content: bool
    allowlist_patterns: list[str]
    denylist_patterns: list[str]

    def setup(self, spec: ComponentSpec) -> None:
        spec.param("log_inputs", True)
        spec.param("log_outputs", True)
        spec.param("log_metadata", True)
        spec.param("log_tensor_data_content", False)
        spec.param("allowlist_patterns", [])
        spec.param("denylist_patterns", [])

    def should_log_input(self) -> bool:
        return self.log_inputs

    def should_log_output(self) -> bool:
        return self.log_outputs

    def _is_logged(self, unique_id: str, io_type: IOSpec.IOType) -> bool:
        if not super()._is_logged(unique_id, io_type):
            return False
        patterns = self.allowlist_patterns or self.denylist_patterns or ()
        fits = any(re.fullmatch(pattern, unique_id) for pattern in patterns)
        return fits if self.allowlist_patterns else not fits


class SimpleTextSerializer(Resource):
    """Texts of values."""

    max_elements: int
    max_metadata_items: int
    log_python_object_contents: bool

    def __init__(self, fragment: Any, *args: Any, name: str = "simple_text_serializer", **kwargs: Any) -> None:
        super().__init__(fragment, *args, name=name, **kwargs)

    def setup(self, spec: ComponentSpec) -> None:
        spec.param("max_elements", 10)
        spec.param("max_metadata_items", 10)
        spec.param("log_python_object_contents", True)

    def _object(self, value: Any) -> str:
        kind = f"Python({type(value).__name__})"
        if not self.log_python_object_contents:
            return kind
        text = value if isinstance(value, str) else repr(value)
        return f"{kind}: " + (text if len(text) < 1000 else text[:1000] + "…")

    def _tensor(self, tensor: Any, with_content: bool) -> str:
        shape = str(tuple(tensor.shape))
        if not with_content:
            return shape
        import numpy

        elements = numpy.asarray(tensor).ravel()
        shown = [str(element) for element in elements[: self.max_elements].tolist()]
        return f"{shape} [{', '.join(shown + ['…'] * (len(elements) > len(shown)))}]"

    def _tensors(self, tensors: dict[str, Any], with_content: bool) -> str:
        described = (f"{name}: {self._tensor(tensor, with_content)}" for name, tensor in tensors.items())
        return "TensorMap(" + ", ".join(described) + ")"

    def _metadata(self, metadata: dict[str, Any]) -> str:
        shown = dict(list(metadata.items())[: self.max_metadata_items])
        return str(shown) + ("…" if len(shown) < len(metadata) else "")


class BasicConsoleLogger(DataLoggerResource):
    """Writes what operators send and receive to the log."""

    serializer: SimpleTextSerializer

    def __init__(self, fragment: Any, *args: Any, name: str = "basic_console_logger", **kwargs: Any) -> None:
        super().__init__(fragment, *args, name=name, **kwargs)
        if self.serializer is None:
            self.serializer = SimpleTextSerializer(fragment)

    def setup(self, spec: ComponentSpec) -> None:
        super().setup(spec)
        spec.param("serializer")

    def log_data(
        self,
        data: Any,
        unique_id: str,
        acquisition_timestamp: int = -1,
        metadata: Any = None,
        io_type: IOSpec.IOType = _OUTPUT,
    ) -> bool:
        text = self.serializer._object(data)
        return self._write(unique_id, "Message (std::any)", text, metadata, io_type)

    def log_tensor_data(
        self,
        tensor: Any,
        unique_id: str,
        acquisition_timestamp: int = -1,
        metadata: Any = None,
        io_type: IOSpec.IOType = _OUTPUT,
    ) -> bool:
        text = self.serializer._tensor(tensor, self.log_tensor_data_content)
        return self._write(unique_id, "Tensor", f"Tensor({text})", metadata, io_type)

    def log_tensormap_data(
        self,
        tensor_map: Any,
        unique_id: str,
        acquisition_timestamp: int = -1,
        metadata: Any = None,
        io_type: IOSpec.IOType = _OUTPUT,
    ) -> bool:
        text = self.serializer._tensors(tensor_map, self.log_tensor_data_content)
        return self._write(unique_id, "TensorMap", text, metadata, io_type)

    def _write(self, port: str, kind: str, text: str, metadata: Any, io_type: IOSpec.IOType) -> bool:
        lines = [(kind, text)]
        if self.log_metadata and metadata:
            lines.append(("Metadata", self.serializer._metadata(metadata)))
        way = "Output" if io_type is _OUTPUT else "Input"
        for kind, text in lines:
            head = f"{type(self).__name__}[ID:{port}] [Category:{kind}] [IOType:{way}]"
            message(LogLevel.INFO, f"{head} {text}")
        return True


class GXFConsoleLogger(BasicConsoleLogger):
    """As `BasicConsoleLogger`."""


class AsyncConsoleLogger(BasicConsoleLogger):
    """As `BasicConsoleLogger`."""


__path__ = add_modules(
    globals(),
    {
        "async_console_logger": ("AsyncConsoleLogger",),
        "basic_console_logger": ("BasicConsoleLogger", "GXFConsoleLogger", "SimpleTextSerializer"),
    },
    {},
)
