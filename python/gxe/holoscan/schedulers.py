"""Schedulers."""

from __future__ import annotations

from typing import Any

from ._component import Scheduler

__all__ = ["EventBasedScheduler", "GreedyScheduler", "MultiThreadScheduler"]


class _Native(Scheduler):
    def __init__(self, fragment: Any, *, name: str, clock: Any = None, **parameters: Any) -> None:
        super().__init__(fragment, name=name)
        self._chosen_clock = clock
        self._parameters = {key: value for key, value in parameters.items() if value is not None}


class GreedyScheduler(_Native):
    """One thread."""

    gxf_typename = "nvidia::gxf::GreedyScheduler"

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
        )


class EventBasedScheduler(_Native):
    """Several threads, driven by events."""

    gxf_typename = "nvidia::gxf::EventBasedScheduler"

    def __init__(
        self,
        fragment: Any,
        *,
        clock: Any = None,
        worker_thread_number: int = 1,
        stop_on_deadlock: bool = True,
        max_duration_ms: int = -1,
        stop_on_deadlock_timeout: int = 0,
        pin_cores: Any = None,
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
        )
