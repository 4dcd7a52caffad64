"""A class for each standard component, made from the registry."""

from gxf._generate import classes

__all__ = classes("", "gxf/std/libgxf_std.so", globals())
