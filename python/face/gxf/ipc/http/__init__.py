"""Components of the http extension, if gxe has it."""

from gxf.ipc.http.Components import *  # noqa: F403
