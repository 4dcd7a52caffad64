"""Components of the cuda extension, if gxe has it, and the streams that codelets use."""

from gxf.cuda import Components, streams
from gxf.cuda.Components import *  # noqa: F403
from gxf.cuda.streams import CudaStreamId  # noqa: F401


class CudaStreamPool(getattr(Components, "CudaStreamPool", object)):  # type: ignore[misc]
    """The component in a script; a codelet calls `get` for the pool of the running graph."""

    get = staticmethod(streams.CudaStreamPool.get)
