"""A class for each component of the cuda extension, if gxe has it."""

from gxe import _life
from gxf._generate import classes

_HERE = (_life.LIBRARIES / "libgxf_cuda.so").exists()
__all__ = classes("libgxf_cuda.so", "gxf/cuda/libgxf_cuda.so", globals()) if _HERE else []
