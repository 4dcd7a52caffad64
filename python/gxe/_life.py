"""The engine in a process: its log, the end of the interpreter, forks."""

from __future__ import annotations

import atexit
import os
import pathlib
import sys
import weakref

from . import _gxe

#: The folder with the extension libraries of the wheel.
LIBRARIES = pathlib.Path(__file__).parent / "lib"

_SEVERITIES = ("none", "error", "warning", "info", "debug", "verbose")
_contexts: weakref.WeakSet = weakref.WeakSet()
#: The addresses of all contexts so far.
_addresses: set[int] = set()


def set_severity(severity: str | int) -> None:
    """Sets what the engine logs: ``none``, ``error``, ``warning`` (the default), ``info``, ``debug`` or
    ``verbose``."""
    if isinstance(severity, str):
        if severity.lower() not in _SEVERITIES:
            raise ValueError(f"`{severity}` is none of {', '.join(_SEVERITIES)}")
        severity = _SEVERITIES.index(severity.lower())
    if severity not in range(len(_SEVERITIES)):
        raise ValueError(f"{severity!r} is not a severity: those are 0 to {len(_SEVERITIES) - 1}")
    _gxe.set_severity(severity)


def new_context(shared: _gxe.Context | None = None) -> _gxe.Context:
    """A context that finds the extensions of the wheel, and whose run ends before the interpreter."""
    context = _gxe.Context(shared)
    context.add_extension_path(LIBRARIES)
    _contexts.add(context)
    _addresses.add(context.address)
    return context


def is_dropped(address: int) -> bool:
    """Whether the context was one of this program, which dropped it: its graph ends just now."""
    return address in _addresses and all(context.address != address for context in list(_contexts))


def _end() -> None:
    # Runs that go on would call codelets in a dying interpreter, and so would those that threads begin now.
    _gxe.refuse_runs()
    for context in list(_contexts):
        try:
            context.interrupt()
        except RuntimeError:
            pass
    for context in list(_contexts):
        if context.is_abandoned:
            continue
        try:
            # Ctrl-C leaves a run that does not end.
            context.end()
        except (RuntimeError, KeyboardInterrupt):
            pass
    if any(context.is_abandoned for context in _contexts):
        # A codelet that never returns would run on in a dying interpreter.
        import logging

        logging.shutdown()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os._exit(130)
    _gxe.close()


atexit.register(_end)
os.register_at_fork(after_in_child=_gxe.forked)
if not os.environ.get("GXF_LOG_LEVEL"):
    try:
        _gxe.set_severity(2)
    except RuntimeError:
        # The program has a log of its own.
        pass
