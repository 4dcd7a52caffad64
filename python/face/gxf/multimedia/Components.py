"""A class for each component of the multimedia extension, made from the registry."""

from gxf._generate import classes

__all__ = classes("libgxf_multimedia.so", "gxf/multimedia/libgxf_multimedia.so", globals())
