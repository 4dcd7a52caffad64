"""Services, which all operators of a fragment can ask for."""

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
