"""Standard components, and what codelets call of them."""

from gxf.std.allocator_pybind import *  # noqa: F403
from gxf.std.clock_pybind import *  # noqa: F403
from gxf.std.compute_entity import ComputeEntity
from gxf.std.eos_pybind import *  # noqa: F403
from gxf.std.receiver_pybind import *  # noqa: F403
from gxf.std.scheduling_condition_pybind import *  # noqa: F403
from gxf.std.scheduling_terms_pybind import *  # noqa: F403
from gxf.std.standard_graph import StandardGraph
from gxf.std.standard_methods import connect, enable_job_statistics, set_clock, set_scheduler
from gxf.std.tensor_pybind import *  # noqa: F403
from gxf.std.timestamp_pybind import *  # noqa: F403
from gxf.std.transmitter_pybind import *  # noqa: F403

__all__ = [
    "ComputeEntity",
    "StandardGraph",
    "connect",
    "enable_job_statistics",
    "set_clock",
    "set_scheduler",
]
