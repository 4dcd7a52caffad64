"""The configuration of applications."""

from __future__ import annotations

import os
from typing import Any

from .. import _gxe
from ._types import Arg, ArgList, kwargs_to_arglist

_NOTHING = object()


class Config:
    """A configuration file, in YAML. `prefix` comes before each key that is looked up."""

    def __init__(self, config_file: str | os.PathLike = "", prefix: str = "") -> None:
        self.config_file = os.fspath(config_file)
        self.prefix = prefix
        #: Whether the command line names the file.
        self._is_chosen = False
        if self.config_file and not os.path.isfile(self.config_file):
            raise RuntimeError(f"Config file '{self.config_file}' doesn't exist")
        self._parsed: dict[str, Any] | None = None

    @property
    def values(self) -> dict[str, Any]:
        """What the file holds."""
        if self._parsed is None:
            text = ""
            path = self.config_file
            if not self._is_chosen:
                # The file that the environment names wins over that of the program.
                path = os.environ.get("HOLOSCAN_CONFIG_PATH") or path
            if path:
                with open(path, encoding="utf-8") as file:
                    text = file.read()
            try:
                found = (_gxe.parse_yaml(text) if text.strip() else None) or {}
            except ValueError as error:
                raise RuntimeError(f"Config file '{path}' cannot be read: {error}") from None
            if not isinstance(found, dict):
                raise RuntimeError(f"Config file '{path}' holds a {type(found).__name__}, not names with values")
            self._parsed = found
        return self._parsed

    def keys(self) -> set[str]:
        """The keys at the top."""
        return set(self.values)

    def kwargs(self, key: str) -> dict[str, Any]:
        """The mapping behind a key; for another value, a mapping from the key to it; `a.b` is a key within a
        mapping. Nothing without the key."""
        name, value = self._find(key)
        if isinstance(value, dict):
            return dict(value)
        return {} if value is _NOTHING else {name: value}

    def args(self, key: str) -> Arg | ArgList:
        """As `kwargs`, as what components take: a list for a mapping, and a single one for another value."""
        name, value = self._find(key)
        if isinstance(value, dict):
            return kwargs_to_arglist(**value)
        return ArgList() if value is _NOTHING else Arg(name, value)

    def _find(self, key: str) -> tuple[str, Any]:
        value: Any = self.values
        name = ""
        for name in (self.prefix + key).split("."):
            value = value.get(name, _NOTHING) if isinstance(value, dict) else _NOTHING
        return name, value

    def __repr__(self) -> str:
        return f"<Config {self.config_file}>"
