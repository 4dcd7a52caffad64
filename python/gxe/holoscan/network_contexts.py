"""Network contexts: the links of fragments make theirs."""

from __future__ import annotations

from typing import Any

from ._missing import OF_LINKS, missing

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    raise missing(__name__, name, {"UcxContext": OF_LINKS})
