"""Components of the network extension, if gxe has it."""

from gxf.network.Components import *  # noqa: F403
