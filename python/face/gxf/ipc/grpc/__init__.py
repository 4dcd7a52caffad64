"""Components of the grpc extension, if gxe has it."""

from gxf.ipc.grpc.Components import *  # noqa: F403
