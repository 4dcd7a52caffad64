"""Components of the cuda extension, if gxe has it."""

from gxf.cuda.Components import *  # noqa: F403
