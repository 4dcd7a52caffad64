"""Resources: clocks, allocators, and what needs a GPU."""

from __future__ import annotations

import enum
from typing import Any

from .. import _gxe
from ._component import Resource
from .conditions import nanoseconds

__all__ = [
    "Allocator",
    "BlockMemoryPool",
    "Clock",
    "CudaStreamPool",
    "ManualClock",
    "MemoryStorageType",
    "RealtimeClock",
    "SyntheticClock",
    "UnboundedAllocator",
]


class MemoryStorageType(enum.IntEnum):
    """Kind of memory."""

    HOST = 0
    DEVICE = 1
    SYSTEM = 2


class _Native(Resource):
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
        *,
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

    def __init__(self, fragment: Any, initial_timestamp: int = 0, *, name: str = "manual_clock") -> None:
        super().__init__(fragment, name=name, initial_timestamp=initial_timestamp)


class SyntheticClock(Clock):
    """Time that the application moves."""

    gxf_typename = "nvidia::gxf::SyntheticClock"

    def __init__(
        self, fragment: Any, initial_timestamp: int = 0, *, name: str = "synthetic_clock"
    ) -> None:
        super().__init__(fragment, name=name, initial_timestamp=initial_timestamp)


class Allocator(_Native):
    """Base of allocators."""


class UnboundedAllocator(Allocator):
    """Memory without a limit."""

    gxf_typename = "nvidia::gxf::UnboundedAllocator"

    def __init__(self, fragment: Any, *, name: str = "unbounded_allocator") -> None:
        super().__init__(fragment, name=name)


class BlockMemoryPool(Allocator):
    """Blocks of one size."""

    gxf_typename = "nvidia::gxf::BlockMemoryPool"

    def __init__(
        self,
        fragment: Any,
        storage_type: int = MemoryStorageType.HOST,
        block_size: int = 0,
        num_blocks: int = 0,
        dev_id: int = 0,
        *,
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


_ON_A_GPU = (
    "CudaAllocator",
    "CudaGreenContext",
    "CudaGreenContextPool",
    "RMMAllocator",
    "StreamOrderedAllocator",
)


def __getattr__(name: str) -> Any:
    if name in _ON_A_GPU:
        raise NotImplementedError(f"`{name}` needs a GPU, which gxe.holoscan does without")
    if name in ("DoubleBufferReceiver", "DoubleBufferTransmitter"):
        raise NotImplementedError(f"`{name}`: ports make theirs; set their capacity and policy by `connector`")
    if name in ("UcxReceiver", "UcxTransmitter", "UcxSerializationBuffer", "UcxEntitySerializer"):
        raise NotImplementedError(f"`{name}`: flows between fragments make theirs; leave it out")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
