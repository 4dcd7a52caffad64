"""Tensors."""

from __future__ import annotations

import enum
from typing import Any

import numpy
from gxe import _gxe
from gxf._bound import raising
from gxf.core.core_pybind import MessageEntity

__all__ = [
    "MemoryStorageType",
    "PrimitiveType",
    "PyTensor",
    "Shape",
    "Tensor",
    "TensorDescription",
    "get_from_entity_context",
]


class MemoryStorageType(enum.IntEnum):
    """Kind of memory."""

    kHost = 0
    kDevice = 1
    kSystem = 2


class PrimitiveType(enum.IntEnum):
    """Type of elements."""

    kCustom = 0
    kInt8 = 1
    kUnsigned8 = 2
    kInt16 = 3
    kUnsigned16 = 4
    kInt32 = 5
    kUnsigned32 = 6
    kInt64 = 7
    kUnsigned64 = 8
    kFloat32 = 9
    kFloat64 = 10
    kComplex64 = 11
    kComplex128 = 12
    kFloat16 = 13


_TYPES = {
    "int8": PrimitiveType.kInt8,
    "uint8": PrimitiveType.kUnsigned8,
    "int16": PrimitiveType.kInt16,
    "uint16": PrimitiveType.kUnsigned16,
    "int32": PrimitiveType.kInt32,
    "uint32": PrimitiveType.kUnsigned32,
    "int64": PrimitiveType.kInt64,
    "uint64": PrimitiveType.kUnsigned64,
    "float16": PrimitiveType.kFloat16,
    "float32": PrimitiveType.kFloat32,
    "float64": PrimitiveType.kFloat64,
    "complex64": PrimitiveType.kComplex64,
    "complex128": PrimitiveType.kComplex128,
}
_NAMES = {kind: name for name, kind in _TYPES.items()}
_STORAGE = {
    "host": MemoryStorageType.kHost,
    "device": MemoryStorageType.kDevice,
    "system": MemoryStorageType.kSystem,
}


class Shape:
    """Dimensions."""

    def __init__(self, dims: Any = ()) -> None:
        self._dims = [int(length) for length in dims]

    def size(self) -> int:
        """Number of elements."""
        count = 1
        for length in self._dims:
            count *= length
        return count if self._dims else 0

    def rank(self) -> int:
        """Number of dimensions."""
        return len(self._dims)

    def __getitem__(self, index: int) -> int:
        return self._dims[index]

    def __len__(self) -> int:
        return len(self._dims)

    def __eq__(self, other: object) -> bool:
        return list(self._dims) == list(other)  # type: ignore[call-overload]

    def __hash__(self) -> int:
        return hash(tuple(self._dims))

    def __repr__(self) -> str:
        return f"Shape({self._dims})"


class TensorDescription:
    """What a tensor is to be like."""

    def __init__(
        self,
        name: str = "",
        storage_type: MemoryStorageType = MemoryStorageType.kSystem,
        shape: Shape | None = None,
        element_type: PrimitiveType = PrimitiveType.kCustom,
        bytes_per_element: int = 0,
        strides: list[int] | None = None,
    ) -> None:
        self.name = name
        self.storage_type = storage_type
        self.shape = shape if isinstance(shape, Shape) else Shape(shape or ())
        self.element_type = element_type
        self.bytes_per_element = bytes_per_element
        self.strides = list(strides) if strides else [0] * self.shape.rank()


class Tensor:
    """An array that messages carry. It shares the memory of the array it is made of."""

    def __init__(self, array: Any = None) -> None:
        if array is None:
            self._tensor = _gxe.allocate([0], "uint8")
        elif isinstance(array, numpy.ndarray):
            self._tensor = raising(_gxe.Tensor.as_tensor, array)
        else:
            raise ValueError(
                "The constructor can only create a tensor from a NumPy array. "
                "Use Tensor.as_tensor for other objects: constructor can only create a tensor from "
                "a NumPy array"
            )

    @classmethod
    def _of(cls, tensor: _gxe.Tensor) -> Tensor:
        made = cls.__new__(cls)
        made._tensor = tensor
        return made

    @staticmethod
    def as_tensor(obj: Any) -> Tensor:
        """A tensor over the memory of an array."""
        return Tensor._of(raising(_gxe.Tensor.as_tensor, obj._tensor if isinstance(obj, Tensor) else obj))

    @staticmethod
    def from_dlpack(obj: Any) -> Tensor:
        """A tensor over the memory of an object with `__dlpack__`."""
        return Tensor._of(raising(_gxe.Tensor.from_dlpack, obj))

    def __dlpack__(self, **keywords: Any) -> Any:
        return self._tensor.__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._tensor.__dlpack_device__()

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self._tensor.__array_interface__

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        raise AttributeError("the tensor is not in the memory of a GPU")

    # Messages

    @staticmethod
    def add_to_entity(message: MessageEntity, tensor: Any, name: str = "") -> Tensor:
        """Adds a tensor to a message: `(message, name)` an empty one, else `(message, tensor, name)`."""
        if isinstance(tensor, str):
            made = Tensor()
            made._pending = (message, tensor)
            return made
        source = tensor._tensor if isinstance(tensor, Tensor) else tensor
        raising(message.message.add_tensor, source, name)
        return tensor if isinstance(tensor, Tensor) else Tensor.as_tensor(tensor)

    @staticmethod
    def get_from_entity(message: MessageEntity, name: str = "") -> Tensor:
        """A tensor of a message."""
        return PyTensor._of(raising(message.message.tensor, name))

    @staticmethod
    def find_all_from_entity(message: MessageEntity) -> list[Tensor]:
        """All tensors of a message."""
        return [PyTensor._of(tensor) for tensor in message.message.tensors().values()]

    @staticmethod
    def add_np_array_as_tensor_to_entity(
        message: MessageEntity, name: str, array: Any, allocator: Any
    ) -> None:
        """Adds a copy of an array in memory of an allocator: the system's, or pinned if the allocator is a pool
        of that."""
        try:
            copy = raising(allocator._target.copy_of, array, int(MemoryStorageType.kSystem))
        except ValueError as error:
            try:
                copy = raising(allocator._target.copy_of, array, int(MemoryStorageType.kHost))
            except ValueError:
                raise error from error.__cause__
        raising(message.message.add_tensor, copy, name)

    # Memory

    def reshape(self, description: TensorDescription, allocator: Any) -> None:
        """Gives the tensor new memory; see `reshape_custom`."""
        self.reshape_custom(
            description.shape,
            description.element_type,
            description.bytes_per_element,
            description.strides,
            description.storage_type,
            allocator,
        )

    def reshape_custom(
        self,
        shape: Shape,
        element_type: PrimitiveType,
        bytes_per_element: int,
        strides: Any,
        storage_type: MemoryStorageType,
        allocator: Any,
    ) -> None:
        """Gives the tensor new memory. The strides are in bytes; without any, or if all are 0, the elements
        are contiguous. Only those of `kCustom` have a size that their type does not state."""
        custom = element_type == PrimitiveType.kCustom
        if not custom and element_type not in _NAMES:
            raise ValueError("GXF_ARGUMENT_INVALID")
        name, itemsize = ("custom", bytes_per_element) if custom else (_NAMES[element_type], None)
        known = [int(stride) for stride in strides or ()]
        if any(stride < 0 for stride in known):
            raise ValueError("GXF_ARGUMENT_OUT_OF_RANGE")
        if any(known) and len(known) != shape.rank():
            raise ValueError("GXF_ARGUMENT_INVALID")
        stated = known if any(known) else None
        zeros = raising(_gxe.allocate, list(shape), name, strides=stated, itemsize=itemsize)
        if allocator is not None:
            zeros = raising(allocator._target.copy_of, zeros, int(storage_type))
        self._tensor = zeros
        pending = getattr(self, "_pending", None)
        if pending is not None:
            raising(pending[0].message.add_tensor, zeros, pending[1])
            del self._pending

    # What it is like

    def get_tensor_info(self) -> tuple[Any, int, str, int, list[int], list[int]]:
        """Capsule of the memory, bytes, type, rank, dimensions, strides in bytes. There is no capsule of
        elements of one's own type."""
        tensor = self._tensor
        is_custom = self.element_type() == PrimitiveType.kCustom
        capsule = None if is_custom else tensor.__dlpack__(max_version=(1, 0))
        return (
            capsule,
            tensor.nbytes,
            tensor.dtype,
            tensor.ndim,
            list(tensor.shape),
            list(tensor.strides),
        )

    def get_tensor_description(self) -> TensorDescription:
        """The description of the tensor."""
        return TensorDescription(
            "",
            self.storage_type(),
            self.shape(),
            self.element_type(),
            self._tensor.itemsize,
            list(self._tensor.strides),
        )

    def shape(self) -> Shape:
        """Dimensions."""
        return Shape(self._tensor.shape)

    def rank(self) -> int:
        """Number of dimensions."""
        return self._tensor.ndim

    def element_type(self) -> PrimitiveType:
        """Type of the elements."""
        return _TYPES.get(self._tensor.dtype, PrimitiveType.kCustom)

    def storage_type(self) -> MemoryStorageType:
        """Kind of memory."""
        return _STORAGE[self._tensor.storage]

    def __repr__(self) -> str:
        return f"<Tensor {self._tensor!r}>"


class PyTensor(Tensor):
    """A tensor of a message."""


class _Shaped:
    def __init__(self, tensor: _gxe.Tensor) -> None:
        self.tensor = PyTensor._of(tensor)
        self.shape = list(tensor.shape)


def get_from_entity_context(context: int, eid: int, name: str = "") -> Any:
    """A tensor of a message by id."""
    return _Shaped(raising(raising(_gxe.message_by_id, context, eid).tensor, name))
