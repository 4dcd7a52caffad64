"""Timestamps of messages."""

from __future__ import annotations

from gxe import _gxe
from gxf._bound import raising
from gxf.core.core_pybind import MessageEntity

__all__ = ["Timestamp", "as_timestamp"]


class Timestamp:
    """Acquisition and publication time in nanoseconds."""

    def __init__(self, acqtime: int = 0, pubtime: int = 0) -> None:
        self.acqtime = acqtime
        self.pubtime = pubtime

    @staticmethod
    def add_to_entity(
        message: MessageEntity, acqtime: int = 0, pubtime: int = 0, name: str = "timestamp"
    ) -> None:
        """Adds a timestamp to a message."""
        raising(message.message.set_timestamp, acqtime, pubtime, name)

    @staticmethod
    def get_from_entity(message: MessageEntity, name: str = "timestamp") -> tuple[int, int]:
        """Acquisition and publication time of a message."""
        return raising(message.message.timestamp, name)


def as_timestamp(context: int, eid: int, name: str = "timestamp") -> Timestamp:
    """The timestamp of a message by id."""
    return Timestamp(*raising(raising(_gxe.message_by_id, context, eid).timestamp, name))
