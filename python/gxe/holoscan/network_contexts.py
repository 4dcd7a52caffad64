"""Network contexts: applications on one host have none."""

from __future__ import annotations

from typing import Any

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    if name == "UcxContext":
        raise NotImplementedError("`UcxContext` connects hosts, which gxe.holoscan does not")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
