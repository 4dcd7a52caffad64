"""Graphs of operators."""

from __future__ import annotations

from .core import FlowGraph

FlowGraphImpl = FlowGraph
OperatorFlowGraph = FlowGraph

__all__ = ["FlowGraph", "OperatorFlowGraph"]
