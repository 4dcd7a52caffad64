"""A class for each component of the benchmark extension, if gxe has it."""

from gxe import _life
from gxf._generate import classes

_HERE = (_life.LIBRARIES / "libgxf_benchmark.so").exists()
__all__ = classes("libgxf_benchmark.so", "gxf/benchmark/libgxf_benchmark.so", globals()) if _HERE else []
