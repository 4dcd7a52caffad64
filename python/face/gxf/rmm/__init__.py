"""Components of the rmm extension, if gxe has it."""

from gxf.rmm.Components import *  # noqa: F403
