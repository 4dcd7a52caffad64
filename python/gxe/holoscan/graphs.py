"""Graphs of operators."""

from __future__ import annotations

from ._application import FragmentFlowGraph
from ._fragment import FlowGraph

FlowGraphImpl = FlowGraph
OperatorFlowGraph = FlowGraph

__all__ = ["FlowGraph", "FragmentFlowGraph", "OperatorFlowGraph"]
