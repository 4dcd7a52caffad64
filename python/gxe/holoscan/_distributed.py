"""Applications of several fragments in several processes, by the options of the command line."""

from __future__ import annotations

import argparse
import ipaddress
import os
from collections.abc import Sequence
from typing import Any

from .. import GxfError, _life
from .. import _graph as graphs
from ._links import Link, free_ports, known

#: Where a driver is unless somebody says otherwise.
_DRIVER = ("127.0.0.1", 57777)


class Options:
    """The part of a process."""

    def __init__(self, found: argparse.Namespace) -> None:
        self.driver: bool = found.driver
        self.worker: bool = found.worker
        self.address: tuple[str, int] = found.address
        self.worker_address: tuple[str, int] | None = found.worker_address
        self.fragments: str = found.fragments

    def chosen(self, names: Sequence[str]) -> list[str]:
        """The fragments that run here."""
        if not self.worker:
            return []
        if self.fragments == "all":
            return list(names)
        chosen = [name.strip() for name in self.fragments.split(",")]
        for name in chosen:
            if name not in names:
                text = f"--fragments: the application has no fragment `{name}`"
                raise RuntimeError(text + known("fragments", name, names))
        return chosen


def _address(text: str) -> tuple[str, int]:
    host, separator, port = text.rpartition(":")
    if not separator or text.endswith("]"):
        host, port = text, str(_DRIVER[1])
    if not port.isdecimal() or not 0 < int(port) < 65536:
        example = f"{_DRIVER[0]}:{_DRIVER[1]}"
        raise argparse.ArgumentTypeError(f"`{text}` is no address; write HOST:PORT, such as {example}")
    return host.strip("[]") or _DRIVER[0], int(port)


def options(argv: Sequence[str]) -> Options | None:
    """The options of the command line that choose the part of this process; `None` if it runs the whole
    application. Others are the program's own."""
    program = argv[1] if len(argv) > 1 else None
    parser = argparse.ArgumentParser(prog=program, add_help=False, allow_abbrev=False)
    parser.add_argument("--driver", action="store_true")
    parser.add_argument("--worker", action="store_true")
    parser.add_argument("--address", type=_address, default=_DRIVER)
    parser.add_argument("--worker-address", type=_address)
    parser.add_argument("--fragments", default="all")
    if not {"--driver", "--worker"} & set(argv):
        return None
    return Options(parser.parse_known_args(list(argv[2:]))[0])


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _add_system(
    graph: graphs.Graph, name: str, own: tuple[str, int], driver: tuple[str, int], type: str, **parameters: Any
) -> None:
    entity = graph.entity(name)
    host, port = own
    server = entity.add("nvidia::gxf::HttpServer", "server", port=port, remote_access=not _is_local(host))
    client = entity.add("nvidia::gxf::HttpIPCClient", "client", server_ip_address=driver[0], port=driver[1])
    component = entity.add(type, name, server=server, client=client)
    for key, value in parameters.items():
        component[key.replace("_", "-")] = value


def _ports(count: int) -> list[int]:
    """Ports for the receivers of links: those of HOLOSCAN_UCX_PORTS first."""
    text = os.environ.get("HOLOSCAN_UCX_PORTS", "")
    try:
        stated = [int(port) for port in text.split(",") if port.strip()]
    except ValueError:
        wrong = f"HOLOSCAN_UCX_PORTS is `{text}`, and must be numbers with commas between them"
        raise RuntimeError(wrong) from None
    return stated[:count] + free_ports(max(0, count - len(stated)))


def run(application: Any, part: Options) -> None:
    """Runs this process's part of an application."""
    links: list[Link] = application._links
    fragments: dict[str, Any] = application._fragments
    own = [fragments[name] for name in part.chosen(list(fragments))]
    incoming = [link for link in links if link.target in own]
    for link in links:
        # The driver tells transmitters where their receivers are.
        link.listen(1)
    for link, port in zip(incoming, _ports(len(incoming))):
        link.listen(port, "127.0.0.1" if _is_local(part.address[0]) else "0.0.0.0")
    graph = graphs.Graph(application.name)
    graph.load_extension(_life.LIBRARIES / "libgxf_http.so")
    if part.driver:
        at = part.address
        connected = {"segments": list(fragments), "connections": [link.connection for link in links]}
        _add_system(graph, "driver", at, ("0.0.0.0", at[1]), "nvidia::gxf::GraphDriver", **connected)
    if part.worker:
        specs = {}
        for fragment in own:
            built = application._build_fragment(fragment)
            fragment._initialize_operators()
            specs[fragment.name] = {"context": str(built.context.address)}
        place = part.worker_address or (part.address[0], free_ports(1)[0])
        kind = "nvidia::gxf::GraphWorker"
        _add_system(graph, "worker", place, part.address, kind, graph_specs=specs, driver_reconnection_times=10)
    try:
        graph.run()
    except GxfError as error:
        causes = (fragment._graph.context.take_exception() for fragment in own)
        raise error from next((cause for cause in causes if cause is not None), None)
    finally:
        for fragment in own:
            fragment._graph._finish()
