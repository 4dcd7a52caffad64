"""Graphs of operators."""

from __future__ import annotations

from ._fragment import FlowGraph

FlowGraphImpl = FlowGraph
OperatorFlowGraph = FlowGraph

__all__ = ["FlowGraph", "OperatorFlowGraph"]
