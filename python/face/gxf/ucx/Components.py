"""A class for each component of the ucx extension, if gxe has it."""

from gxe import _life
from gxf._generate import classes

_HERE = (_life.LIBRARIES / "libgxf_ucx.so").exists()
__all__ = classes("libgxf_ucx.so", "gxf/ucx/libgxf_ucx.so", globals()) if _HERE else []
