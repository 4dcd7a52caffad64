"""Video frames."""

from __future__ import annotations

from typing import Any

from gxf._bound import raising
from gxf.std.allocator_pybind import Allocator
from gxf.std.tensor_pybind import MemoryStorageType, Tensor

__all__ = ["VideoBuffer"]


class VideoBuffer:
    """A frame: a copy of an image, an array of rows, columns and channels, in memory of an allocator."""

    def __init__(
        self, image: Any, alloc: Allocator, storage: MemoryStorageType = MemoryStorageType.kHost
    ) -> None:
        self._tensor = Tensor._of(raising(alloc._target.copy_of, image, int(storage)))

    def get_info(self) -> tuple[Any, int, str, list[int], list[int]]:
        """Capsule of the memory, bytes, type, shape, strides in bytes."""
        capsule, size, dtype, _, shape, strides = self._tensor.get_tensor_info()
        return capsule, size, dtype, shape, strides
