"""A class for each component of the grpc extension, if gxe has it."""

from gxe import _life
from gxf._generate import classes

_HERE = (_life.LIBRARIES / "libgxf_grpc.so").exists()
__all__ = classes("libgxf_grpc.so", "gxf/ipc/grpc/libgxf_grpc.so", globals()) if _HERE else []
