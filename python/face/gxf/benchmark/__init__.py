"""Components of the benchmark extension, if gxe has it."""

from gxf.benchmark.Components import *  # noqa: F403
