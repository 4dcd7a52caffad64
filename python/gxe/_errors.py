"""The exception and the warning of the engine."""

from __future__ import annotations

import sys
import warnings


class GxfError(RuntimeError):
    """An error of the engine or of a component.

    ``code`` is GXF's name of the result. ``entity``, ``component`` and ``stage`` say what failed and in
    which call, if that is known; of several mistakes, the first. If a codelet written in Python failed,
    ``__cause__`` is its exception.
    """

    def __init__(
        self,
        message: str = "",
        code: str = "GXF_FAILURE",
        entity: str | None = None,
        component: str | None = None,
        stage: str | None = None,
    ) -> None:
        super().__init__(message or code)
        self.code = code
        self.entity = entity
        self.component = component
        self.stage = stage

    def __reduce__(self):
        fields = (str(self), self.code, self.entity, self.component, self.stage)
        return type(self), fields


class GxfWarning(UserWarning):
    """What is probably a mistake, in a file that is loaded or a graph that is saved."""


def warn(text: str) -> None:
    """Warns at the line of the program that called gxe."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"].partition(".")[0] == "gxe":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, GxfWarning, stacklevel=level)
