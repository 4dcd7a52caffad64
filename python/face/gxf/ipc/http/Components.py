"""A class for each component of the http extension, if gxe has it."""

from gxe import _life
from gxf._generate import classes

_HERE = (_life.LIBRARIES / "libgxf_http.so").exists()
__all__ = classes("libgxf_http.so", "gxf/ipc/http/libgxf_http.so", globals()) if _HERE else []
