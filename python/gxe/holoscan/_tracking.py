"""The paths of messages and how long they take."""

from __future__ import annotations

import copy
import enum
import os
import threading
from collections.abc import Callable
from typing import Any


class MessageLabel:
    """The paths that a message took, with times."""

    def __init__(self, paths: list[list[tuple[str, int, int]]] | None = None) -> None:
        #: Of each path, the operators with the times of receiving and of sending in nanoseconds.
        self._paths = paths or []

    def num_paths(self) -> int:
        """Number of paths."""
        return len(self._paths)

    def get_path_name(self, index: int) -> str:
        """Names of the operators of a path."""
        return ",".join(name for name, _, _ in self._paths[index])

    def get_e2e_latency(self, index: int) -> int:
        """Time from the first operator to the latest one in nanoseconds."""
        path = self._paths[index]
        return max(path[-1][1], path[-1][2]) - path[0][1]

    def get_e2e_latency_ms(self, index: int) -> float:
        """Time from the first operator to the latest one in milliseconds."""
        return self.get_e2e_latency(index) / 1e6

    def to_string(self) -> str:
        """The paths, one a line."""
        steps = ("->".join(f"({n},{r},{p})" for n, r, p in path) for path in self._paths)
        return "\n".join(steps)

    __str__ = to_string

    def _received(self, name: str, now: int, is_old: bool) -> MessageLabel:
        """The paths as far as an operator; of a message that it has seen before, as `sender_old,name`."""
        step = (name, now, -1)
        if not is_old:
            return MessageLabel([[*path, step] for path in self._paths])
        ends = [(path[:-1], path[-1]) for path in self._paths]
        return MessageLabel([[*path, (f"{end[0]}_old", *end[1:]), step] for path, end in ends])

    def _sent(self, now: int) -> MessageLabel:
        return MessageLabel([[*path[:-1], (path[-1][0], path[-1][1], now)] for path in self._paths])


def distinct(labels: dict[str, MessageLabel]) -> list[list[tuple[str, int, int]]]:
    """The paths of several messages, each once."""
    found: dict[tuple[str, ...], list[tuple[str, int, int]]] = {}
    for label in labels.values():
        for path in label._paths:
            found[tuple(name for name, _, _ in path)] = path
    return list(found.values())


class DataFlowMetric(enum.Enum):
    """What the tracker measures."""

    MAX_MESSAGE_ID = 0
    MIN_MESSAGE_ID = 1
    MAX_E2E_LATENCY = 2
    AVG_E2E_LATENCY = 3
    MIN_E2E_LATENCY = 4
    NUM_SRC_MESSAGES = 5
    NUM_DST_MESSAGES = 6


class Tracker:
    """Measures how long messages take along each path, from roots to leaves. A context manager around
    `run`."""

    def __init__(
        self,
        app: Any,
        *,
        filename: str = "",
        num_buffered_messages: int = 100,
        num_start_messages_to_skip: int = 10,
        num_last_messages_to_discard: int = 10,
        latency_threshold: int = 0,
        is_limited_tracking: bool = False,
    ) -> None:
        self._app = app
        self._filename = filename
        self._skip = num_start_messages_to_skip
        self._discard = num_last_messages_to_discard
        #: In nanoseconds.
        self._threshold = latency_threshold * 1_000_000
        self._of_fragments: dict[str, Tracker] = {}
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._latencies: dict[str, list[int]] = {}
        self._lines: list[str] = []
        self._sent: dict[str, int] = {}
        self._probes: set[str] = set()

    def __enter__(self) -> Any:
        fragments = self._app._composed_fragments()
        if fragments:
            self._of_fragments = {fragment.name: self._of_fragment(fragment) for fragment in fragments}
            return self._of_fragments
        self._app._tracker = self
        return self

    def __exit__(self, *exception: object) -> None:
        for tracker in list(self._of_fragments.values()) or [self]:
            tracker._app._tracker = None
            tracker._finish()

    def _of_fragment(self, fragment: Any) -> Tracker:
        """The tracker of a fragment; its file has the fragment's name before its own."""
        tracker = copy.copy(self)
        tracker._app = fragment
        tracker._reset()
        if self._filename:
            folder, name = os.path.split(self._filename)
            tracker._filename = os.path.join(folder, f"{fragment.name}_{name}")
        fragment._tracker = tracker
        return tracker

    def add_probe_operator(self, name: str) -> None:
        """Measures the paths up to an operator, too."""
        self._probes.add(name)

    def _ended(self, operator: Any, labels: dict[str, MessageLabel]) -> None:
        with self._lock:
            if not operator._sources and not operator._linked[True]:
                self._sent[operator.name] = self._sent.get(operator.name, 0) + 1
            if (operator._flows or operator._linked[False]) and operator.name not in self._probes:
                return
            # A path counts once for each message that came along it.
            label = MessageLabel([path for label in labels.values() for path in label._paths])
            for index in range(label.num_paths()):
                latency = label.get_e2e_latency(index)
                if latency >= self._threshold:
                    self._latencies.setdefault(label.get_path_name(index), []).append(latency)
            if self._filename and label.num_paths():
                self._lines.append(label.to_string())

    def _finish(self) -> None:
        if self._filename:
            with self._lock, open(self._filename, "w", encoding="utf-8") as file:
                file.writelines(f"{number}:\n{line}\n" for number, line in enumerate(self._lines, 1))

    end_logging = _finish

    def _counted(self, path: str) -> list[int]:
        found = self._latencies.get(path, [])
        return found[self._skip : len(found) - self._discard] if self._discard else found[self._skip :]

    def get_path_strings(self) -> list[str]:
        """The paths."""
        return list(self._latencies)

    def get_num_paths(self) -> int:
        """Number of paths."""
        return len(self._latencies)

    def get_metric(self, path: Any = None, metric: Any = None) -> Any:
        """A measurement of a path; without arguments, the messages that each root sent."""
        if path is None or isinstance(path, DataFlowMetric):
            return dict(self._sent)
        found = self._counted(path)
        values: dict[DataFlowMetric, Callable[[], float]] = {
            DataFlowMetric.MAX_E2E_LATENCY: lambda: max(found) / 1e6,
            DataFlowMetric.MIN_E2E_LATENCY: lambda: min(found) / 1e6,
            DataFlowMetric.AVG_E2E_LATENCY: lambda: sum(found) / len(found) / 1e6,
            DataFlowMetric.NUM_DST_MESSAGES: lambda: len(found),
            DataFlowMetric.MAX_MESSAGE_ID: lambda: found.index(max(found)) + 1 + self._skip,
            DataFlowMetric.MIN_MESSAGE_ID: lambda: found.index(min(found)) + 1 + self._skip,
        }
        if metric not in values:
            raise ValueError(f"{metric} is not a metric of a path")
        return values[metric]() if found else 0.0

    def print(self) -> None:
        """Prints the measurements."""
        print("Data Flow Tracking Results:")
        print(f"Total paths: {len(self._latencies)}\n")
        for number, path in enumerate(self._latencies, 1):
            print(f"Path {number}: {path}")
            found = self._counted(path)
            print(f"Number of messages: {len(found)}")
            if found:
                print(f"Min Latency Message No: {self.get_metric(path, DataFlowMetric.MIN_MESSAGE_ID)}")
                print(f"Min end-to-end Latency (ms): {min(found) / 1e6}")
                print(f"Avg end-to-end Latency (ms): {sum(found) / len(found) / 1e6}")
                print(f"Max Latency Message No: {self.get_metric(path, DataFlowMetric.MAX_MESSAGE_ID)}")
                print(f"Max end-to-end Latency (ms): {max(found) / 1e6}")
            print()
        print("Number of source messages [format: source operator->transmitter name: number of messages]:")
        for name, count in self._sent.items():
            outputs = self._app._operators[name].spec.outputs
            for output in outputs:
                print(f"{name}->{output}: {count}")
        print()


DataFlowTracker = Tracker
