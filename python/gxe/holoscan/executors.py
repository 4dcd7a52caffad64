"""Executors: gxe's engine is the only one."""

from __future__ import annotations

from ._executor import ExecutionContext

__all__ = ["ExecutionContext"]
