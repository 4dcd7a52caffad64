"""Network contexts: the links of fragments make theirs."""

from __future__ import annotations

from typing import Any

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    if name == "UcxContext":
        raise NotImplementedError("`UcxContext`: flows between fragments make theirs; leave it out")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
