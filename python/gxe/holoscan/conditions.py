"""Conditions of the engine."""

from __future__ import annotations

import datetime
import enum
import numbers
import operator
from typing import Any

from .._gxe import AsynchronousTerm, BooleanTerm
from ._component import Condition, parameter
from ._missing import ON_A_GPU, missing
from ._types import Arg

__all__ = [
    "AsynchronousCondition",
    "AsynchronousEventState",
    "BooleanCondition",
    "CountCondition",
    "DownstreamMessageAffordableCondition",
    "ExpiringMessageAvailableCondition",
    "MemoryAvailableCondition",
    "MessageAvailableCondition",
    "MultiMessageAvailableCondition",
    "MultiMessageAvailableTimeoutCondition",
    "PeriodicCondition",
    "PeriodicConditionPolicy",
]


def nanoseconds(value: Any) -> int:
    """A duration in nanoseconds: of an integer, a number of seconds, or a `timedelta`."""
    value = value.value if isinstance(value, Arg) else value
    if isinstance(value, datetime.timedelta):
        return (value.days * 86_400 + value.seconds) * 1_000_000_000 + value.microseconds * 1000
    # NumPy's numbers are none of Python's.
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral):
        return round(float(value) * 1e9)
    return _integer(value, "a duration is nanoseconds, seconds as a float, or a timedelta")


def _integer(value: Any, meaning: str) -> int:
    value = value.value if isinstance(value, Arg) else value
    try:
        # Those of NumPy before 2.1 count as integers, too.
        if type(value).__name__ not in ("bool", "bool_"):
            return operator.index(value)
    except TypeError:
        pass
    raise TypeError(f"{meaning}, and not {value!r}")


class AsynchronousEventState(enum.IntEnum):
    """State of an event outside the application."""

    READY = 0
    WAIT = 1
    EVENT_WAITING = 2
    EVENT_DONE = 3
    EVENT_NEVER = 4


class _Native(Condition):
    """A condition that the engine checks itself."""

    def __init__(self, fragment: Any, *, name: str = "", **parameters: Any) -> None:
        super().__init__(fragment, name=name)
        self._parameters = {key: value for key, value in parameters.items() if value is not None}
        self._kept: Any = None
        self._is_live = False

    def _term(self, kind: type) -> Any:
        if self._kept is None and self._is_live:
            self._kept = kind.at(self._graph.context.address, self._cid)
        return self._kept

    def _entered(self, made: Any) -> None:
        super()._entered(made)
        self._kept = None
        self._is_live = True

    def _left(self) -> None:
        self._kept = None
        self._is_live = False

    def _change(self, key: str, value: Any) -> None:
        """Sets a parameter; while the application runs, between two executions."""
        self._parameters[key] = value
        if self._is_live:
            self._graph.context.set_parameter(self._cid, key, value)

    def _set_arg(self, key: str, value: Any) -> None:
        # Parameters with properties may be computed of what is stated.
        if isinstance(getattr(type(self), key, None), property):
            setattr(self, key, value)
        else:
            self._change(key, value)

    def initialize(self) -> None:
        """The engine does it."""


class _OfState(_Native):
    """A condition with a state that activation resets."""

    #: The latest state that this run was given.
    _wanted: Any = None

    def _apply(self, state: Any) -> None:
        """Sets the state of the term."""

    def _activated(self) -> None:
        applied = None
        # Another thread may set it meanwhile.
        while self._wanted is not applied and self._is_live:
            applied = self._wanted
            self._apply(applied)

    def _left(self) -> None:
        super()._left()
        self._wanted = None


class CountCondition(_Native):
    """Lets the operator run `count` times; without end if negative."""

    gxf_typename = "nvidia::gxf::CountSchedulingTerm"

    def __init__(self, fragment: Any, count: int = 1, name: str = "noname_count_condition") -> None:
        super().__init__(fragment, name=name)
        self.count = count

    @property
    def count(self) -> int:
        """How often."""
        return self._count

    @count.setter
    def count(self, count: int) -> None:
        self._count = _integer(count, "a count is an integer")
        unlimited = 2**63 - 1
        self._change("count", unlimited if self._count < 0 else self._count)


class PeriodicConditionPolicy(enum.Enum):
    """What follows an execution that was late."""

    CATCH_UP_MISSED_TICKS = 0
    MIN_TIME_BETWEEN_TICKS = 1
    NO_CATCH_UP_MISSED_TICKS = 2


class PeriodicCondition(_Native):
    """Lets the operator run once a period: nanoseconds, seconds as a float, or a `timedelta`."""

    gxf_typename = "nvidia::gxf::PeriodicSchedulingTerm"

    def __init__(
        self,
        fragment: Any,
        recess_period: Any,
        policy: PeriodicConditionPolicy | str = PeriodicConditionPolicy.CATCH_UP_MISSED_TICKS,
        name: str = "noname_periodic_condition",
    ) -> None:
        self._period = nanoseconds(recess_period)
        known = {policy.name: policy for policy in PeriodicConditionPolicy}
        # The engine's names.
        names = {key: "".join(map(str.capitalize, key.split("_"))) for key in known}
        found = next((key for key in known if policy in (known[key], key, names[key])), None)
        if found is None:
            text = f"the policy of a PeriodicCondition is a PeriodicConditionPolicy, and not {policy!r}"
            hint = "; a name is the argument behind it, or name=" if isinstance(policy, str) else ""
            raise TypeError(text + hint)
        super().__init__(fragment, name=name, recess_period=f"{self._period}ns")
        if found != "CATCH_UP_MISSED_TICKS":
            self._parameters["policy"] = names[found]

    def recess_period(self, period: Any) -> None:
        """Changes the period."""
        self._period = nanoseconds(period)
        self._change("recess_period", f"{self._period}ns")

    def recess_period_ns(self) -> int:
        """The period in nanoseconds."""
        return self._period

    def last_run_timestamp(self) -> int:
        """Time of the operator's latest execution in nanoseconds; 0 before the first."""
        executor = self._operator and self._operator._executor
        return executor.ran_at if executor else 0


class BooleanCondition(_OfState):
    """Lets the operator run while it is enabled. Each run begins as before the application ran."""

    gxf_typename = "nvidia::gxf::BooleanSchedulingTerm"

    def __init__(
        self, fragment: Any, enable_tick: bool = True, name: str = "noname_boolean_condition"
    ) -> None:
        super().__init__(fragment, name=name, enable_tick=enable_tick)

    def _set(self, enabled: bool) -> None:
        if self._is_live:
            self._wanted = enabled
            self._apply(enabled)
        else:
            self._parameters["enable_tick"] = enabled

    def _apply(self, state: bool) -> None:
        term = self._term(BooleanTerm)
        if term is not None:
            (term.enable_tick if state else term.disable_tick)()

    def enable_tick(self) -> None:
        """Lets the operator run."""
        self._set(True)

    def disable_tick(self) -> None:
        """Ends the operator."""
        self._set(False)

    def check_tick_enabled(self) -> bool:
        """Whether the operator may run."""
        term = self._term(BooleanTerm)
        return self._parameters["enable_tick"] if term is None else term.check_tick_enabled()


class AsynchronousCondition(_OfState):
    """Lets the operator run when an event outside the application happened."""

    gxf_typename = "nvidia::gxf::AsynchronousSchedulingTerm"

    def __init__(self, fragment: Any, name: str = "noname_async_condition") -> None:
        super().__init__(fragment, name=name)

    def _apply(self, state: AsynchronousEventState) -> None:
        term = self._term(AsynchronousTerm)
        if term is not None:
            term.event_state = int(state)

    @property
    def event_state(self) -> AsynchronousEventState:
        """State of the event."""
        term = self._term(AsynchronousTerm)
        if term is None:
            return self._wanted or AsynchronousEventState.READY
        return AsynchronousEventState(term.event_state)

    @event_state.setter
    def event_state(self, state: AsynchronousEventState) -> None:
        self._wanted = AsynchronousEventState(state)
        self._apply(self._wanted)


class MessageAvailableCondition(_Native):
    """Lets the operator run when an input has messages."""

    gxf_typename = "nvidia::gxf::MessageAvailableSchedulingTerm"
    receiver = parameter("receiver", "Name of the input; `None` if it is that of the port.")
    min_size = parameter("min_size", "Number of messages.")
    front_stage_max_size = parameter("front_stage_max_size", "Number of messages above which it waits.")

    def __init__(
        self,
        fragment: Any,
        *,
        receiver: str | None = None,
        min_size: int = 1,
        front_stage_max_size: int | None = None,
        name: str = "noname_message_available_condition",
    ) -> None:
        super().__init__(
            fragment,
            name=name,
            receiver=receiver,
            min_size=min_size,
            front_stage_max_size=front_stage_max_size,
        )


class ExpiringMessageAvailableCondition(_Native):
    """Lets the operator run when messages have waited, or are many enough."""

    gxf_typename = "nvidia::gxf::ExpiringMessageAvailableSchedulingTerm"
    receiver = parameter("receiver", "Name of the input; `None` if it is that of the port.")
    max_batch_size = parameter("max_batch_size", "Number of messages that need not wait.")

    def __init__(
        self,
        fragment: Any,
        max_batch_size: int = 1,
        max_delay_ns: Any = 0,
        *,
        receiver: str | None = None,
        name: str = "noname_expiring_message_available_condition",
    ) -> None:
        super().__init__(
            fragment,
            name=name,
            receiver=receiver,
            max_batch_size=max_batch_size,
            max_delay_ns=nanoseconds(max_delay_ns),
        )

    def max_delay(self, delay: Any) -> None:
        """Changes the time that a message waits at most."""
        self._change("max_delay_ns", nanoseconds(delay))

    def max_delay_ns(self) -> int:
        """The time that a message waits at most, in nanoseconds."""
        return self._parameters["max_delay_ns"]


class DownstreamMessageAffordableCondition(_Native):
    """Lets the operator run when there is room behind an output."""

    gxf_typename = "nvidia::gxf::DownstreamReceptiveSchedulingTerm"
    transmitter = parameter("transmitter", "Name of the output; `None` if it is that of the port.")
    min_size = parameter("min_size", "Number of messages for which there is room.")

    def __init__(
        self,
        fragment: Any,
        *,
        transmitter: str | None = None,
        min_size: int = 1,
        name: str = "noname_downstream_affordable_condition",
    ) -> None:
        super().__init__(fragment, name=name, transmitter=transmitter, min_size=min_size)


class MemoryAvailableCondition(_Native):
    """Lets the operator run when an allocator has memory."""

    gxf_typename = "nvidia::gxf::MemoryAvailableSchedulingTerm"
    allocator = parameter("allocator", "The allocator.")
    min_bytes = parameter("min_bytes", "Number of bytes.")
    min_blocks = parameter("min_blocks", "Number of blocks.")

    def __init__(
        self,
        fragment: Any,
        allocator: Any,
        *,
        min_bytes: int | None = None,
        min_blocks: int | None = None,
        name: str = "noname_memory_available_condition",
    ) -> None:
        super().__init__(
            fragment, name=name, allocator=allocator, min_bytes=min_bytes, min_blocks=min_blocks
        )


class SamplingMode(enum.Enum):
    """How messages of several inputs count."""

    SUM_OF_ALL = "SumOfAll"
    PER_RECEIVER = "PerReceiver"

    @classmethod
    def _missing_(cls, value: object) -> SamplingMode | None:
        return cls.__members__.get(value) if isinstance(value, str) else None


class _OfSeveralInputs(_Native):
    SamplingMode = SamplingMode
    receivers = parameter("receivers", "Names of the inputs.")
    min_sizes = parameter("min_sizes", "Number of messages of each input.")
    min_sum = parameter("min_sum", "Number of messages of all inputs.")

    @property
    def sampling_mode(self) -> SamplingMode:
        """How messages of the inputs count."""
        return SamplingMode(self._parameters["sampling_mode"])

    @sampling_mode.setter
    def sampling_mode(self, mode: Any) -> None:
        self._change("sampling_mode", SamplingMode(mode).value)


class MultiMessageAvailableCondition(_OfSeveralInputs):
    """Lets the operator run when several inputs have messages."""

    gxf_typename = "nvidia::gxf::MultiMessageAvailableSchedulingTerm"

    def __init__(
        self,
        fragment: Any,
        *,
        receivers: list[str] | None = None,
        sampling_mode: Any = SamplingMode.SUM_OF_ALL,
        min_sizes: list[int] | None = None,
        min_sum: int | None = None,
        name: str = "noname_multi_message_available_condition",
    ) -> None:
        super().__init__(
            fragment,
            name=name,
            receivers=receivers,
            sampling_mode=SamplingMode(sampling_mode).value,
            min_sizes=min_sizes,
            min_sum=min_sum,
        )


class MultiMessageAvailableTimeoutCondition(_OfSeveralInputs):
    """As `MultiMessageAvailableCondition`, and at the latest after a time."""

    gxf_typename = "nvidia::gxf::MessageAvailableFrequencyThrottler"
    execution_frequency = parameter("execution_frequency", "The time, as a text such as `250ms` or `30Hz`.")

    def _change(self, key: str, value: Any) -> None:
        # The term, which is written in Python, looks here.
        self._parameters[key] = value

    def __init__(
        self,
        fragment: Any,
        *,
        receivers: list[str] | None = None,
        execution_frequency: str = "",
        sampling_mode: Any = SamplingMode.SUM_OF_ALL,
        min_sizes: list[int] | None = None,
        min_sum: int | None = None,
        name: str = "noname_multi_message_available_timeout_condition",
    ) -> None:
        super().__init__(
            fragment,
            name=name,
            receivers=receivers,
            execution_frequency=execution_frequency,
            sampling_mode=SamplingMode(sampling_mode).value,
            min_sizes=min_sizes,
            min_sum=min_sum,
        )


_MISSING = dict.fromkeys(("CudaBufferAvailableCondition", "CudaEventCondition", "CudaStreamCondition"), ON_A_GPU)


def __getattr__(name: str) -> Any:
    raise missing(__name__, name, _MISSING)
