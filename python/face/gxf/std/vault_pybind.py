"""Messages out of a running graph."""

from __future__ import annotations

import time

from gxe import GxfError, _gxe
from gxf._bound import bind
from gxf.core import core_pybind

__all__ = ["free", "store_blocking", "store_blocking_for"]

_stored: dict[int, _gxe.Message] = {}
#: Messages of a vault, by its context and id, for a call that gets all that it asks for.
_waiting: dict[tuple[int, int], list[_gxe.Message]] = {}


def _forget(context: int) -> None:
    for key in [key for key in list(_waiting) if key[0] == context]:
        _waiting.pop(key, None)


core_pybind._endings.append(_forget)


def store_blocking(context: int, cid: int, count: int) -> list[int]:
    """Ids of the next messages, for which it waits. They live until `free`."""
    return store_blocking_for(context, cid, count, -1)


def store_blocking_for(context: int, cid: int, count: int, duration_ns: int) -> list[int]:
    """As `store_blocking`, but not longer than a time; then there are none, and those that came are the next."""
    vault = bind(_gxe.Vault, context, cid)
    end = time.monotonic_ns() + duration_ns
    key = (context, cid)
    taken = _waiting.pop(key, [])
    found = taken[:count]
    rest = taken[count:]
    try:
        while len(found) < count:
            found.append(vault.take(-1 if duration_ns < 0 else max(0, end - time.monotonic_ns())))
    except GxfError as error:
        rest, found = found, []
        if error.code != "GXF_CONTRACT_MESSAGE_NOT_AVAILABLE":
            raise ValueError(error.code) from error
    finally:
        if rest:
            _waiting[key] = rest + _waiting.pop(key, [])
    eids = [message.eid for message in found]
    _stored.update(zip(eids, found))
    return eids


def free(context: int, cid: int, eids: list[int]) -> None:
    """Releases messages."""
    for eid in eids:
        _stored.pop(eid, None)
