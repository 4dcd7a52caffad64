"""Names of Holoscan that gxe does not offer, and why."""

from __future__ import annotations

import dis
import sys
from collections.abc import Mapping

ON_A_GPU = "needs a GPU, which gxe.holoscan does without"
OF_LINKS = "flows between fragments make theirs; leave it out"
OF_PORTS = "ports make theirs; set their kind, capacity and policy by `connector`"


class MissingName(NotImplementedError, AttributeError):
    """A name that gxe.holoscan does not offer: `hasattr` is false for it."""


class MissingImport(ImportError, NotImplementedError):
    """An import of a name that gxe.holoscan does not offer."""


def missing(module: str, name: str, reasons: Mapping[str, str]) -> Exception:
    """What a module's `__getattr__` raises for a name that it does not have."""
    if name not in reasons:
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    text = f"`{name}` {reasons[name]}"
    # `from module import name` would put a text of its own in place of an AttributeError's.
    frame = sys._getframe(2)
    is_import = dis.opname[frame.f_code.co_code[frame.f_lasti]] == "IMPORT_FROM"
    return MissingImport(text, name=name) if is_import else MissingName(text)
