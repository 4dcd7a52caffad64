"""A class for each component of the npp extension, if gxe has it."""

from gxe import _life
from gxf._generate import classes

_HERE = (_life.LIBRARIES / "libgxf_npp.so").exists()
__all__ = classes("libgxf_npp.so", "gxf/npp/libgxf_npp.so", globals()) if _HERE else []
