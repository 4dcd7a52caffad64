"""Applications, operators and their ports."""

from __future__ import annotations

from .._gxe import Tensor
from ._application import Application, CLIOptions
from ._component import Component, Condition, Resource, Scheduler
from ._executor import ExecutionContext, InputContext, OutputContext
from ._fragment import Fragment, Subgraph, ThreadPool
from ._metadata import MetadataDictionary
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
    ArgList,
    ConditionType,
    MetadataPolicy,
    OperatorStatus,
    SchedulingStatusType,
    arg_to_py_object,
    arglist_to_kwargs,
    kwargs_to_arglist,
    py_object_to_arg,
)

__all__ = [
    "CLIOptions",
    "Application",
    "Arg",
    "ArgList",
    "Component",
    "ComponentSpec",
    "Condition",
    "ConditionType",
    "DataFlowMetric",
    "DataFlowTracker",
    "DefaultFragmentService",
    "DistributedAppService",
    "ExecutionContext",
    "FlowInfo",
    "Fragment",
    "FragmentService",
    "IOSpec",
    "InputContext",
    "MessageLabel",
    "MetadataDictionary",
    "MetadataPolicy",
    "Operator",
    "OperatorSpec",
    "OperatorStatus",
    "OutputContext",
    "Resource",
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
