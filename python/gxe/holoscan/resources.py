"""Resources: clocks, allocators, and what needs a GPU."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

from .. import _gxe
from ._component import Component, Parameterized, Receiver, Resource, Transmitter, parameter
from ._missing import OF_LINKS, OF_PORTS, ON_A_GPU, missing
from ._types import ArgList, arglist_to_kwargs
from .conditions import nanoseconds

__all__ = [
    "Allocator",
    "BlockMemoryPool",
    "Clock",
    "CudaStreamPool",
    "GXFComponentResource",
    "ManualClock",
    "MemoryStorageType",
    "RealtimeClock",
    "Receiver",
    "SchedulingPolicy",
    "SyntheticClock",
    "ThreadPool",
    "Transmitter",
    "UnboundedAllocator",
]


class MemoryStorageType(enum.IntEnum):
    """Kind of memory."""

    HOST = 0
    DEVICE = 1
    SYSTEM = 2


class _Native(Parameterized, Resource):
    """A component of the engine."""

    def __init__(self, fragment: Any, *, name: str, **parameters: Any) -> None:
        super().__init__(fragment, name=name)
        self._parameters = {key: value for key, value in parameters.items() if value is not None}


class Clock(_Native):
    """The source of time of an application."""

    def __init__(self, fragment: Any, *, name: str = "clock", **parameters: Any) -> None:
        super().__init__(fragment, name=name, **parameters)

    def _target(self) -> Any:
        clock = self.fragment._engine_clock
        if clock is None:
            raise RuntimeError("the clock exists while the application runs")
        return clock

    def timestamp(self) -> int:
        """Time in nanoseconds."""
        return self._target().timestamp()

    def time(self) -> float:
        """Time in seconds."""
        return self.timestamp() / 1e9

    def sleep_for(self, duration: Any) -> None:
        """Waits: nanoseconds, seconds as a float, or a `timedelta`."""
        self._target().sleep_for(nanoseconds(duration))

    def sleep_until(self, target: int) -> None:
        """Waits until a time in nanoseconds."""
        self._target().sleep_until(int(target))

    def cast_to(self, kind: type) -> Any:
        """The same clock by its own class."""
        if not isinstance(self, kind):
            raise RuntimeError(f"the clock is a {type(self).__name__} and no {kind.__name__}")
        return self


class RealtimeClock(Clock):
    """Time of the machine."""

    gxf_typename = "nvidia::gxf::RealtimeClock"

    def __init__(
        self,
        fragment: Any,
        initial_time_offset: float = 0.0,
        initial_time_scale: float = 1.0,
        use_time_since_epoch: bool = False,
        name: str = "realtime_clock",
    ) -> None:
        super().__init__(
            fragment,
            name=name,
            initial_time_offset=initial_time_offset,
            initial_time_scale=initial_time_scale,
            use_time_since_epoch=use_time_since_epoch,
        )

    def set_time_scale(self, time_scale: float) -> None:
        """Lets time run faster or slower."""
        clock = self._target()
        _gxe.RealtimeClock.at(self.fragment._graph.context.address, clock.cid).set_time_scale(float(time_scale))


class ManualClock(Clock):
    """Time that only waiting moves."""

    gxf_typename = "nvidia::gxf::ManualClock"

    def __init__(self, fragment: Any, initial_timestamp: int = 0, name: str = "manual_clock") -> None:
        super().__init__(fragment, name=name, initial_timestamp=initial_timestamp)


class SyntheticClock(Clock):
    """Time that the application moves."""

    gxf_typename = "nvidia::gxf::SyntheticClock"

    def __init__(
        self, fragment: Any, initial_timestamp: int = 0, name: str = "synthetic_clock"
    ) -> None:
        super().__init__(fragment, name=name, initial_timestamp=initial_timestamp)

    def _synthetic(self) -> _gxe.SyntheticClock:
        cid = self._target().cid
        return _gxe.SyntheticClock.at(self.fragment._graph.context.address, cid)

    def advance_by(self, duration: Any) -> None:
        """Moves the clock: nanoseconds, seconds as a float, or a `timedelta`."""
        self._synthetic().advance_by(nanoseconds(duration))

    def advance_to(self, target: int) -> None:
        """Moves the clock to a time in nanoseconds, which must not be in the past."""
        self._synthetic().advance_to(int(target))


def _shape_of(size: int) -> list[int]:
    """The shape of a tensor of `size` bytes; of whole pages if one dimension cannot be as large."""
    page = 4096
    return [size] if size < 2**31 else [-(-size // page), page]


class Allocator(_Native):
    """Base of allocators."""

    def __init__(self, fragment: Any, *, name: str, **parameters: Any) -> None:
        super().__init__(fragment, name=name, **parameters)
        #: Memory that `allocate` gave, by its address.
        self._given: dict[int, _gxe.Tensor] = {}

    def _target(self) -> _gxe.Allocator:
        if self._cid is None:
            raise RuntimeError(f"the allocator `{self.name}` exists while an operator that has it runs")
        return _gxe.Allocator.at(self._graph.context.address, self._cid)

    def allocate(self, size: int, type: int = MemoryStorageType.SYSTEM) -> int:
        """Address of `size` bytes, which are 0."""
        memory = self._target().copy_of(_gxe.allocate(_shape_of(size), "uint8"), int(type))
        self._given[memory.data] = memory
        return memory.data

    def free(self, pointer: int) -> None:
        """Gives memory of `allocate` back, by its address."""
        if self._given.pop(pointer, None) is None:
            raise ValueError(f"{pointer:#x} is no address that `{self.name}` gave")

    def is_available(self, size: int) -> bool:
        """Whether there are `size` bytes."""
        return self._target().is_available(size)

    @property
    def block_size(self) -> int:
        """Size of a block in bytes."""
        return self._target().block_size


class UnboundedAllocator(Allocator):
    """Memory without a limit."""

    gxf_typename = "nvidia::gxf::UnboundedAllocator"

    def __init__(self, fragment: Any, name: str = "unbounded_allocator") -> None:
        super().__init__(fragment, name=name)


class BlockMemoryPool(Allocator):
    """Blocks of one size."""

    gxf_typename = "nvidia::gxf::BlockMemoryPool"
    block_size = parameter("block_size", "Size of a block in bytes.")
    num_blocks = parameter("num_blocks", "Number of blocks.")

    @property
    def storage_type(self) -> MemoryStorageType:
        """Kind of memory."""
        return MemoryStorageType(self._parameters["storage_type"])

    def __init__(
        self,
        fragment: Any,
        storage_type: int = MemoryStorageType.HOST,
        block_size: int = 0,
        num_blocks: int = 0,
        dev_id: int = 0,
        name: str = "block_memory_pool",
    ) -> None:
        if int(storage_type) == MemoryStorageType.DEVICE:
            raise NotImplementedError("memory of a GPU is not available in gxe.holoscan")
        super().__init__(
            fragment,
            name=name,
            storage_type=int(storage_type),
            block_size=block_size,
            num_blocks=num_blocks,
        )


class CudaStreamPool(Resource):
    """Streams of a GPU. Every operator has a pool, which nothing uses without one."""

    def __init__(self, fragment: Any, *, name: str = "cuda_stream_pool", **_parameters: Any) -> None:
        super().__init__(fragment, name=name)


class GXFComponentResource(_Native):
    """A component of any type that the engine or a loaded extension has, with the type's parameters."""

    def __init__(
        self, fragment: Any, gxf_typename: str, *args: Any, name: str = "gxf_component", **parameters: Any
    ) -> None:
        self.gxf_typename = gxf_typename
        for arg in args:
            parameters.update(arglist_to_kwargs(arg if isinstance(arg, ArgList) else ArgList([arg])))
        super().__init__(fragment, name=name, **parameters)


class SchedulingPolicy(enum.IntEnum):
    """How Linux schedules a thread."""

    SCHED_FIFO = 1
    SCHED_RR = 2
    SCHED_DEADLINE = 6


class ThreadPool:
    """Threads of their own for some operators; see `make_thread_pool` of fragments."""

    def __init__(self, fragment: Any, name: str, initial_size: int = 1) -> None:
        self.fragment = fragment
        self.name = name
        self.initial_size = initial_size
        #: The operators, with the parameters of a pinned thread; `None` for the others.
        self._members: list[tuple[Any, dict[str, Any] | None]] = []

    def add(self, ops: Any, pin_operator: bool = True, pin_cores: Sequence[int] = ()) -> None:
        """Executes an operator or several on the threads; pinned ones on a thread each, which stays on the
        stated cores."""
        for operator in ops if isinstance(ops, (list, tuple, set)) else (ops,):
            if not isinstance(operator, Component):
                raise TypeError(f"a thread pool executes operators, and a {type(operator).__name__} is none")
            pinned = {"pin_entity": True, "pin_cores": list(pin_cores)}
            self._members.append((operator, pinned if pin_operator else None))

    def add_realtime(
        self,
        op: Any,
        sched_policy: SchedulingPolicy,
        pin_operator: bool = True,
        pin_cores: Sequence[int] = (),
        sched_priority: int = 0,
        sched_runtime: int = 0,
        sched_deadline: int = 0,
        sched_period: int = 0,
    ) -> None:
        """Executes an operator on a thread that Linux schedules in real time; times are in nanoseconds. Linux
        allows it to processes with the capability CAP_SYS_NICE; others get a warning."""
        if not pin_operator:
            raise ValueError(f"the operator `{op.name}` needs a thread of its own: pin it")
        pinned = {
            "pin_entity": True,
            "pin_cores": list(pin_cores),
            "sched_policy": SchedulingPolicy(sched_policy).name,
            "sched_priority": sched_priority,
            "sched_runtime": sched_runtime,
            "sched_deadline": sched_deadline,
            "sched_period": sched_period,
        }
        self._members.append((op, pinned))

    @property
    def operators(self) -> list[Any]:
        """The operators."""
        return [operator for operator, _ in self._members]


_MISSING = {
    **dict.fromkeys(
        (
            "CudaAllocator",
            "CudaGreenContext",
            "CudaGreenContextPool",
            "RMMAllocator",
            "StreamOrderedAllocator",
        ),
        ON_A_GPU,
    ),
    **dict.fromkeys(
        ("AsyncBufferReceiver", "AsyncBufferTransmitter", "DoubleBufferReceiver", "DoubleBufferTransmitter"), OF_PORTS
    ),
    **dict.fromkeys(
        (
            "SerializationBuffer",
            "StdComponentSerializer",
            "StdEntitySerializer",
            "UcxComponentSerializer",
            "UcxEntitySerializer",
            "UcxHoloscanComponentSerializer",
            "UcxReceiver",
            "UcxSerializationBuffer",
            "UcxTransmitter",
        ),
        OF_LINKS,
    ),
    "OrConditionCombiner": "is made by `OperatorSpec.or_combine_port_conditions`; call it in `setup`",
}


def __getattr__(name: str) -> Any:
    raise missing(__name__, name, _MISSING)
