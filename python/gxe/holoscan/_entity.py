"""Messages that programs put together themselves."""

from __future__ import annotations

from typing import Any

from .. import GxfError, _gxe


class Entity:
    """A message: tensors and one object, by names. Operators emit it as it is."""

    def __init__(self, context: Any) -> None:
        self._message = _gxe.new_message(context._executor.context.context)

    def add(self, obj: Any, name: str = "") -> None:
        """Adds an array or a tensor as a tensor, or any other object."""
        if hasattr(obj, "__dlpack__"):
            self._message.add_tensor(obj, name)
        else:
            self._message.add_object(obj, name)

    def get(self, name: str = "") -> Any:
        """What was added with a name; `None` without it."""
        for find in (self._message.tensor, self._message.object):
            try:
                return find(name)
            except GxfError:
                continue
        return None
