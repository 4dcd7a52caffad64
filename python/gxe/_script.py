"""The script `gxe`: the program of the wheel."""

from __future__ import annotations

import os
import sys

from ._draw import PROGRAM


def main() -> None:
    """Becomes the program `gxe`. Codelets in Python then run in this Python."""
    os.environ.setdefault("GXE_PYTHON", sys.executable)
    try:
        os.execv(PROGRAM, ["gxe", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"gxe: `{PROGRAM}` cannot be started: {error.strerror}")
