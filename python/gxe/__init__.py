"""gxe: compute graphs with codelets in Python, Rust, C++ and C.

A graph consists of entities, which hold codelets, the queues they exchange messages through, and the
conditions under which they run::

    import gxe

    @gxe.codelet
    def count(context):
        return context.count

    @gxe.codelet
    def double(number):
        return 2 * number

    @gxe.codelet
    def show(number) -> None:
        print(number)

    graph = gxe.Graph()
    source = graph.add(count, gxe.Count(10))
    graph.connect(source, graph.add(double), graph.add(show))
    graph.run()

What a codelet sends becomes a message, and a message that it receives becomes a value:

============================================  =====================================================
value                                          message
============================================  =====================================================
an array of numbers (NumPy, PyTorch, …), a     a tensor over the same memory
``Tensor``
a dictionary of arrays by name                 named tensors
a ``Message``                                  that message
anything else                                  the object itself, as ``nvidia::gxf::PyData``
============================================  =====================================================

A message from a codelet in another language with a single number arrives as that number; others that
are none of the above arrive as a ``Message``.
"""

from __future__ import annotations

import os as _os

# As the program `gxe` does, before CUDA's driver is opened: streams beyond this number wait for each other.
_os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")

from . import _gxe
from ._codelets import Codelet, Input, Output, Parameter, codelet
from ._conditions import (
    Allocator,
    Asynchronous,
    Boolean,
    Condition,
    Count,
    DownstreamReceptive,
    MessageAvailable,
    Periodic,
    TargetTime,
)
from ._errors import GxfError, GxfWarning
from ._draw import draw
from ._files import check, graph, inspect, load
from ._graph import Component, Entity, EventBased, Graph, Greedy, MultiThread, Node, Port, Run
from ._gxe import Audio, CodeletContext, Message, Tensor, VideoFrame
from ._life import set_severity

__version__ = _gxe.version

from_dlpack = Tensor.from_dlpack
as_tensor = Tensor.as_tensor
zeros = _gxe.allocate


def shared(shape: int | tuple[int, ...], dtype: object = "float32") -> Tensor:
    """A tensor of zeros in memory that a codelet with `process=True` takes without a copy. `dtype` is a name
    or a dtype of NumPy."""
    # What it imports takes time.
    from ._process import shared as new

    return new(shape, dtype)

__all__ = [
    "Allocator",
    "Asynchronous",
    "Audio",
    "Boolean",
    "Codelet",
    "CodeletContext",
    "Component",
    "Condition",
    "Count",
    "DownstreamReceptive",
    "Entity",
    "EventBased",
    "Graph",
    "Greedy",
    "GxfError",
    "GxfWarning",
    "Input",
    "Message",
    "MessageAvailable",
    "MultiThread",
    "Node",
    "Output",
    "Parameter",
    "Periodic",
    "Port",
    "Run",
    "TargetTime",
    "Tensor",
    "VideoFrame",
    "as_tensor",
    "check",
    "codelet",
    "draw",
    "from_dlpack",
    "graph",
    "inspect",
    "load",
    "set_severity",
    "shared",
    "zeros",
]
