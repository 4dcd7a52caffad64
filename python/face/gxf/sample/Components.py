"""A class for each component of the sample extension, made from the registry."""

from gxf._generate import classes

__all__ = classes("libgxf_sample.so", "gxf/sample/libgxf_sample.so", globals())
