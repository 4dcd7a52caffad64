"""What most graphs need: connections, a clock, a scheduler, statistics."""

from __future__ import annotations

from typing import Any

import gxf.std.Components as std
from gxf.core.Gxf import Component, Entity, Graph

__all__ = ["connect", "enable_job_statistics", "set_clock", "set_scheduler"]


def connect(source: Component, target: Component, graph: Graph | None = None) -> Component:
    """Connects a transmitter to a receiver."""
    for end in (source, target):
        assert end.entity is not None and end.entity._graph is not None, (
            f"{end!r} is not part of a graph"
        )
    if graph is None:
        assert source.entity._graph is target.entity._graph, "the ends are in two graphs: name one"
        graph = source.entity._graph
    entity = graph.add(Entity(""))
    return entity.add(std.Connection("", source=source, target=target))


def _system(graph: Graph, name: str) -> Entity:
    known = getattr(graph, name, None)
    return known if isinstance(known, Entity) else graph.add(Entity(name, True))


def set_clock(graph: Graph, clock: Component) -> Component:
    """Adds the clock of a graph."""
    return _system(graph, "_clock").add(clock)


def set_scheduler(graph: Graph, scheduler: Component) -> Component:
    """Adds the scheduler of a graph."""
    return _system(graph, "_scheduler").add(scheduler)


def enable_job_statistics(graph: Graph, name: str = "__job_stats", **kwargs: Any) -> Component:
    """Collects statistics of a graph."""
    return _system(graph, "_system").add(std.JobStatistics(name, **kwargs))
