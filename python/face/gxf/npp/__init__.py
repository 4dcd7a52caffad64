"""Components of the npp extension, if gxe has it."""

from gxf.npp.Components import *  # noqa: F403
