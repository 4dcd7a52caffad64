"""Streams of CUDA devices in a running graph."""

from __future__ import annotations

from gxe import _gxe
from gxf._bound import bind, find, raising
from gxf.core.core_pybind import MessageEntity

__all__ = ["CudaStreamId", "CudaStreamPool"]


class CudaStreamPool:
    """A pool of streams."""

    def __init__(self, context: int, target: _gxe.CudaStreamPool) -> None:
        self._context = context
        self._target = target

    @staticmethod
    def get(context: int, cid: int, name: str) -> CudaStreamPool:
        """The pool `name` beside a component, or `entity/name`."""
        return CudaStreamPool(context, bind(_gxe.CudaStreamPool, context, find(context, cid, name)))

    def allocate_stream(self) -> tuple[int, int]:
        """Takes a stream: the id of its component, and its address in CUDA."""
        cid = raising(self._target.allocate_stream)
        return cid, bind(_gxe.CudaStream, self._context, cid).stream

    def release_stream(self, cid: int) -> None:
        """Gives a stream back, by the id of its component."""
        raising(self._target.release_stream, cid)


class CudaStreamId:
    """The stream on which the data of a message is written."""

    def __init__(self, message: MessageEntity, name: str) -> None:
        self._message = message
        self._name = name

    @staticmethod
    def add_to_entity(message: MessageEntity, name: str = "") -> CudaStreamId:
        """Adds one to a message. It names no stream until `stream_cid` is set."""
        raising(message.message.set_stream, 0, name)
        return CudaStreamId(message, name)

    @staticmethod
    def get_from_entity(message: MessageEntity, name: str = "") -> CudaStreamId:
        """That of a message."""
        raising(message.message.stream, name)
        return CudaStreamId(message, name)

    @property
    def stream_cid(self) -> int:
        """Id of the stream's component; 0 for none."""
        return raising(self._message.message.stream, self._name)

    @stream_cid.setter
    def stream_cid(self, cid: int) -> None:
        raising(self._message.message.set_stream, cid, self._name)
