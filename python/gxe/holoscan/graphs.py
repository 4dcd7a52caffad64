"""Graphs of operators, and of fragments."""

from __future__ import annotations

from ._flow_graphs import FlowGraph, FragmentFlowGraph, OperatorFlowGraph

__all__ = ["FlowGraph", "FragmentFlowGraph", "OperatorFlowGraph"]
