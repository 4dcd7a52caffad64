"""Holoscan's Python API on gxe: applications of operators and flows, without a GPU.

Programs import it as ``gxe.holoscan``, or as ``holoscan`` after ``import gxe.as_holoscan``. Messages are
Python objects, or dictionaries of arrays, which travel as tensors. What needs a GPU or a visualiser
raises ``NotImplementedError``.
"""

from __future__ import annotations

from . import (
    conditions,
    core,
    data_loggers,
    decorator,
    executors,
    graphs,
    gxf,
    logger,
    network_contexts,
    operators,
    pose_tree,
    resources,
    schedulers,
)
from .core import Application, Fragment, Operator, Tensor

as_tensor = Tensor.as_tensor

#: Version of the SDK whose API this follows.
__version__ = "3.10.0"

__all__ = [
    "Application",
    "Fragment",
    "Operator",
    "as_tensor",
    "conditions",
    "core",
    "data_loggers",
    "decorator",
    "executors",
    "graphs",
    "gxf",
    "logger",
    "network_contexts",
    "operators",
    "pose_tree",
    "resources",
    "schedulers",
]
