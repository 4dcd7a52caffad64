"""Applications, with the options of their command line."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

from ._fragment import Fragment


class CLIOptions:
    """Options of the command line."""

    def __init__(self) -> None:
        self.config_path = ""


class Application(Fragment):
    """A program of operators."""

    def __init__(self, argv: list[str] | None = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.argv = list(argv) if argv else [sys.executable, *sys.argv]
        self.options = CLIOptions()
        self.description = ""
        self.version = ""
        found = re.match(r"--config=(.+)", next((a for a in self.argv if a.startswith("--config=")), ""))
        if found:
            self.options.config_path = found.group(1)
        elif "--config" in self.argv[:-1]:
            self.options.config_path = self.argv[self.argv.index("--config") + 1]

    def config(self, config_file: str | os.PathLike | None = None, prefix: str = "") -> Any:
        """Names the configuration file; `--config` on the command line wins."""
        if config_file is not None and self.options.config_path:
            config_file = self.options.config_path
        return super().config(config_file, prefix)

    def add_fragment(self, fragment: Fragment) -> None:
        """Several fragments in one application run on several hosts."""
        raise NotImplementedError("applications of several fragments are distributed; gxe has no such yet")
