"""The paths of messages and how long they take."""

from __future__ import annotations

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

    def get_all_path_names(self) -> list[str]:
        """Names of the operators of each path."""
        return [self.get_path_name(index) for index in range(self.num_paths())]

    def has_operator(self, name: str) -> list[int]:
        """The paths that an operator is part of."""
        return [index for index, path in enumerate(self._paths) if any(step[0] == name for step in path)]

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

    def _roots(self) -> MessageLabel:
        return MessageLabel(distinct([path[:1] for path in self._paths]))

    def _sent(self, now: int) -> MessageLabel:
        return MessageLabel([[*path[:-1], (path[-1][0], path[-1][1], now)] for path in self._paths])


def distinct(paths: list[list[tuple[str, int, int]]]) -> list[list[tuple[str, int, int]]]:
    """The paths of several messages, each once."""
    found = {tuple(name for name, _, _ in path): path for path in paths}
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


class DataFlowTracker:
    """Measures how long messages take along each path, from roots to leaves."""

    def __init__(
        self,
        fragment: Any,
        num_start_messages_to_skip: int = 10,
        num_last_messages_to_discard: int = 10,
        latency_threshold: int = 0,
        is_limited_tracking: bool = False,
    ) -> None:
        self._fragment = fragment
        self._lock = threading.Lock()
        self._latencies: dict[str, list[int]] = {}
        self._published: dict[str, int] = {}
        self._probes: set[str] = set()
        self._filename = ""
        self._buffered = 0
        self._lines: list[str] = []
        self._logged = 0
        self.set_skip_starting_messages(num_start_messages_to_skip)
        self.set_discard_last_messages(num_last_messages_to_discard)
        self.set_skip_latencies(latency_threshold)
        self.set_limited_tracking(is_limited_tracking)

    # What it looks at

    def set_skip_starting_messages(self, num: int) -> None:
        """Leaves the first messages of each path out of the latencies."""
        self._skip = num

    def set_discard_last_messages(self, num: int) -> None:
        """Leaves the last messages of each path out of the latencies."""
        self._discard = num

    def set_skip_latencies(self, threshold: int) -> None:
        """Leaves shorter latencies out, in milliseconds."""
        self._threshold = threshold * 1_000_000

    def set_limited_tracking(self, limited_tracking: bool) -> None:
        """Notes times only at roots and leaves: a path is a pair of them."""
        self._is_limited = limited_tracking

    def add_probe_operator(self, name: str) -> None:
        """Measures the paths up to an operator, too."""
        self._probes.add(name)

    def enable_logging(self, filename: str = "logger.log", num_buffered_messages: int = 100) -> None:
        """Writes the paths of each message at a leaf to a file, always several messages at once."""
        with self._lock:
            self._filename, self._buffered, self._logged = filename, num_buffered_messages, 0

    def end_logging(self) -> None:
        """Writes what is still to be written to the file."""
        with self._lock:
            self._write()

    def disable_logging(self) -> None:
        """Writes what is still to be written to the file, and nothing more."""
        with self._lock:
            self._write()
            self._filename = ""

    def _write(self) -> None:
        if not self._lines:
            return
        # Not before there is something: in another process, another one may track the same fragment.
        with open(self._filename, "a" if self._logged else "w", encoding="utf-8") as file:
            file.writelines(f"{number}:\n{line}\n" for number, line in enumerate(self._lines, self._logged + 1))
        self._logged += len(self._lines)
        self._lines.clear()

    # What operators report

    def _is_measured(self, operator: Any) -> bool:
        return operator._is_leaf or operator.name in self._probes

    def _received(self, operator: Any, label: MessageLabel, now: int, is_old: bool) -> MessageLabel:
        """What an operator knows of a message that arrived with a label."""
        if self._is_limited and not self._is_measured(operator):
            return label
        return label._received(operator.name, now, is_old)

    def _sent(self, operator: Any, port: str, label: MessageLabel, now: int, began: int) -> MessageLabel:
        """The label of a message that an operator sends after those with a label."""
        if operator._is_root:
            key = f"{operator.name}->{port}"
            with self._lock:
                self._published[key] = self._published.get(key, 0) + 1
        if not label.num_paths():
            return MessageLabel([[(operator.name, began, now)]])
        return label._roots() if self._is_limited else MessageLabel(distinct(label._paths))._sent(now)

    def _ended(self, operator: Any, label: MessageLabel) -> None:
        if not self._is_measured(operator):
            return
        with self._lock:
            # A path counts once for each message that came along it.
            for index in range(label.num_paths()):
                latency = label.get_e2e_latency(index)
                if latency >= self._threshold:
                    self._latencies.setdefault(label.get_path_name(index), []).append(latency)
            if self._filename and label.num_paths() and operator._is_leaf:
                self._lines.append(label.to_string())
                if len(self._lines) >= self._buffered:
                    self._write()

    # What it found

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
        """A measurement of a path; without one, the messages that roots sent, by `operator->output`."""
        if path is None or isinstance(path, DataFlowMetric):
            asked = path or metric or DataFlowMetric.NUM_SRC_MESSAGES
            if asked is not DataFlowMetric.NUM_SRC_MESSAGES:
                raise ValueError(f"{asked} is a metric of a path: name one of {', '.join(self._latencies) or 'none'}")
            return dict(self._published)
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
        for port, count in self._published.items():
            print(f"{port}: {count}")
        print()


class Tracker:
    """Tracks an application in a `with` block around `run`: the block gets its `DataFlowTracker`, or one of
    each fragment by name."""

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
        self._log = (filename, num_buffered_messages)
        self._settings = (
            num_start_messages_to_skip,
            num_last_messages_to_discard,
            latency_threshold,
            is_limited_tracking,
        )
        self._trackers: list[DataFlowTracker] = []

    def __enter__(self) -> DataFlowTracker | dict[str, DataFlowTracker]:
        is_whole = not self._app._composed_fragments()
        tracked = self._app.track(*self._settings) if is_whole else self._app.track_distributed(*self._settings)
        self._trackers = [tracked] if is_whole else list(tracked.values())
        filename, buffered = self._log
        if filename:
            folder, name = os.path.split(filename)
            for tracker in self._trackers:
                # The file of a fragment has the fragment's name before its own.
                own = name if is_whole else f"{tracker._fragment.name}_{name}"
                tracker.enable_logging(os.path.join(folder, own), buffered)
        return tracked

    def __exit__(self, *exception: object) -> None:
        for tracker in self._trackers:
            tracker.end_logging()
            tracker._fragment._tracker = None
