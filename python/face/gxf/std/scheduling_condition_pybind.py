"""What scheduling terms answer."""

import enum

__all__ = ["SchedulingConditionType"]


class SchedulingConditionType(enum.IntEnum):
    """Whether an entity may run."""

    NEVER = 0
    READY = 1
    WAIT = 2
    WAIT_TIME = 3
    WAIT_EVENT = 4
