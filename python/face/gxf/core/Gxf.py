"""Graphs composed of entities and components, built when they first run."""

from __future__ import annotations

import abc
import functools
import logging
import os
import signal
import sys
import traceback
from collections.abc import Iterable
from typing import Any

from gxf._bound import find, raising
from gxf.core import core_pybind as core
from gxf.core.logger import logger

_manifest: list[str] = []
_SEVERITIES = {
    logging.CRITICAL: 0,
    logging.ERROR: 1,
    logging.WARNING: 2,
    logging.INFO: 3,
    logging.DEBUG: 4,
}
#: Types of parameters that are text.
_TEXTS = ("GXF_PARAMETER_TYPE_STRING", "GXF_PARAMETER_TYPE_FILE", "GXF_PARAMETER_TYPE_HANDLE")
_SUBGRAPH = "nvidia::gxf::Subgraph"
#: What a subgraph's entity uses when it loads the files, instead of parameters of the component.
_OF_LOADING = ("prerequisites", "override_params")


def add_to_manifest(extension: str) -> None:
    """Adds a library to those that `Graph.load_extensions` loads without lists."""
    if extension not in _manifest:
        _manifest.append(extension)


def exception_handler(function):
    """Logs an exception and ends the program, as GXF does."""

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return function(*arguments, **keywords)
        except Exception as error:
            kind = type(error).__name__
            logger.info("==== GXF Python Exception Handler ====")
            logger.info("Caught exception in %s: %s: %s", function.__name__, kind, error)
            logger.info("==== Exception Handler Backtrace ====")
            logger.info(traceback.format_exc())
            sys.exit(1)

    return call


def crash_handler(number: int, frame: Any) -> None:
    """Logs a fatal signal and ends the program."""
    logger.info("==== GXF Python Crash Handler ====")
    logger.info("Caught signal %d (%s)", number, signal.Signals(number).name)
    logger.info("==== Crash Handler Backtrace ====")
    logger.info("".join(traceback.format_stack(frame)))
    sys.exit(1)


class Node(abc.ABC):
    """What a graph activates."""

    @abc.abstractmethod
    def activate(self) -> None:
        """Creates it in the context."""

    @abc.abstractmethod
    def set_params(self) -> None:
        """Sets the parameters."""

    def _forget(self) -> None:
        """Its ids go with the context."""


def _set_value(context: int, cid: int, key: str, value: Any) -> None:
    """Sets a parameter. Text is YAML, except for a parameter that is text itself, of any value."""
    target = core.context_of(context)
    info = raising(target.parameter_info, cid, key)
    is_text = info is not None and info["rank"] == 0 and info["type"] in _TEXTS
    is_yaml = False
    if is_text:
        value = str(value)
    elif isinstance(value, str):
        is_yaml = info is not None
    elif not isinstance(value, (bool, int, float, complex, list, tuple, dict)) and not hasattr(value, "tolist"):
        value, is_yaml = str(value), True
    raising(target.set_parameter, cid, key, value, is_yaml)


class Component(Node):
    """A component of an entity."""

    def __init__(self, type: str, name: str = "", **params: Any) -> None:
        self._type = type
        self._name = name
        self._params = dict(params)
        self._entity: Entity | None = None
        self._cid: int | None = None
        self._tid: Any = None

    def get_gxf_type(self) -> str:
        """Full name of the type."""
        return self._type

    @property
    def name(self) -> str:
        """Name of the component."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = name

    @property
    def entity(self) -> Entity | None:
        """The entity it belongs to."""
        return self._entity

    @property
    def params(self) -> dict[str, Any]:
        """The parameters."""
        return self._params

    @property
    def cid(self) -> int | None:
        """Id of the component, once it exists."""
        return self._cid

    @property
    def tid(self) -> Any:
        """Id of the type, once the component exists."""
        return self._tid

    @property
    def added_to_graph(self) -> bool:
        """Whether it belongs to a graph."""
        return self._entity is not None and self._entity._graph is not None

    @property
    def is_added_to_entity(self) -> bool:
        """Whether it belongs to an entity."""
        return self._entity is not None

    def set_param(self, key: str, value: Any) -> None:
        """Sets a parameter that the type has."""
        self._check(key)
        self._params[key] = value
        if self._cid is not None:
            self._set(key, value)

    def get_param(self, key: str) -> Any:
        """The value of a parameter that the type has."""
        self._check(key)
        return self._params.get(key)

    def _check(self, key: str) -> None:
        known = getattr(type(self), "_validation_info_parameters", None)
        if known is not None and key not in known and not self._is_of_loading(key):
            raise ValueError(f"Invalid parameter `{key}` for component {self._type}")

    def _is_of_loading(self, key: str) -> bool:
        return self._type == _SUBGRAPH and key in _OF_LOADING

    def activate(self) -> None:
        assert self._entity is not None
        context = self._entity.context
        self._tid = core.component_type_id(context, self._type)
        self._cid = core.component_add(context, self._entity.eid, self._tid, self._name)

    def set_params(self) -> None:
        for key, value in self._params.items():
            self._check(key)
            self._set(key, value)

    def _set(self, key: str, value: Any) -> None:
        if value is None or self._is_of_loading(key):
            return
        context = self._entity.context
        if isinstance(value, Component):
            core.parameter_set_handle(context, self._cid, key, self._target(key, value))
            return
        if isinstance(value, (list, tuple)) and any(isinstance(item, Component) for item in value):
            targets = [self._target(key, item) for item in value]
            raising(core.context_of(context).set_handles, self._cid, key, targets)
            return
        _set_value(context, self._cid, key, value)

    def _target(self, key: str, value: Any) -> int:
        if not isinstance(value, Component):
            raise ValueError(f"the parameter `{key}` of {self!r} has a {type(value).__name__} among components")
        if value.cid is None:
            raise ValueError(f"the parameter `{key}` of {self!r} names {value!r}, which is in no graph")
        return value.cid

    def __repr__(self) -> str:
        entity = self._entity.qualified_name if self._entity is not None else ""
        return f"{entity}/{self._name}"


class Entity(Node):
    """An entity with components, which are its attributes by name."""

    def __init__(self, name: str = "", is_system_entity: bool = False) -> None:
        self._name = name
        self._is_system_entity = is_system_entity
        self._components: list[Component] = []
        self._graph: Graph | None = None
        self._eid: int | None = None

    def add(self, comp: Component, visible_as: str | None = None) -> Component:
        """Adds a component."""
        if not isinstance(comp, Component):
            raise RuntimeError("only components can be added to an entity")
        if comp.name and any(known.name == comp.name for known in self._components):
            raise ValueError(f"the entity `{self._name}` has a component `{comp.name}` already")
        comp._entity = self
        self._components.append(comp)
        if comp.name:
            setattr(self, comp.name, comp)
        if visible_as is not None:
            if self._graph is None:
                raise RuntimeError("the entity belongs to no graph yet")
            self._graph.make_visible(visible_as, comp)
        return comp

    @property
    def name(self) -> str:
        """Name of the entity."""
        return self._name

    @property
    def qualified_name(self) -> str:
        """Name with those of the graphs around it."""
        if self._graph is None or not self._graph.is_subgraph:
            return self._name
        return f"{self._graph.qualified_name}-{self._name}"

    @property
    def components(self) -> list[Component]:
        """The components."""
        return self._components

    @property
    def named_components(self) -> dict[str, Component]:
        """The components with names."""
        return {comp.name: comp for comp in self._components if comp.name}

    @property
    def graph(self) -> Graph:
        """The graph it belongs to."""
        if self._graph is None:
            raise RuntimeError("Entity not added to a graph yet")
        return self._graph

    @property
    def eid(self) -> int:
        """Id of the entity."""
        if self._eid is None:
            raise RuntimeError("Entity not added to a graph yet")
        return self._eid

    @property
    def context(self) -> int:
        """The context of the graph."""
        return self.graph.context

    @property
    def is_system_entity(self) -> bool:
        """Whether it holds what the graph itself needs."""
        return self._is_system_entity

    def activate(self) -> None:
        info = core.gxf_entity_create_info(self.qualified_name, 1)
        self._eid = core.entity_create(self.context, info)
        for comp in self._components:
            comp.activate()

    def set_params(self) -> None:
        for comp in self._components:
            comp.set_params()
            self._expand(comp)

    def _expand(self, comp: Component) -> None:
        """Loads the files of a subgraph."""
        if comp.get_gxf_type() != _SUBGRAPH or not comp.params.get("location"):
            return
        wanted = comp.params.get("prerequisites") or {}
        needed = {name: self._prerequisite(comp, value) for name, value in wanted.items()}
        for location in str(comp.params["location"]).split(","):
            core._subgraph_load_file(
                self.context, location.strip(), self.qualified_name, self.eid, needed
            )
        for target, values in (comp.params.get("override_params") or {}).items():
            cid = self._inner(comp, target)
            for key, value in values.items():
                if core.context_of(self.context).parameter_info(cid, key) is None:
                    raise ValueError(f"Invalid parameter `{key}` for component {target} of {comp!r}")
                if isinstance(value, Component):
                    core.parameter_set_handle(self.context, cid, key, comp._target("override_params", value))
                else:
                    _set_value(self.context, cid, key, value)

    def _prerequisite(self, comp: Component, value: Any) -> int:
        return self._found(comp, value) if isinstance(value, str) else comp._target("prerequisites", value)

    def _found(self, comp: Component, name: str) -> int:
        assert comp.cid is not None
        return find(self.context, comp.cid, name)

    def _inner(self, comp: Component, target: str) -> int:
        """A component of a subgraph: `entity/name`, or `name` for one that is visible outside or the only one
        with this name."""
        prefix = f"{self.qualified_name}."
        entity, slash, name = target.rpartition("/")
        if slash:
            return self._found(comp, f"{prefix}{entity}/{name}")
        try:
            return self._found(comp, f"{self.qualified_name}/{name}")
        except ValueError:
            entities = [
                eid
                for eid in core.entity_find_all(self.context)
                if core.entity_get_name(self.context, eid).startswith(prefix)
            ]
            found = [cid for eid in entities for cid in core.component_find(self.context, eid, component_name=name)]
            if len(found) != 1:
                raise
            return found[0]

    def _forget(self) -> None:
        self._eid = None
        for comp in self._components:
            comp._cid = comp._tid = None

    def __repr__(self) -> str:
        return self.qualified_name


class EntityGroup(Node):
    """Entities that share resources."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._entities: list[Entity] = []
        self._graph: Graph | None = None
        self._gid: int | None = None

    @property
    def name(self) -> str:
        """Name of the group."""
        return self._name

    def add(self, entity: Entity | Iterable[Entity]) -> Any:
        """Adds entities."""
        self._entities.extend([entity] if isinstance(entity, Entity) else entity)
        return entity

    def activate(self) -> None:
        assert self._graph is not None
        self._gid = core.entity_group_create(self._graph.context, self._name)

    def set_params(self) -> None:
        for entity in self._entities:
            core.entity_group_add(self._graph.context, self._gid, entity.eid)

    def _forget(self) -> None:
        self._gid = None


class Graph(Node):
    """A graph of entities, groups and subgraphs, in the order of `add`."""

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._nodes: list[Node] = []
        self._context: int | None = None
        self._parent: Graph | None = None
        self._aliases: dict[str, Component] = {}
        self._is_built = False
        self._is_active = False
        core._gxe.report_crashes()

    @property
    def context(self) -> int:
        """The context; a subgraph has that of its parent."""
        if self._parent is not None:
            return self._parent.context
        if self._context is None:
            self._context = core.context_create()
        return self._context

    @property
    def name(self) -> str:
        """Name of the graph."""
        return self._name

    def set_name(self, name: str) -> None:
        """Renames the graph."""
        self._name = name

    @property
    def qualified_name(self) -> str:
        """Name with those of the graphs around it."""
        if self._parent is None or not self._parent.is_subgraph:
            return self._name
        return f"{self._parent.qualified_name}-{self._name}"

    @property
    def parent(self) -> Graph | None:
        """The graph around this one."""
        return self._parent

    def set_parent(self, parent: Graph) -> None:
        """Makes it part of another graph."""
        self._parent = parent

    @property
    def is_subgraph(self) -> bool:
        """Whether it is part of another graph."""
        return self._parent is not None

    def as_subgraph_of(self, parent: Graph) -> Graph:
        """Makes it part of another graph."""
        self._parent = parent
        return self

    @property
    def aliases(self) -> dict[str, Component]:
        """The components that are visible from outside."""
        return self._aliases

    def make_visible(self, alias: str, comp: Component) -> None:
        """Makes a component visible under a name."""
        if alias in self._aliases:
            raise RuntimeError(f"Alias `{alias}` already exists")
        self._aliases[alias] = comp

    def get(self, alias: str) -> Component:
        """A visible component."""
        if alias not in self._aliases:
            raise ValueError(f"Unknown alias `{alias}`")
        return self._aliases[alias]

    def update_alias(self, alias: str, comp: Component) -> None:
        """Lets a name mean another component."""
        if alias not in self._aliases:
            raise ValueError(f"Unknown alias `{alias}`")
        self._aliases[alias] = comp

    def add(self, node: Any) -> Any:
        """Adds an entity, a group or a subgraph, and returns it."""
        if not isinstance(node, (Entity, EntityGroup, Graph)):
            raise RuntimeError("only entities, entity groups and graphs can be added to a graph")
        if isinstance(node, Graph):
            if not node.name:
                raise RuntimeError("a subgraph needs a name")
            node._parent = self
        else:
            node._graph = self
        self._nodes.append(node)
        if node.name:
            setattr(self, node.name, node)
        return node

    @exception_handler
    def load_extensions(
        self,
        extension_filenames: Any = None,
        manifest_files: Any = None,
        workspace: str = "",
    ) -> None:
        """Loads libraries and manifests; without lists, those of the components imported."""
        workspace = workspace or os.environ.get("GXF_WORKSPACE", "")
        if not extension_filenames and not manifest_files:
            extension_filenames = list(_manifest)
        core.load_extensions(self.context, extension_filenames or [], manifest_files or [], workspace)

    def get_extension_list(self) -> list[Any]:
        """Ids of the loaded extensions."""
        return core.get_extension_list(self.context)

    def get_extension_info(self, uuid: Any) -> dict[str, Any]:
        """What an extension says about itself."""
        return core.get_extension_info(self.context, uuid)

    def get_component_list(self, uuid: Any) -> list[Any]:
        """Ids of the types of an extension."""
        return core.get_component_list(self.context, uuid)

    def get_component_info(self, uuid: Any) -> dict[str, Any]:
        """What a type says about itself."""
        return core.get_component_info(self.context, uuid)

    def get_param_list(self, component: Any) -> list[str]:
        """Keys of the parameters of a type, by its id or its name."""
        return core.get_param_list(self.context, component)

    def get_param_info(self, component: Any, key: str) -> dict[str, Any]:
        """The description of a parameter of a type."""
        return core.get_param_info(self.context, component, key)

    def set_severity(self, severity: int) -> None:
        """Sets what the engine logs, by a level of `logging`."""
        if severity not in _SEVERITIES:
            raise RuntimeError(f"{severity} is not a level of logging")
        core.gxf_set_severity(self.context, _SEVERITIES[severity])

    def activate(self) -> None:
        for node in self._nodes:
            node.activate()

    def set_params(self) -> None:
        for node in self._nodes:
            node.set_params()

    def _build(self) -> None:
        if not self._is_built:
            self._is_built = True
            for node in self._nodes:
                node.activate()
            for node in self._nodes:
                node.set_params()

    def _forget(self) -> None:
        for node in self._nodes:
            node._forget()

    def _start(self) -> None:
        self._build()
        if not self._is_active:
            core.graph_activate(self.context)
            self._is_active = True

    @exception_handler
    def run(self) -> None:
        """Runs the graph to its end."""
        self._start()
        core.graph_run(self.context)

    @exception_handler
    def run_async(self) -> None:
        """Starts the graph."""
        self._start()
        core.graph_run_async(self.context)

    @exception_handler
    def wait(self) -> None:
        """Waits for the end of the run."""
        core.graph_wait(self.context)

    @exception_handler
    def interrupt(self) -> None:
        """Asks the run to end."""
        core.graph_interrupt(self.context)

    @exception_handler
    def destroy(self) -> None:
        """Deactivates the graph and ends its context."""
        if self._is_active:
            core.graph_deactivate(self.context)
            self._is_active = False
        if self._context is not None:
            core.context_destroy(self._context)
            self._context = None
            # Another run builds the graph again, in a context of its own.
            self._is_built = False
            self._forget()

    @exception_handler
    def save(self, filename: str) -> None:
        """Writes the graph as an app file."""
        self._build()
        core.graph_save(self.context, filename)


def parameter_set(context: int, cid: int, kind: str, key: str, value: Any) -> None:
    """Sets a parameter of any type."""
    raising(core.context_of(context).set_parameter, cid, key, value)


def parameter_get(context: int, cid: int, kind: str, key: str) -> Any:
    """The value of a parameter."""
    return raising(core.context_of(context).parameter, cid, key)
