"""Loggers of what operators exchange."""

from __future__ import annotations

import re
from typing import Any

from ._component import Resource
from .logger import LogLevel, message

__all__ = ["AsyncConsoleLogger", "BasicConsoleLogger", "GXFConsoleLogger", "SimpleTextSerializer"]


class SimpleTextSerializer(Resource):
    """Texts of values."""

    def __init__(
        self,
        fragment: Any,
        *,
        max_elements: int = 10,
        max_metadata_items: int = 10,
        log_python_object_contents: bool = True,
        name: str = "simple_text_serializer",
        **_unused: Any,
    ) -> None:
        super().__init__(fragment, name=name)
        self._most = max_elements
        self._contents = log_python_object_contents

    def _text(self, value: Any, with_content: bool) -> str:
        if isinstance(value, dict) and value and all(hasattr(v, "__dlpack__") for v in value.values()):
            described = (f"{name}: {tuple(tensor.shape)}" for name, tensor in value.items())
            return "TensorMap(" + ", ".join(described) + ")"
        kind = f"Python({type(value).__name__})"
        if not self._contents:
            return kind
        text = value if isinstance(value, str) else repr(value)
        return f"{kind}: " + (text if with_content or len(text) < 1000 else text[:1000] + "…")


class BasicConsoleLogger(Resource):
    """Prints what operators send and receive."""

    def __init__(
        self,
        fragment: Any,
        *,
        serializer: SimpleTextSerializer | None = None,
        log_inputs: bool = True,
        log_outputs: bool = True,
        log_metadata: bool = True,
        log_tensor_data_content: bool = True,
        use_scheduler_clock: bool = False,
        clock: Any = None,
        allowlist_patterns: list[str] | None = None,
        denylist_patterns: list[str] | None = None,
        name: str = "basic_console_logger",
        **_unused: Any,
    ) -> None:
        super().__init__(fragment, name=name)
        self._serializer = serializer or SimpleTextSerializer(fragment)
        self._inputs, self._outputs = log_inputs, log_outputs
        self._with_metadata, self._with_content = log_metadata, log_tensor_data_content
        self._allowed = [re.compile(pattern) for pattern in allowlist_patterns or ()]
        self._denied = [re.compile(pattern) for pattern in denylist_patterns or ()]

    def _log(self, port: str, value: Any, metadata: dict, is_input: bool) -> None:
        if not (self._inputs if is_input else self._outputs):
            return
        if self._allowed and not any(pattern.fullmatch(port) for pattern in self._allowed):
            return
        if not self._allowed and any(pattern.fullmatch(port) for pattern in self._denied):
            return
        way = "Input" if is_input else "Output"
        text = self._serializer._text(value, self._with_content)
        kind = "TensorMap" if text.startswith("TensorMap(") else "Message (std::any)"
        self._print(port, kind, way, text)
        if self._with_metadata and metadata:
            self._print(port, "Metadata", way, str(dict(metadata)))

    def _print(self, port: str, kind: str, way: str, text: str) -> None:
        message(LogLevel.INFO, f"{type(self).__name__}[ID:{port}] [Category:{kind}] [IOType:{way}] {text}")


class GXFConsoleLogger(BasicConsoleLogger):
    """As `BasicConsoleLogger`."""


class AsyncConsoleLogger(BasicConsoleLogger):
    """As `BasicConsoleLogger`."""
