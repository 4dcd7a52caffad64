"""Contexts, graphs, entities and components."""

from gxf.core.core_pybind import *  # noqa: F403
from gxf.core.core_pybind import (  # noqa: F401
    MessageEntity,
    _subgraph_load_file,
)
from gxf.core.Gxf import (  # noqa: F401
    Component,
    Entity,
    EntityGroup,
    Graph,
    Node,
    add_to_manifest,
    crash_handler,
    exception_handler,
    parameter_get,
    parameter_set,
)
from gxf.core.logger import logger  # noqa: F401
