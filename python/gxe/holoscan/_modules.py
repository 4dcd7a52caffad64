"""The modules that the SDK has for single classes."""

from __future__ import annotations

import sys
import types
from collections.abc import Mapping
from importlib.machinery import ModuleSpec
from typing import Any

from ._missing import missing


def add_modules(
    package: dict[str, Any], modules: Mapping[str, tuple[str, ...]], reasons: Mapping[str, str]
) -> list[str]:
    """Adds modules with some classes of a module to it, and returns its `__path__`: no folder has them, but
    import looks there for them. `reasons` says why classes are missing."""
    for name, classes in modules.items():
        _add(package, name, classes, reasons)
    return []


def _add(package: dict[str, Any], name: str, classes: tuple[str, ...], reasons: Mapping[str, str]) -> None:
    full_name = f"{package['__name__']}.{name}"
    made = types.ModuleType(full_name, f"The module of `{classes[0]}`.")
    made.__spec__ = ModuleSpec(full_name, None)
    made.__package__ = made.__spec__.parent
    made.__file__ = package["__file__"]
    if classes[0] in reasons:

        def absent(wanted: str) -> Any:
            # What else the module would have needs the same.
            is_public = not wanted.startswith("_")
            raise missing(full_name, wanted, {wanted: reasons[classes[0]]} if is_public else {})

        made.__getattr__ = absent  # type: ignore[method-assign]
    else:
        made.__dict__.update({wanted: package[wanted] for wanted in classes}, __all__=list(classes))
    package[name] = sys.modules[full_name] = made
