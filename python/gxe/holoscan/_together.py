"""Graphs that run in this process at the same time and are linked to each other."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from .. import _gxe, GxfError
from .._graph import Graph, Run

#: The first pause in seconds between two questions whether graphs in a circle are over, and the longest.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0


def run_together(graphs: list[Graph], has_circle: bool, activated: Callable[[], None]) -> None:
    """Runs all graphs to their ends, after calling `activated` once all are active. If one fails, or at
    Ctrl-C, the others are interrupted."""
    runs: list[Run] = []
    try:
        for graph in graphs:
            graph.activate()
        activated()
        for graph in graphs:
            runs.append(graph.run_async())
    except BaseException:
        for run in runs:
            run.interrupt()
        for run in runs:
            _outcome(run)
        for graph in graphs:
            if graph._is_active:
                graph.deactivate()
        raise
    _wait(runs, has_circle)


def _outcome(run: Run) -> BaseException | None:
    try:
        run.wait()
    except BaseException as error:
        return error
    return None


def _wait(runs: list[Run], has_circle: bool) -> None:
    ended: queue.SimpleQueue[tuple[Run, BaseException | None]] = queue.SimpleQueue()
    for run in runs:
        wait = lambda run=run: ended.put((run, _outcome(run)))  # noqa: E731
        threading.Thread(target=wait, name="holoscan fragment", daemon=True).start()
    left = list(runs)
    errors: list[BaseException] = []
    pause = _FIRST_PAUSE
    while left:
        try:
            run, error = ended.get(timeout=pause if has_circle else None)
        except queue.Empty:
            pause = min(2 * pause, _LONGEST_PAUSE)
            _end_circle(left)
            continue
        except BaseException as interrupted:
            if any(isinstance(error, KeyboardInterrupt) for error in errors):
                raise
            error = interrupted
        else:
            left.remove(run)
        if error is not None:
            errors.append(error)
            for run in left:
                run.interrupt()
    if errors:
        # A fragment that lost its link fails, too, perhaps sooner.
        raise next((error for error in errors if error.__cause__ is not None), errors[0])


def _end_circle(runs: list[Run]) -> None:
    try:
        _gxe.end_if_over([run.graph.context for run in runs])
    except (GxfError, RuntimeError):
        # One of them has ended meanwhile.
        pass
