"""A class for each component of the network extension, if gxe has it."""

from gxf._generate import classes

__all__ = classes("libgxf_network.so", "gxf/network/libgxf_network.so", globals(), is_optional=True)
