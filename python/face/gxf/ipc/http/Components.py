"""A class for each component of the http extension, if gxe has it."""

from gxf._generate import classes

__all__ = classes("libgxf_http.so", "gxf/ipc/http/libgxf_http.so", globals(), is_optional=True)
