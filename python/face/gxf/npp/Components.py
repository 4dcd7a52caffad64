"""A class for each component of the npp extension, if gxe has it."""

from gxf._generate import classes

__all__ = classes("libgxf_npp.so", "gxf/npp/libgxf_npp.so", globals(), is_optional=True)
