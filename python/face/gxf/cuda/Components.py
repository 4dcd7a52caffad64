"""A class for each component of the cuda extension, if gxe has it."""

from gxf._generate import classes

__all__ = classes("libgxf_cuda.so", "gxf/cuda/libgxf_cuda.so", globals(), is_optional=True)
