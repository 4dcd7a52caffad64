"""A graph with a clock and a scheduler."""

from __future__ import annotations

from typing import Any

import gxf.std.Components as std
from gxf.core.Gxf import Component, Graph
from gxf.std import standard_methods
from gxf.std.compute_entity import ComputeEntity

__all__ = ["StandardGraph"]


class StandardGraph(Graph):
    """A graph with a manual clock and a greedy scheduler, unless others are given."""

    def __init__(
        self, name: str = "", clock: Component | None = None, scheduler: Component | None = None
    ) -> None:
        super().__init__(name)
        self._the_clock = standard_methods.set_clock(self, clock or std.ManualClock("clock"))
        if scheduler is None:
            scheduler = std.GreedyScheduler("scheduler", max_duration_ms=1000000)
        scheduler._params.setdefault("clock", self._the_clock)
        self._the_scheduler = standard_methods.set_scheduler(self, scheduler)

    def add_codelet(self, codelet: Component, name: str = "", **kwargs: Any) -> ComputeEntity:
        """Adds an entity with a codelet."""
        own = {key: kwargs.pop(key) for key in ("count", "recess_period") if key in kwargs}
        entity = self.add(ComputeEntity(name or codelet.name, **own))
        entity.add_codelet(codelet, **kwargs)
        return entity

    def connect(self, source: Component, target: Component) -> Component:
        """Connects a transmitter to a receiver."""
        return standard_methods.connect(source, target, self)

    def get_clock(self) -> Component:
        """The clock."""
        return self._the_clock

    def get_scheduler(self) -> Component:
        """The scheduler."""
        return self._the_scheduler
