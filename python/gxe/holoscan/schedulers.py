"""Schedulers."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from ._component import Parameterized, Scheduler, parameter
from .resources import Clock, RealtimeClock

__all__ = ["EventBasedScheduler", "GreedyScheduler", "MultiThreadScheduler"]


class _Native(Parameterized, Scheduler):
    stop_on_deadlock = parameter("stop_on_deadlock", "Whether the run ends when no operator can run any more.")
    stop_on_deadlock_timeout = parameter("stop_on_deadlock_timeout", "How long it waits before, in milliseconds.")

    def __init__(self, fragment: Any, *, name: str, clock: Any = None, **parameters: Any) -> None:
        super().__init__(fragment, name=name)
        if clock is not None and not isinstance(clock, Clock):
            clocks = "a RealtimeClock, a ManualClock or a SyntheticClock of holoscan.resources"
            raise TypeError(f"the clock of a scheduler is {clocks}, and no {type(clock).__name__}")
        self._chosen_clock = clock
        self._parameters = {key: value for key, value in parameters.items() if value is not None}

    @property
    def clock(self) -> Clock:
        """The clock that the application runs by."""
        if self._chosen_clock is None:
            self._chosen_clock = RealtimeClock(self.fragment)
        return self._chosen_clock

    @property
    def max_duration_ms(self) -> int:
        """How long the run takes at most, in milliseconds; -1 without a limit."""
        return self._parameters.get("max_duration_ms", -1)

    @max_duration_ms.setter
    def max_duration_ms(self, duration: int) -> None:
        self._change("max_duration_ms", duration)


class GreedyScheduler(_Native):
    """One thread."""

    gxf_typename = "nvidia::gxf::GreedyScheduler"
    check_recession_period_ms = parameter("check_recession_period_ms", "Milliseconds between checks of waiting operators.")

    def __init__(
        self,
        fragment: Any,
        *,
        clock: Any = None,
        stop_on_deadlock: bool = True,
        max_duration_ms: int = -1,
        check_recession_period_ms: float = 0.0,
        stop_on_deadlock_timeout: int = 0,
        name: str = "greedy_scheduler",
    ) -> None:
        super().__init__(
            fragment,
            name=name,
            clock=clock,
            stop_on_deadlock=stop_on_deadlock,
            max_duration_ms=max_duration_ms if max_duration_ms >= 0 else None,
            check_recession_period_ms=check_recession_period_ms,
            stop_on_deadlock_timeout=stop_on_deadlock_timeout,
        )


class MultiThreadScheduler(_Native):
    """Several threads."""

    gxf_typename = "nvidia::gxf::MultiThreadScheduler"
    worker_thread_number = parameter("worker_thread_number", "Number of threads.")
    check_recession_period_ms = parameter("check_recession_period_ms", "Milliseconds between checks of waiting operators.")
    strict_job_thread_pinning = parameter("strict_job_thread_pinning", "Whether pinned operators have threads for them alone.")

    def __init__(
        self,
        fragment: Any,
        *,
        clock: Any = None,
        worker_thread_number: int = 1,
        stop_on_deadlock: bool = True,
        check_recession_period_ms: float = 5.0,
        max_duration_ms: int = -1,
        stop_on_deadlock_timeout: int = 0,
        strict_job_thread_pinning: bool = False,
        name: str = "multithread_scheduler",
    ) -> None:
        super().__init__(
            fragment,
            name=name,
            clock=clock,
            worker_thread_number=worker_thread_number,
            stop_on_deadlock=stop_on_deadlock,
            check_recession_period_ms=check_recession_period_ms,
            max_duration_ms=max_duration_ms if max_duration_ms >= 0 else None,
            stop_on_deadlock_timeout=stop_on_deadlock_timeout,
            strict_job_thread_pinning=strict_job_thread_pinning,
        )


class EventBasedScheduler(_Native):
    """Several threads, driven by events."""

    gxf_typename = "nvidia::gxf::EventBasedScheduler"
    worker_thread_number = parameter("worker_thread_number", "Number of threads.")
    pin_cores = parameter("pin_cores", "Processor cores of the threads; any if empty.")

    def __init__(
        self,
        fragment: Any,
        *,
        clock: Any = None,
        worker_thread_number: int = 1,
        stop_on_deadlock: bool = True,
        max_duration_ms: int = -1,
        stop_on_deadlock_timeout: int = 0,
        pin_cores: Sequence[int] = (),
        name: str = "event_based_scheduler",
    ) -> None:
        super().__init__(
            fragment,
            name=name,
            clock=clock,
            worker_thread_number=worker_thread_number,
            stop_on_deadlock=stop_on_deadlock,
            max_duration_ms=max_duration_ms if max_duration_ms >= 0 else None,
            stop_on_deadlock_timeout=stop_on_deadlock_timeout,
            pin_cores=list(pin_cores),
        )


_SCHEDULERS: dict[str, type[Scheduler]] = {
    "greedy": GreedyScheduler,
    "multi_thread": MultiThreadScheduler,
    "multithread": MultiThreadScheduler,
    "event_based": EventBasedScheduler,
}


def _boolean(text: str) -> bool:
    values = {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}
    return values[text.lower()]


# Parameters of schedulers, the variables with their values, and their types.
_SCHEDULING: tuple[tuple[str, str, Callable[[str], Any], str], ...] = (
    ("stop_on_deadlock", "HOLOSCAN_STOP_ON_DEADLOCK", _boolean, "true or false"),
    ("stop_on_deadlock_timeout", "HOLOSCAN_STOP_ON_DEADLOCK_TIMEOUT", int, "a number of milliseconds"),
    ("max_duration_ms", "HOLOSCAN_MAX_DURATION_MS", int, "a number of milliseconds"),
    ("check_recession_period_ms", "HOLOSCAN_CHECK_RECESSION_PERIOD_MS", float, "a number of milliseconds"),
)


def of_environment(fragment: Any) -> Scheduler:
    """The scheduler of a fragment that has none, as HOLOSCAN_DISTRIBUTED_APP_SCHEDULER and four further
    variables say: a greedy one without them."""
    variable = "HOLOSCAN_DISTRIBUTED_APP_SCHEDULER"
    kind = os.environ.get(variable) or "greedy"
    if kind not in _SCHEDULERS:
        choices = "greedy, multi_thread or event_based"
        raise RuntimeError(f"{variable} is `{kind}`, and must be {choices}")
    parameters = {}
    for key, variable, convert, meaning in _SCHEDULING:
        text = os.environ.get(variable, "").strip()
        # Nothing is checked periodically there.
        if not text or (kind == "event_based" and key == "check_recession_period_ms"):
            continue
        try:
            parameters[key] = convert(text)
        except (KeyError, ValueError):
            raise RuntimeError(f"{variable} is `{text}`, and must be {meaning}") from None
    return _SCHEDULERS[kind](fragment, **parameters)
