"""Applications of several fragments in several processes, by the options of the command line."""

from __future__ import annotations

import ipaddress
import json
import os
import socket
import threading
import time
import uuid
from collections.abc import Sequence
from typing import Any

from .. import GxfError, _gxe, _life
from .. import _graph as graphs
from ._links import free_ports
from ._options import Options
from ._services import DistributedAppService
from .logger import LogLevel, message

#: How often a worker tries to reach a driver before the first answer, after 1, 2, 3, … seconds, and how
#: often in a row after that.
_FIRST_ATTEMPTS, _LATER_ATTEMPTS = 10, 2

#: Time in seconds between two questions of a worker that waits for a fragment.
_QUESTION_PERIOD = 0.2

#: If for this long no further worker comes and fragments are missing, the driver gives up, in seconds;
#: GXE_FRAGMENT_TIMEOUT says otherwise, and 0 waits for ever.
_FRAGMENT_TIMEOUT = "60"


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _check_listens(option: str, host: str) -> None:
    """Refuses a host at which servers of this one are not reached: they listen at 127.0.0.1, or at all
    addresses."""
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except OSError:
        # Other hosts may know a name before this one does, as in Kubernetes.
        return
    addresses = [ipaddress.ip_address(text) for text in found]
    if not any(_is_own(address, host) for address in addresses):
        why = "this host has no such address"
        if all(address.is_loopback for address in addresses):
            why = "of the loopback addresses, servers listen at 127.0.0.1 alone; write that"
        raise RuntimeError(f"{option}: cannot listen at `{host}`: {why}")


def _is_own(address: ipaddress.IPv4Address | ipaddress.IPv6Address, host: str) -> bool:
    if address.is_loopback:
        return address.version == 4 and (str(address) == "127.0.0.1" or str(address) != host)
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    with socket.socket(family) as one:
        try:
            one.bind((str(address), 0))
        except OSError:
            return False
    return True


def _add_system(
    graph: graphs.Graph, name: str, own: tuple[str, int], driver: tuple[str, int], type: str
) -> tuple[graphs.Component, graphs.Component]:
    """Adds a driver or worker, and its server."""
    entity = graph.entity(name)
    host, port = own
    server = entity.add("nvidia::gxf::HttpServer", "server", port=port, remote_access=not _is_local(host))
    client = entity.add("nvidia::gxf::HttpIPCClient", "client", server_ip_address=driver[0], port=driver[1])
    return entity.add(type, name, server=server, client=client), server


def _ports(count: int) -> list[int]:
    """Ports for the receivers of links: those of HOLOSCAN_UCX_PORTS, and those that follow the last one."""
    text = os.environ.get("HOLOSCAN_UCX_PORTS", "")
    try:
        stated = [int(port) for port in text.split(",") if port.strip()]
    except ValueError:
        wrong = f"HOLOSCAN_UCX_PORTS is `{text}`, and must be numbers with commas between them"
        raise RuntimeError(wrong) from None
    if not stated:
        return free_ports(count)
    ports = stated[:count] + [stated[-1] + 1 + more for more in range(count - len(stated))]
    wrong = next((port for port in ports if not 0 < port < 65536), None)
    if wrong is not None:
        raise RuntimeError(f"HOLOSCAN_UCX_PORTS is `{text}`, which leads to port {wrong}; ports are 1 to 65535")
    return ports


def _fragment_timeout() -> int:
    """How long a driver waits for a further worker, in milliseconds."""
    text = os.environ.get("GXE_FRAGMENT_TIMEOUT") or _FRAGMENT_TIMEOUT
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < 1e9:
        raise RuntimeError(f"GXE_FRAGMENT_TIMEOUT is `{text}`, and must be a number of seconds")
    return round(1000 * seconds)


class _NoAnswerError(RuntimeError):
    """The driver is gone, or was never there."""


class _Driver:
    """What a worker asks its driver through."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._graph = graphs.Graph("client of the driver")
        self._graph.load_extension(_life.LIBRARIES / "libgxf_http.so")
        self._name = f"{address[0]}:{address[1]}"
        parameters = {"server_ip_address": address[0], "port": address[1]}
        entity = self._graph.entity("worker")
        self._component = entity.add("nvidia::gxf::HttpIPCClient", "client", **parameters)

    def __enter__(self) -> _Driver:
        self._graph.activate()
        self.client = _gxe.IpcClient.at(self._graph.context.address, self._component.cid)
        return self

    def __exit__(self, *_exception: object) -> None:
        self._graph.deactivate()

    def allocate(self, worker: str, names: list[str]) -> list[str]:
        """The fragments of a worker: those that it names, else one that the driver gives it, else none."""
        request = json.dumps({"id": uuid.uuid4().hex, "worker": worker, "segments": names})
        failures, attempts = 0, _FIRST_ATTEMPTS
        while True:
            try:
                answer = json.loads(self.client.action("GraphDriver", "AllocateFragments", request))
            except GxfError as error:
                failures += 1
                if failures > attempts:
                    text = f"the driver at {self._name} does not answer: {error}"
                    raise _NoAnswerError(text) from None
                time.sleep(failures)
                continue
            failures, attempts = 0, _LATER_ATTEMPTS
            if answer["answer"] != "wait":
                return answer.get("segments", [])
            time.sleep(_QUESTION_PERIOD)


def _services(application: Any) -> list[DistributedAppService]:
    services = application._services.values()
    return [service for service in services if isinstance(service, DistributedAppService)]


def _start_driver(application: Any, at: tuple[str, int]) -> graphs.Run:
    graph = graphs.Graph(f"{application.name} driver")
    graph.load_extension(_life.LIBRARIES / "libgxf_http.so")
    driver, server = _add_system(graph, "driver", at, ("0.0.0.0", at[1]), "nvidia::gxf::GraphDriver")
    driver["segments"] = list(application._fragments)
    driver["connections"] = [link.connection for link in application._links]
    driver["segment_timeout_ms"] = _fragment_timeout()
    graph.activate()
    endpoint = _gxe.IpcServer.at(graph.context.address, server.cid)
    for service in _services(application):
        service._serve(endpoint)
        service.driver_start(at[0])
    return graph.run_async()


def run(application: Any, part: Options) -> None:
    """Runs this process's part of an application."""
    names = part.chosen(list(application._fragments))
    if part.driver:
        _check_listens("--address", part.address[0])
    if part.worker_address:
        _check_listens("--worker-address", part.worker_address[0])
    for link in application._links:
        # The driver tells transmitters where their receivers are.
        link.listen(1)
    driver = _start_driver(application, part.address) if part.driver else None
    try:
        if part.worker:
            with _Driver(part.address) as client:
                _work(application, part, names, client, driver)
        if driver is not None:
            driver.wait()
    except BaseException as error:
        failure = error
        if driver is not None:
            # When a fragment fails, the driver has told the other workers already.
            driver.interrupt()
            try:
                driver.wait()
            except GxfError as reason:
                failure = reason if isinstance(error, _NoAnswerError) else error
        if failure is error:
            raise
        raise failure from None
    finally:
        if driver is not None:
            for service in reversed(_services(application)):
                service.driver_shutdown()


def _work(
    application: Any, part: Options, names: list[str], client: _Driver, driver: graphs.Run | None
) -> None:
    """Runs a worker. `driver` is that of this process, if it has one."""
    place = part.worker_address or (part.address[0], free_ports(1)[0])
    names = client.allocate(f"{place[0]}:{place[1]}", names)
    if not names:
        message(LogLevel.INFO, "Other workers run all fragments; this one ends")
        return
    services = _services(application)
    connected: list[DistributedAppService] = []
    try:
        for service in services:
            if not part.driver:
                service._connect(client.client)
            service.worker_connect(part.address[0])
            connected.append(service)
        _run_fragments(application, part, place, names, driver)
    finally:
        for service in reversed(connected):
            service.worker_disconnect()


def _end_with(driver: graphs.Run, run: graphs.Run) -> None:
    """Ends the worker of a driver of this process that fails. One that does not reach the worker cannot tell
    it, and no other driver will come."""

    def watch() -> None:
        try:
            driver.wait()
        except GxfError:
            run.interrupt()

    threading.Thread(target=watch, name="gxe driver", daemon=True).start()


def _run_fragments(
    application: Any, part: Options, place: tuple[str, int], names: list[str], driver: graphs.Run | None
) -> None:
    own = [application._fragments[name] for name in names]
    incoming = [link for link in application._links if link.target in own]
    for link, port in zip(incoming, _ports(len(incoming))):
        link.listen(port, "127.0.0.1" if _is_local(part.address[0]) else "0.0.0.0")
    graph = graphs.Graph(application.name)
    graph.load_extension(_life.LIBRARIES / "libgxf_http.so")
    specs = {}
    for fragment, built in zip(own, application._build_fragments(own)):
        specs[fragment.name] = {"context": str(built.context.address)}
    application._built()
    worker, _ = _add_system(graph, "worker", place, part.address, "nvidia::gxf::GraphWorker")
    worker["graph-specs"] = specs
    if part.worker_address:
        worker["own_address"] = place[0]
    worker["driver-reconnection-times"] = _FIRST_ATTEMPTS
    try:
        run = graph.run_async()
        if driver is not None:
            _end_with(driver, run)
        run.wait()
    except GxfError as error:
        causes = (fragment._graph.context.take_exception() for fragment in own)
        raise error from next((cause for cause in causes if cause is not None), None)
    finally:
        for fragment in own:
            fragment._graph._finish()
