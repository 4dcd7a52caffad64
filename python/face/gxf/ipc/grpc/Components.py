"""A class for each component of the grpc extension, if gxe has it."""

from gxf._generate import classes

__all__ = classes("libgxf_grpc.so", "gxf/ipc/grpc/libgxf_grpc.so", globals(), is_optional=True)
