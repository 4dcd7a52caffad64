"""The event loop that executes `async def` codelets, on a thread of its own."""

from __future__ import annotations

import asyncio
import threading

_guard = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def shared() -> asyncio.AbstractEventLoop:
    """The loop, running."""
    global _loop
    with _guard:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_run, args=(_loop,), name="gxe asyncio", daemon=True).start()
        return _loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    while not loop.is_closed():
        try:
            loop.run_forever()
        except (KeyboardInterrupt, SystemExit):
            # Of a task or a callback. The task keeps its exception, and the loop belongs to other codelets, too.
            pass
