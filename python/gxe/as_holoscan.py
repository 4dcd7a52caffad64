"""Makes `gxe.holoscan` importable as `holoscan`, submodules included::

    import gxe.as_holoscan
    from holoscan.core import Application

The environment variable ``GXE_HOLOSCAN=1`` does the same for programs that are not changed.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Sequence

_NAME = "holoscan"
_TARGET = "gxe.holoscan"


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers imports of `holoscan` with the modules of `gxe.holoscan`, the same objects."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != _NAME and not name.startswith(_NAME + "."):
            return None
        if importlib.util.find_spec(_TARGET + name[len(_NAME) :]) is None:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=name == _NAME)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = importlib.import_module(_TARGET + spec.name[len(_NAME) :])
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        # It is loaded; the import machinery gave it the spec of the alias. Its own says what relative imports in
        # functions are relative to.
        if module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state


def install() -> None:
    """Adds the finder, before others that may know a `holoscan`."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


install()
