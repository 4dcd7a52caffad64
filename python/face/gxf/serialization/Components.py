"""A class for each component of the serialization extension, made from the registry."""

from gxf._generate import classes

__all__ = classes("libgxf_serialization.so", "gxf/serialization/libgxf_serialization.so", globals())
