"""Links: flows from an operator of one fragment to an operator of another."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class LinkEnd:
    """One end of a link, within its fragment."""

    def __init__(self, name: str, place: str, is_input: bool) -> None:
        #: Name of the queue, and of the link.
        self.name = name
        #: `operator.port`, or an operator with one port.
        self.place = place
        self.is_input = is_input
        #: Where it listens, or connects to.
        self.address: dict[str, Any] = {}

    @property
    def operator(self) -> str:
        """Name of the operator, before the fragment is composed."""
        return self.place.rpartition(".")[0] or self.place

    def find(self, fragment: Any) -> tuple[Any, str]:
        """The operator and the name of its port."""
        operators = fragment._operators
        name = self.place if self.place in operators else self.operator
        port = self.place[len(name) + 1 :]
        if name not in operators:
            text = f"the fragment `{fragment.name}` has no operator `{name}`"
            raise RuntimeError(text + known("operators", name, (op.name for op in fragment.graph.get_nodes())))
        operator = operators[name]
        what = "input" if self.is_input else "output"
        ports = operator.spec.inputs if self.is_input else operator.spec.outputs
        if not port and len(ports) != 1:
            names = ", ".join(ports) or "none"
            raise RuntimeError(f"say which {what} of `{fragment.name}.{name}` to connect: {names}")
        if port and port not in ports:
            text = f"the operator `{name}` of the fragment `{fragment.name}` has no {what} `{port}`"
            raise RuntimeError(text + known(f"{what}s", port, ports))
        return operator, port or next(iter(ports))


class Link:
    """A flow from an operator of one fragment to an operator of another."""

    def __init__(self, number: int, source: Any, output: str, target: Any, input: str) -> None:
        name = f"link_{number}"
        self.source = source
        self.target = target
        self.output = LinkEnd(name, output, False)
        self.input = LinkEnd(name, input, True)

    def listen(self, port: int, address: str = "127.0.0.1") -> None:
        """Chooses a port of this host for the receiver. Within a process, messages are handed over by
        reference."""
        self.input.address = {"address": address, "port": port}
        self.output.address = {"receiver_address": "127.0.0.1", "port": port}

    @property
    def connection(self) -> dict[str, str]:
        """What a driver connects."""
        ends = (("source", self.source, self.output), ("target", self.target, self.input))
        return {key: f"{fragment.name}.{end.operator}.{end.name}" for key, fragment, end in ends}


def known(what: str, name: str, names: Iterable[str]) -> str:
    """What an error adds about a name that there is not."""
    names = list(names)
    near = difflib.get_close_matches(name, names, 1)
    return f"; did you mean `{near[0]}`?" if near else f"; its {what}: {', '.join(names) or 'none'}"


def has_circle(links: Iterable[Link]) -> bool:
    """Whether fragments lead to each other in a circle."""
    edges = {(link.source.name, link.target.name) for link in links}
    while edges:
        targets = {target for _, target in edges}
        # The first fragments of what is left lead into no circle that they are part of.
        kept = {edge for edge in edges if edge[0] in targets}
        if kept == edges:
            return True
        edges = kept
    return False


def free_ports(count: int) -> list[int]:
    """Ports of this host that nobody uses."""
    import socket

    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
