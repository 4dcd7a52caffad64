"""The exception of the engine."""

from __future__ import annotations


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
