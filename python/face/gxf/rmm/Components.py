"""A class for each component of the rmm extension, if gxe has it."""

from gxf._generate import classes

__all__ = classes("libgxf_rmm.so", "gxf/rmm/libgxf_rmm.so", globals(), is_optional=True)
