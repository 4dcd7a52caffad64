"""Standard components, and what codelets call of them."""

from gxf.std import (
    Components,
    allocator_pybind,
    clock_pybind,
    eos_pybind,
    receiver_pybind,
    scheduling_condition_pybind,
    scheduling_terms_pybind,
    tensor_pybind,
    timestamp_pybind,
    transmitter_pybind,
    vault_pybind,
)
from gxf.std.compute_entity import ComputeEntity
from gxf.std.standard_graph import StandardGraph
from gxf.std.standard_methods import connect, enable_job_statistics, set_clock, set_scheduler

__all__ = ["ComputeEntity", "StandardGraph", "connect", "enable_job_statistics", "set_clock", "set_scheduler"]


def _with_get(name: str) -> type:
    """A class of components that codelets, too, use by its name: they call `get`."""
    component = getattr(Components, name)
    get = staticmethod(getattr(scheduling_terms_pybind, name).get)
    return type(name, (component,), {"__doc__": component.__doc__, "__module__": __name__, "get": get})


for _module in (
    allocator_pybind,
    clock_pybind,
    eos_pybind,
    receiver_pybind,
    scheduling_condition_pybind,
    scheduling_terms_pybind,
    tensor_pybind,
    timestamp_pybind,
    transmitter_pybind,
    vault_pybind,
    Components,
):
    for _name in _module.__all__:
        if _name not in globals():
            globals()[_name] = getattr(_module, _name)
            __all__.append(_name)
        elif _module is Components:
            globals()[_name] = _with_get(_name)
