"""The graphs of operators, and of fragments."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any

from ._operator import START, Operator


class FlowGraph(abc.ABC):
    """Nodes with names, and the flows between them."""

    @abc.abstractmethod
    def get_nodes(self) -> list[Any]:
        """All nodes."""

    @abc.abstractmethod
    def _edges(self) -> list[tuple[Any, Any]]:
        """The nodes at both ends of each flow."""

    def get_root_nodes(self) -> list[Any]:
        """The nodes without predecessors."""
        return [node for node in self.get_nodes() if self.is_root(node)]

    def get_previous_nodes(self, node: Any) -> list[Any]:
        """The nodes before one, each once."""
        return list({id(source): source for source, target in self._edges() if target is node}.values())

    def get_next_nodes(self, node: Any) -> list[Any]:
        """The nodes behind one, each once."""
        return list({id(target): target for source, target in self._edges() if source is node}.values())

    def is_root(self, node: Any) -> bool:
        """Whether a node has no predecessor."""
        return not self.get_previous_nodes(node)

    def is_leaf(self, node: Any) -> bool:
        """Whether a node has no successor."""
        return not self.get_next_nodes(node)

    def is_empty(self) -> bool:
        """Whether there is no node."""
        return not self.get_nodes()

    def find_node(self, wanted: str | Callable[[Any], bool]) -> Any | None:
        """A node by name, or the first that fits."""
        fits = wanted if callable(wanted) else lambda node: node.name == wanted
        return next(filter(fits, self.get_nodes()), None)


class OperatorFlowGraph(FlowGraph):
    """The operators of a fragment."""

    def __init__(self, fragment: Any) -> None:
        self._fragment = fragment

    def get_nodes(self) -> list[Operator]:
        return [op for op in self._fragment._operators.values() if op.name != START]

    def _edges(self) -> list[tuple[Operator, Operator]]:
        operators = self._fragment._operators.values()
        return [(operator, flow.next_operator) for operator in operators for flow in operator._flows]

    def port_map_description(self) -> str:
        """Which ports are connected, in YAML: the outputs of each input, and the inputs of each output."""
        flows = [flow for operator in self.get_nodes() for flow in operator._flows]
        inputs: dict[str, list[str]] = {}
        outputs: dict[str, list[str]] = {}
        for flow in flows:
            output = f"{flow.curr_operator.name}.{flow.output_port_name}"
            input = f"{flow.next_operator.name}.{flow.input_port_name}"
            inputs.setdefault(input, []).append(output)
            outputs.setdefault(output, []).append(input)
        lines = []
        for title, ports in (("input_to_output", inputs), ("output_to_input", outputs)):
            lines.append(f"{title}:" if ports else f"{title}: {{}}")
            for port, others in ports.items():
                lines.append(f"  {port}:")
                lines.extend(f"    - {other}" for other in others)
        return "\n".join(lines) + "\n"


class FragmentFlowGraph(FlowGraph):
    """The fragments of an application."""

    def __init__(self, application: Any) -> None:
        self._application = application

    def get_nodes(self) -> list[Any]:
        return list(self._application._fragments.values())

    def _edges(self) -> list[tuple[Any, Any]]:
        return [(link.source, link.target) for link in self._application._links]
