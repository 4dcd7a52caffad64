"""A class for each component of the extension of Python codelets, made from the registry."""

from gxf._generate import classes

__all__ = classes("libgxf_python_codelet.so", "gxf/python_codelet/libgxf_python_codelet.so", globals())
