"""Services, which all operators of a fragment, or of an application, can ask for."""

from __future__ import annotations

from typing import Any


class FragmentService:
    """Something that all operators of a fragment can ask for."""

    def resource(self, new_resource: Any = None) -> Any:
        """The resource that the service hands out."""
        if new_resource is not None:
            self._service_resource = new_resource
        return getattr(self, "_service_resource", None)


class DefaultFragmentService(FragmentService):
    """A service around a resource, or a base of services without one."""

    def __init__(self, resource: Any = None) -> None:
        self._service_resource = resource

    @property
    def resource(self) -> Any:
        """The resource that the service hands out."""
        return self._service_resource

    @resource.setter
    def resource(self, resource: Any) -> None:
        self._service_resource = resource


class ServiceDriverEndpoint:
    """What a service does in the driver of an application in several processes."""

    def driver_start(self, driver_ip: str) -> None:
        """Called before workers can reach the driver."""

    def driver_shutdown(self) -> None:
        """Called when the application is over."""


class ServiceWorkerEndpoint:
    """What a service does in a worker of an application in several processes."""

    def worker_connect(self, driver_ip: str) -> None:
        """Called when the worker has reached the driver, before its fragments are composed."""

    def worker_disconnect(self) -> None:
        """Called when the worker's fragments have ended."""


class DistributedAppService(FragmentService, ServiceDriverEndpoint, ServiceWorkerEndpoint):
    """A service with an object in each process, if the application registers it. Within one process, all
    fragments share one object, and none of the four methods is called."""

    def _serve(self, server: Any) -> None:
        """Answers workers, through the server of the driver."""

    def _connect(self, client: Any) -> None:
        """Asks the driver from now on, through the client of a worker."""
