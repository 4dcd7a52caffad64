"""Components of the ucx extension, if gxe has it."""

from gxf.ucx.Components import *  # noqa: F403
