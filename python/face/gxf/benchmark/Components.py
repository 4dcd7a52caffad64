"""A class for each component of the benchmark extension, if gxe has it."""

from gxf._generate import classes

__all__ = classes("libgxf_benchmark.so", "gxf/benchmark/libgxf_benchmark.so", globals(), is_optional=True)
