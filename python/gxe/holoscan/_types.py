"""Enumerations and named values."""

from __future__ import annotations

import enum
from collections.abc import Collection
from typing import Any

from .. import _gxe


class ConditionType(enum.Enum):
    """Conditions that a port may have."""

    NONE = 0
    MESSAGE_AVAILABLE = 1
    DOWNSTREAM_MESSAGE_AFFORDABLE = 2
    COUNT = 3
    BOOLEAN = 4
    PERIODIC = 5
    ASYNCHRONOUS = 6
    EXPIRING_MESSAGE_AVAILABLE = 7
    MULTI_MESSAGE_AVAILABLE = 8
    MULTI_MESSAGE_AVAILABLE_TIMEOUT = 9


class SchedulingStatusType(enum.IntEnum):
    """What a condition answers."""

    NEVER = 0
    READY = 1
    WAIT = 2
    WAIT_TIME = 3
    WAIT_EVENT = 4


class DLDeviceType(enum.IntEnum):
    """Kind of the device of a tensor, as DLPack counts them."""

    DLCPU = 1
    DLCUDA = 2
    DLCUDAHOST = 3
    DLCUDAMANAGED = 13


class OperatorStatus(enum.Enum):
    """What an operator is doing."""

    NOT_STARTED = 0
    START_PENDING = 1
    STARTED = 2
    TICK_PENDING = 3
    TICKING = 4
    IDLE = 5
    STOP_PENDING = 6


class MetadataPolicy(enum.Enum):
    """What happens when metadata has a key already."""

    REJECT = 0
    UPDATE = 1
    INPLACE_UPDATE = 2
    RAISE = 3
    DEFAULT = RAISE


class ParameterFlag(enum.Flag):
    """What a parameter is, beside its value."""

    NONE = 0
    OPTIONAL = 1
    DYNAMIC = 2


class ArgElementType(enum.Enum):
    """Type of a value, or of the elements of a sequence."""

    CUSTOM = 0
    BOOLEAN = 1
    INT8 = 2
    UNSIGNED8 = 3
    INT16 = 4
    UNSIGNED16 = 5
    INT32 = 6
    UNSIGNED32 = 7
    INT64 = 8
    UNSIGNED64 = 9
    FLOAT32 = 10
    FLOAT64 = 11
    COMPLEX64 = 12
    COMPLEX128 = 13
    STRING = 14
    HANDLE = 15
    YAML_NODE = 16
    IO_SPEC = 17
    CONDITION = 18
    RESOURCE = 19


class ArgContainerType(enum.Enum):
    """Whether a value is one, or a sequence."""

    NATIVE = 0
    VECTOR = 1
    ARRAY = 2


_ELEMENTS: dict[type, ArgElementType] = {
    bool: ArgElementType.BOOLEAN,
    int: ArgElementType.INT64,
    float: ArgElementType.FLOAT64,
    complex: ArgElementType.COMPLEX128,
    str: ArgElementType.STRING,
    dict: ArgElementType.YAML_NODE,
}
_OF_ARRAYS = {"b": "BOOLEAN", "i": "INT", "u": "UNSIGNED", "f": "FLOAT", "c": "COMPLEX", "U": "STRING"}


class ArgType:
    """Type of a value: of its elements, and how many dimensions a sequence has."""

    def __init__(
        self,
        element_type: ArgElementType = ArgElementType.CUSTOM,
        container_type: ArgContainerType = ArgContainerType.NATIVE,
        dimension: int = 0,
    ) -> None:
        self.element_type = element_type
        self.container_type = container_type
        self.dimension = dimension

    @classmethod
    def _of(cls, value: Any) -> ArgType:
        if hasattr(value, "dtype") and hasattr(value, "ndim"):
            dimension = value.ndim
            element = _of_array(value.dtype)
        else:
            dimension = 0
            while isinstance(value, Collection) and not isinstance(value, (str, bytes, dict)):
                dimension += 1
                value = next(iter(value), None)
            element = _ELEMENTS.get(type(value), getattr(value, "_arg_element_type", ArgElementType.CUSTOM))
        return cls(element, ArgContainerType.VECTOR if dimension else ArgContainerType.NATIVE, dimension)

    def to_string(self) -> str:
        """A text such as `std::vector<FLOAT64>`."""
        text = self.element_type.name
        for _ in range(self.dimension):
            text = f"std::vector<{text}>"
        return text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArgType) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.element_type, self.container_type, self.dimension))

    def __repr__(self) -> str:
        return f"<ArgType {self.to_string()}>"


def _of_array(dtype: Any) -> ArgElementType:
    """Type of the elements of an array: of NumPy, or a tensor."""
    kind = getattr(dtype, "kind", str(dtype)[0])
    name = _OF_ARRAYS.get(kind, "CUSTOM")
    bits = getattr(dtype, "itemsize", 0) * 8 or int("".join(filter(str.isdigit, str(dtype))) or 0)
    known = ArgElementType.__members__
    return known.get(name) or known.get(f"{name}{bits}", ArgElementType.CUSTOM)


_NO_VALUE = object()


class Arg:
    """A named value for a component; `str`, `int`, `float` and `bool` take its value."""

    def __init__(self, name: str = "", value: Any = _NO_VALUE) -> None:
        self.name = name
        self.has_value = value is not _NO_VALUE
        self.value: Any = value if self.has_value else None

    @property
    def arg_type(self) -> ArgType:
        """Type of the value."""
        return ArgType._of(self.value)

    @property
    def description(self) -> str:
        """Name, type and value, in YAML."""
        return _gxe.to_yaml(self._described())

    def _described(self) -> dict[str, Any]:
        return {"name": self.name, "type": self.arg_type.to_string(), "value": str(self.value)}

    def __str__(self) -> str:
        return str(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __repr__(self) -> str:
        return f"<Arg {self.name}: {self.value!r}>"


class ArgList(list):
    """Named values for a component."""

    name = "arglist"

    @property
    def args(self) -> list[Arg]:
        """The values."""
        return list(self)

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self)

    @property
    def description(self) -> str:
        """Names, types and values, in YAML."""
        return _gxe.to_yaml({"name": self.name, "args": [arg._described() for arg in self]})

    def add(self, arg: Arg | ArgList) -> None:
        """Adds one value, or several."""
        self.extend(arg if isinstance(arg, ArgList) else [arg])


def arglist_to_kwargs(arglist: ArgList) -> dict[str, Any]:
    """The values by name."""
    return {arg.name: arg.value for arg in arglist}


def kwargs_to_arglist(**kwargs: Any) -> ArgList:
    """Named values of keyword arguments."""
    return ArgList(Arg(name, value) for name, value in kwargs.items())


def py_object_to_arg(obj: Any, name: str = "") -> Arg:
    """A named value."""
    return Arg(name, obj)


def arg_to_py_object(arg: Arg) -> Any:
    """The value."""
    return arg.value
