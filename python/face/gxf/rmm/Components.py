"""A class for each component of the rmm extension, if gxe has it."""

from gxe import _life
from gxf._generate import classes

_HERE = (_life.LIBRARIES / "libgxf_rmm.so").exists()
__all__ = classes("libgxf_rmm.so", "gxf/rmm/libgxf_rmm.so", globals()) if _HERE else []
