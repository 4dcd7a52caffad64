"""Executors: gxe's engine is the only one."""

from __future__ import annotations

from typing import Any

__all__ = ["GXFExecutor"]


class GXFExecutor:
    """The engine that runs a fragment."""

    def __init__(self, fragment: Any) -> None:
        self.fragment = fragment

    @property
    def context_uint64(self) -> int:
        """Address of the engine's context: of the run that goes on, else of the next one."""
        running = self.fragment._graph
        graph = running if running is not None and running._is_active else self.fragment._open_graph()
        return graph.context.address

    def interrupt(self) -> None:
        """Asks the run to end."""
        if self.fragment._graph is not None:
            self.fragment._graph.interrupt()
