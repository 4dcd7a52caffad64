"""The log."""

from __future__ import annotations

import enum
import os
import sys

from .. import _gxe

__all__ = ["LogLevel", "log_level", "set_log_level", "set_log_pattern"]


class LogLevel(enum.Enum):
    """What is logged."""

    TRACE = 0
    DEBUG = 1
    INFO = 2
    WARN = 3
    ERROR = 4
    CRITICAL = 5
    OFF = 6


_level = LogLevel.INFO
_SEVERITIES = {
    LogLevel.TRACE: 5,
    LogLevel.DEBUG: 4,
    LogLevel.INFO: 3,
    LogLevel.WARN: 2,
    LogLevel.ERROR: 1,
    LogLevel.CRITICAL: 1,
    LogLevel.OFF: 0,
}


def set_log_level(level: LogLevel) -> None:
    """Sets what the engine logs."""
    global _level
    _level = level
    _gxe.set_severity(_SEVERITIES[level])


def log_level() -> LogLevel:
    """What the engine logs."""
    return _level


def message(level: LogLevel, text: str) -> None:
    """Writes a line to standard error, if the level is logged."""
    if level.value >= _level.value:
        # One call, so that lines of several threads do not mix.
        sys.stderr.write(f"[{level.name.lower()}] {text}\n")


def set_log_pattern(pattern: str) -> None:
    """Accepted; the engine's lines keep their form."""


_wanted = os.environ.get("HOLOSCAN_LOG_LEVEL", "").upper()
if _wanted in LogLevel.__members__:
    set_log_level(LogLevel[_wanted])
