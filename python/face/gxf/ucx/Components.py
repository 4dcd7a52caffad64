"""A class for each component of the ucx extension, if gxe has it."""

from gxf._generate import classes

__all__ = classes("libgxf_ucx.so", "gxf/ucx/libgxf_ucx.so", globals(), is_optional=True)
