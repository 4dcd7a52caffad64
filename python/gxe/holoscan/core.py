"""Applications, operators and their ports."""

from __future__ import annotations

from typing import Any

from .._gxe import DLDevice, Tensor
from ._application import Application, CLIOptions
from ._component import Component, Condition, Resource, Scheduler
from ._config import Config
from ._executor import ExecutionContext, InputContext, OutputContext
from ._flow_graphs import OperatorFlowGraph as Graph
from ._fragment import Fragment, Subgraph
from ._metadata import MetadataDictionary
from ._missing import OF_LINKS, missing
from ._operator import FlowInfo, Operator
from ._services import (
    DefaultFragmentService,
    DistributedAppService,
    FragmentService,
    ServiceDriverEndpoint,
    ServiceWorkerEndpoint,
)
from ._spec import ComponentSpec, IOSpec, OperatorSpec
from ._tracking import DataFlowMetric, DataFlowTracker, MessageLabel, Tracker
from ._types import (
    Arg,
    ArgContainerType,
    ArgElementType,
    ArgList,
    ArgType,
    ConditionType,
    DLDeviceType,
    MetadataPolicy,
    OperatorStatus,
    ParameterFlag,
    SchedulingStatusType,
    arg_to_py_object,
    arglist_to_kwargs,
    kwargs_to_arglist,
    py_object_to_arg,
)
from .data_loggers import DataLogger, DataLoggerResource
from .executors import GXFExecutor as Executor
from .resources import Clock, ThreadPool

# Here, the classes of the engine derive from those of programs.
ClockInterface = Clock
ConditionBase = Condition
OperatorBase = Operator
ResourceBase = Resource

__all__ = [
    "Application",
    "Arg",
    "ArgContainerType",
    "ArgElementType",
    "ArgList",
    "ArgType",
    "CLIOptions",
    "Clock",
    "ClockInterface",
    "Component",
    "ComponentSpec",
    "Condition",
    "ConditionBase",
    "ConditionType",
    "Config",
    "DLDevice",
    "DLDeviceType",
    "DataFlowMetric",
    "DataFlowTracker",
    "DataLogger",
    "DataLoggerResource",
    "DefaultFragmentService",
    "DistributedAppService",
    "ExecutionContext",
    "Executor",
    "FlowInfo",
    "Fragment",
    "FragmentService",
    "Graph",
    "IOSpec",
    "InputContext",
    "MessageLabel",
    "MetadataDictionary",
    "MetadataPolicy",
    "Operator",
    "OperatorBase",
    "OperatorSpec",
    "OperatorStatus",
    "OutputContext",
    "ParameterFlag",
    "Resource",
    "ResourceBase",
    "Scheduler",
    "SchedulingStatusType",
    "ServiceDriverEndpoint",
    "ServiceWorkerEndpoint",
    "Subgraph",
    "Tensor",
    "ThreadPool",
    "Tracker",
    "arg_to_py_object",
    "arglist_to_kwargs",
    "kwargs_to_arglist",
    "py_object_to_arg",
]

_NO_COUNTERPART = "has no counterpart: "
_MISSING = {
    **dict.fromkeys(
        ("AsyncDataLoggerResource", "AsyncQueuePolicy"),
        _NO_COUNTERPART + "loggers log on the threads of operators; derive yours from DataLoggerResource",
    ),
    "Message": _NO_COUNTERPART + "operators receive and emit values; holoscan.gxf.Entity is a message",
    "MultiMessageConditionInfo": _NO_COUNTERPART + "`OperatorSpec.multi_port_condition` keeps what it declares",
    "NetworkContext": OF_LINKS,
    "io_type_registry": _NO_COUNTERPART + "any object of Python can be emitted, and no type is registered",
}


def __getattr__(name: str) -> Any:
    raise missing(__name__, name, _MISSING)
