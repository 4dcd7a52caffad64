"""Messages that programs put together themselves."""

from __future__ import annotations

from typing import Any

from .. import Tensor, _gxe


class Entity:
    """A message: tensors and objects, by names. Each time an operator emits it, a message has what is in it then.
    A message with one object alone is received as that, any other one as a dictionary."""

    def __init__(self, context: Any) -> None:
        self._context = context._executor.context.context
        self._tensors: list[tuple[str, Tensor]] = []
        self._objects: list[tuple[str, Any]] = []

    def add(self, obj: Any, name: str = "") -> None:
        """Adds an array or a tensor as a tensor, or any other object."""
        if hasattr(obj, "__dlpack__"):
            message = _gxe.new_message(self._context)
            message.add_tensor(obj, name)
            self._tensors.append((name, message.tensor(name)))
        else:
            self._objects.append((name, obj))

    def get(self, name: str = "") -> Any:
        """What was added with a name; `None` without it."""
        return next((value for known, value in (*self._tensors, *self._objects) if known == name), None)

    def _fill(self, message: Any) -> None:
        for name, tensor in self._tensors:
            message.add_tensor(tensor, name)
        for name, value in self._objects:
            message.add_object(value, name)
