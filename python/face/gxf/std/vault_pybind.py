"""Messages out of a running graph."""

from __future__ import annotations

from gxe import GxfError, _gxe
from gxf._bound import bind

__all__ = ["free", "store_blocking", "store_blocking_for"]

_stored: dict[int, _gxe.Message] = {}


def store_blocking(context: int, cid: int, count: int) -> list[int]:
    """Ids of the next messages, for which it waits. They live until `free`."""
    return store_blocking_for(context, cid, count, -1)


def store_blocking_for(context: int, cid: int, count: int, duration_ns: int) -> list[int]:
    """As `store_blocking`, but not longer than a time; then there are none."""
    vault = bind(_gxe.Vault, context, cid)
    taken = []
    try:
        for _ in range(count):
            taken.append(vault.take(duration_ns))
    except GxfError as error:
        if error.code != "GXF_CONTRACT_MESSAGE_NOT_AVAILABLE":
            raise ValueError(error.code) from error
        return []
    eids = [message.eid for message in taken]
    _stored.update(zip(eids, taken))
    return eids


def free(context: int, cid: int, eids: list[int]) -> None:
    """Releases messages."""
    for eid in eids:
        _stored.pop(eid, None)
