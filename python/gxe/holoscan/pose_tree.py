"""Poses: rotations, rigid transformations, and a tree of frames that move over time.

It needs NumPy.
"""

from __future__ import annotations

import bisect
import json
import math
import urllib.parse
from typing import Any

from ._component import Resource
from ._services import DistributedAppService

__all__ = ["SO3", "Pose3", "PoseTree", "PoseTreeManager"]


def _vector(value: Any) -> Any:
    import numpy

    return numpy.asarray(value, dtype=float)


class SO3:
    """A rotation in space, as a unit quaternion (w, x, y, z)."""

    def __init__(self, quaternion: Any = (1.0, 0.0, 0.0, 0.0)) -> None:
        found = _vector(quaternion)
        self._q = found / math.sqrt(float(found @ found))

    @staticmethod
    def identity() -> SO3:
        """No rotation."""
        return SO3()

    @staticmethod
    def from_axis_angle(axis: Any, angle: float) -> SO3:
        """A rotation by an angle in radians about an axis."""
        axis = _vector(axis)
        axis = axis / math.sqrt(float(axis @ axis))
        half = math.sin(angle / 2) * axis
        return SO3((math.cos(angle / 2), *half))

    @staticmethod
    def from_quaternion(quaternion: Any) -> SO3:
        """A rotation by a quaternion (w, x, y, z)."""
        return SO3(quaternion)

    @property
    def quaternion(self) -> Any:
        """The quaternion (w, x, y, z)."""
        return self._q.copy()

    def angle(self) -> float:
        """The angle in radians."""
        return 2 * math.atan2(math.sqrt(float(self._q[1:] @ self._q[1:])), float(self._q[0]))

    def axis(self) -> Any:
        """The axis."""
        length = math.sqrt(float(self._q[1:] @ self._q[1:]))
        return self._q[1:] / length if length else _vector((1.0, 0.0, 0.0))

    def inverse(self) -> SO3:
        """The rotation back."""
        w, x, y, z = self._q
        return SO3((w, -x, -y, -z))

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, SO3):
            return self.rotate(other)
        a, b, c, d = self._q
        e, f, g, h = other._q
        return SO3(
            (
                a * e - b * f - c * g - d * h,
                a * f + b * e + c * h - d * g,
                a * g - b * h + c * e + d * f,
                a * h + b * g - c * f + d * e,
            )
        )

    def rotate(self, vector: Any) -> Any:
        """The rotated vector."""
        import numpy

        vector = _vector(vector)
        turned = 2.0 * numpy.cross(self._q[1:], vector)
        return vector + self._q[0] * turned + numpy.cross(self._q[1:], turned)

    def matrix(self) -> Any:
        """The rotation as a matrix."""
        import numpy

        return numpy.stack([self.rotate(unit) for unit in numpy.eye(3)], axis=1)

    def slerp(self, other: SO3, part: float) -> SO3:
        """The rotation between this (0) and another (1)."""
        goal = other._q if float(self._q @ other._q) >= 0 else -other._q
        cosine = min(1.0, float(self._q @ goal))
        angle = math.acos(cosine)
        if angle < 1e-9:
            return SO3(self._q + part * (goal - self._q))
        first, second = math.sin((1 - part) * angle), math.sin(part * angle)
        return SO3((first * self._q + second * goal) / math.sin(angle))

    def __repr__(self) -> str:
        w, x, y, z = (float(number) for number in self._q)
        return f"SO3(quaternion=[{w}, {x}, {y}, {z}])"


class Pose3:
    """A rotation followed by a translation."""

    def __init__(self, rotation: SO3 | None = None, translation: Any = (0.0, 0.0, 0.0)) -> None:
        self.rotation = rotation or SO3()
        self.translation = _vector(translation)

    @staticmethod
    def identity() -> Pose3:
        """No movement."""
        return Pose3()

    @staticmethod
    def from_translation(translation: Any) -> Pose3:
        """A translation."""
        return Pose3(None, translation)

    def inverse(self) -> Pose3:
        """The movement back."""
        back = self.rotation.inverse()
        return Pose3(back, -back.rotate(self.translation))

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Pose3):
            return self.rotation.rotate(other) + self.translation
        turned = self.rotation.rotate(other.translation)
        return Pose3(self.rotation * other.rotation, turned + self.translation)

    def between(self, other: Pose3, part: float) -> Pose3:
        """The pose between this (0) and another (1)."""
        moved = (1 - part) * self.translation + part * other.translation
        return Pose3(self.rotation.slerp(other.rotation, part), moved)

    def __repr__(self) -> str:
        return f"Pose3(rotation={self.rotation}, translation={self.translation})"


class PoseTree:
    """Frames and the poses between them over time. Between two times, poses are interpolated."""

    def __init__(self, history_length: int = 1024) -> None:
        import threading

        self._length = history_length
        self._frames: set[str] = set()
        self._edges: dict[tuple[str, str], list[tuple[float, Pose3]]] = {}
        self._lock = threading.Lock()

    def create_frame(self, name: str) -> str:
        """Adds a frame."""
        with self._lock:
            if name in self._frames:
                raise RuntimeError(f"the frame `{name}` exists already")
            self._frames.add(name)
        return name

    def create_edges(self, left: str, right: str, maximum_length: int = 0) -> None:
        """Connects two frames."""
        with self._lock:
            for name in (left, right):
                if name not in self._frames:
                    raise RuntimeError(f"there is no frame `{name}`")
            self._edges[left, right] = []

    create_edge = create_edges

    def set(self, left: str, right: str, time: float, pose: Pose3) -> None:
        """Sets the pose of `right` in `left` at a time."""
        with self._lock:
            if (right, left) in self._edges:
                left, right, pose = right, left, pose.inverse()
            history = self._edges.get((left, right))
            if history is None:
                raise RuntimeError(f"`{left}` and `{right}` are not connected")
            if history and history[-1][0] >= time:
                raise RuntimeError("poses are set in the order of time")
            history.append((time, pose))
            del history[: -self._length]

    def get(self, left: str, right: str, time: float) -> Pose3:
        """The pose of `right` in `left` at a time."""
        with self._lock:
            path = self._path(left, right)
            result = Pose3()
            for start, end in zip(path, path[1:]):
                if (start, end) in self._edges:
                    result = result * self._at(self._edges[start, end], time)
                else:
                    result = result * self._at(self._edges[end, start], time).inverse()
            return result

    def _path(self, left: str, right: str) -> list[str]:
        before: dict[str, str] = {left: left}
        waiting = [left]
        while waiting:
            frame = waiting.pop(0)
            if frame == right:
                path = [right]
                while path[-1] != left:
                    path.append(before[path[-1]])
                return path[::-1]
            for a, b in self._edges:
                for near, far in ((a, b), (b, a)):
                    if near == frame and far not in before:
                        before[far] = frame
                        waiting.append(far)
        raise RuntimeError(f"no path connects `{left}` and `{right}`")

    @staticmethod
    def _at(history: list[tuple[float, Pose3]], time: float) -> Pose3:
        if not history:
            raise RuntimeError("no pose was set")
        at = bisect.bisect_left([known for known, _ in history], time)
        if at < len(history) and history[at][0] == time:
            return history[at][1]
        if at == 0:
            raise RuntimeError("the time is before the first pose")
        if at == len(history):
            return history[-1][1]
        (earlier, first), (later, second) = history[at - 1], history[at]
        return first.between(second, (time - earlier) / (later - earlier))


def _service_name(manager: str) -> str:
    """The name of a pose tree manager's service in a driver."""
    return f"PoseTree.{urllib.parse.quote(manager, safe='')}"


def _numbers(pose: Pose3) -> list[float]:
    return [*map(float, pose.rotation.quaternion), *map(float, pose.translation)]


def _pose(numbers: list[float]) -> Pose3:
    return Pose3(SO3(numbers[:4]), numbers[4:])


class _RemotePoseTree:
    """The pose tree of a driver, in a worker. Each call is a request."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._service = _service_name(name)

    def _ask(self, method: str, *arguments: Any) -> Any:
        request = json.dumps(arguments)
        answer = json.loads(self._client.action(self._service, method, request))
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["result"]

    def create_frame(self, name: str) -> str:
        """Adds a frame."""
        return self._ask("create_frame", name)

    def create_edges(self, left: str, right: str, maximum_length: int = 0) -> None:
        """Connects two frames."""
        self._ask("create_edges", left, right, maximum_length)

    create_edge = create_edges

    def set(self, left: str, right: str, time: float, pose: Pose3) -> None:
        """Sets the pose of `right` in `left` at a time."""
        self._ask("set", left, right, time, _numbers(pose))

    def get(self, left: str, right: str, time: float) -> Pose3:
        """The pose of `right` in `left` at a time."""
        return _pose(self._ask("get", left, right, time))


class PoseTreeManager(Resource, DistributedAppService):
    """A pose tree that all operators of a fragment share, or of an application that registers it: then
    the driver keeps it, and workers ask."""

    def __init__(self, fragment: Any, *, name: str = "pose_tree_manager", **parameters: Any) -> None:
        Resource.__init__(self, fragment, name=name)
        self.tree: PoseTree | _RemotePoseTree
        self.tree = self._own = PoseTree(int(parameters.get("default_history_length", 1024)))

    def resource(self, new_resource: Any = None) -> Any:
        """The manager itself."""
        return self

    def _serve(self, server: Any) -> None:
        server.register(_service_name(self.name), self._answer)

    def _connect(self, client: Any) -> None:
        self.tree = _RemotePoseTree(client, self.name)

    def _answer(self, method: str, request: str) -> str:
        tree = self._own
        try:
            arguments = json.loads(request)
            if method == "get":
                result: Any = _numbers(tree.get(*arguments))
            elif method == "set":
                *where, numbers = arguments
                result = tree.set(*where, _pose(numbers))
            elif method in ("create_frame", "create_edges"):
                result = getattr(tree, method)(*arguments)
            else:
                raise RuntimeError(f"a pose tree has no method `{method}`")
        except Exception as error:
            return json.dumps({"error": str(error)})
        return json.dumps({"result": result})
