"""What GXF and Holoscan share."""

from __future__ import annotations

from typing import Any

from .._gxe import Message as Entity

__all__ = ["Entity"]


def load_extensions(context: int, extension_filenames: Any = (), manifest_filenames: Any = ()) -> None:
    """Loads extensions into an application."""
    raise NotImplementedError("`load_extensions` of Holoscan; load them with gxe.Graph")
