"""A class for each component of the network extension, if gxe has it."""

from gxe import _life
from gxf._generate import classes

_HERE = (_life.LIBRARIES / "libgxf_network.so").exists()
__all__ = classes("libgxf_network.so", "gxf/network/libgxf_network.so", globals()) if _HERE else []
