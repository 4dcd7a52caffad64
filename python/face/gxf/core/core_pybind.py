"""GXF's C API as functions. A context is an integer; a failure is a `ValueError` whose text is the name
of the result."""

from __future__ import annotations

import functools
import operator
import os
import pathlib
from collections.abc import Callable
from typing import Any

from gxe import _gxe, _life
from gxf._bound import raising

__all__: list[str] = []

_contexts: dict[int, _gxe.Context] = {}
#: Called with a context that ends.
_endings: list[Callable[[int], None]] = []


def _exported(function):
    """Exports a function, and turns the engine's errors into GXF's."""

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        return raising(function, *arguments, **keywords)

    __all__.append(function.__name__)
    return call


def context_of(context: int) -> _gxe.Context:
    """The context behind a number."""
    found = _contexts.get(context)
    if found is None:
        raise ValueError("GXF_CONTEXT_INVALID")
    return found


# Contexts


@_exported
def context_create() -> int:
    """A new context."""
    made = _life.new_context()
    _contexts[made.address] = made
    return made.address


@_exported
def context_destroy(context: int) -> None:
    """Ends a context."""
    target = context_of(context)
    for forget in _endings:
        forget(context)
    target.end()
    del _contexts[context]


@_exported
def load_extensions(
    context: int,
    extension_filenames: Any = (),
    manifest_filenames: Any = (),
    base_directory: str = "",
) -> None:
    """Loads extension libraries and manifests."""
    target = context_of(context)
    base = pathlib.Path(base_directory) if base_directory else None
    for file in extension_filenames or ():
        target.load_extension(pathlib.Path(file), base)
    for file in manifest_filenames or ():
        path = pathlib.Path(file)
        if base is not None and not path.exists():
            path = base / path
        target.load_manifest(path, base)


@_exported
def graph_load_file(context: int, filename: str, params: Any = ()) -> None:
    """Loads an app file."""
    context_of(context).load_apps([pathlib.Path(filename)], list(params))


@_exported
def set_root_filepath(context: int, path: str) -> None:
    """Sets the folder that app files are relative to."""
    context_of(context).set_root_path(pathlib.Path(path))


@_exported
def graph_activate(context: int) -> None:
    """Activates the graph."""
    context_of(context).activate()


@_exported
def graph_run(context: int) -> None:
    """Runs the graph to its end."""
    context_of(context).run()


@_exported
def graph_run_async(context: int) -> None:
    """Starts the graph."""
    context_of(context).run_async()


@_exported
def graph_wait(context: int) -> None:
    """Waits for the end of the run."""
    context_of(context).wait()


@_exported
def graph_interrupt(context: int) -> None:
    """Asks the run to end."""
    context_of(context).interrupt()


@_exported
def graph_deactivate(context: int) -> None:
    """Deactivates the graph."""
    context_of(context).deactivate()


@_exported
def graph_save(context: int, filename: str) -> None:
    """Writes the graph as an app file."""
    context_of(context).save(pathlib.Path(filename))


@_exported
def gxf_set_severity(context: int, severity: int) -> None:
    """Sets what is logged: 0 nothing to 5 everything."""
    context_of(context)
    if severity not in range(6):
        raise ValueError("GXF_ARGUMENT_OUT_OF_RANGE")
    _gxe.set_severity(int(severity))


def _subgraph_load_file(
    context: int, location: str, name: str, eid: int, prerequisites: Any = None
) -> None:
    """Loads an app file as a subgraph of the entity with this name, whose entities are called `name.entity`."""
    wanted = list((prerequisites or {}).items())
    raising(context_of(context).load_app_below, pathlib.Path(location), f"{name}.", eid, wanted)


# Entities


class gxf_entity_create_info:  # noqa: N801
    """Name and flags of an entity to create; flag 1 activates it with the graph."""

    def __init__(self, entity_name: str = "", flags: int = 1) -> None:
        self.entity_name = entity_name
        self.flags = flags


GxfEntityCreateInfo = gxf_entity_create_info
__all__ += ["GxfEntityCreateInfo", "gxf_entity_create_info"]


@_exported
def entity_create(context: int, info: gxf_entity_create_info) -> int:
    """Creates an entity."""
    target = context_of(context)
    make = target.create_entity if info.flags & 1 else target.create_object
    return make(info.entity_name or "")


@_exported
def entity_find(context: int, name: str) -> int:
    """An entity by name."""
    return context_of(context).find_entity(name)


@_exported
def entity_find_all(context: int) -> list[int]:
    """All entities."""
    return context_of(context).entities()


@_exported
def entity_get_name(context: int, eid: int) -> str:
    """Name of an entity."""
    return context_of(context).entity_name(eid)


@_exported
def entity_get_ref_count(context: int, eid: int) -> int:
    """Number of users of an entity."""
    return context_of(context).entity_users(eid)


@_exported
def entity_get_status(context: int, eid: int) -> int:
    """Execution status of an entity: 0 before a run, 5 after it."""
    return context_of(context).entity_status(eid)


@_exported
def entity_get_state(context: int, eid: int) -> int:
    """Behaviour status of an entity."""
    return context_of(context).entity_state(eid)


@_exported
def entity_activate(context: int, eid: int) -> None:
    """Activates an entity."""
    context_of(context).activate_entity(eid)


@_exported
def entity_deactivate(context: int, eid: int) -> None:
    """Deactivates an entity."""
    context_of(context).deactivate_entity(eid)


@_exported
def entity_destroy(context: int, eid: int) -> None:
    """Removes an entity."""
    context_of(context).destroy_entity(eid)


@_exported
def entity_event_notify(context: int, eid: int) -> None:
    """Makes the scheduler check an entity."""
    context_of(context).notify_entity(eid)


@_exported
def entity_group_create(context: int, name: str) -> int:
    """Creates a group of entities."""
    return context_of(context).create_group(name)


@_exported
def entity_group_add(context: int, gid: int, eid: int) -> None:
    """Moves an entity to a group."""
    context_of(context).move_to_group(gid, eid)


class MessageEntity:
    """A message."""

    def __init__(self, context: int | None = None, *, message: _gxe.Message | None = None) -> None:
        self.message = message if message is not None else raising(_gxe.new_message, context or 0)

    @property
    def eid(self) -> int:
        """Its id in GXF's C API."""
        return self.message.eid

    def __repr__(self) -> str:
        return f"<MessageEntity {self.message!r}>"


__all__.append("MessageEntity")


# Components and types


class gxf_tid_t:  # noqa: N801
    """A type id."""

    def __init__(self, hash1: int = 0, hash2: int = 0) -> None:
        self.hash1 = hash1
        self.hash2 = hash2

    @property
    def text(self) -> str:
        """As 32 hexadecimal digits."""
        return f"{self.hash1:016x}{self.hash2:016x}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, gxf_tid_t) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"gxf_tid_t({self.text})"


__all__.append("gxf_tid_t")


def _tid(text: str) -> gxf_tid_t:
    digits = text.replace("-", "").replace(" ", "").replace("0x", "")
    return gxf_tid_t(int(digits[:16], 16), int(digits[16:], 16))


@_exported
def tid_null() -> gxf_tid_t:
    """The id of no type."""
    return gxf_tid_t()


@_exported
def component_type_id(context: int, name: str) -> gxf_tid_t:
    """Id of a type."""
    return _tid(context_of(context).type_id(name))


@_exported
def component_type_name(context: int, tid: gxf_tid_t) -> str:
    """Name of a type."""
    return context_of(context).type_name(tid.text)


@_exported
def component_add(context: int, eid: int, tid: gxf_tid_t, name: str = "") -> int:
    """Adds a component to an entity."""
    target = context_of(context)
    return target.add_component(eid, target.type_name(tid.text), name or "")


@_exported
def component_find(
    context: int, eid: int, tid: gxf_tid_t | None = None, component_name: str | None = None
) -> list[int]:
    """The components of an entity with a type and a name."""
    target = context_of(context)
    wanted = target.type_name(tid.text) if tid is not None and tid != gxf_tid_t() else None
    found = []
    for cid in target.components(eid):
        name = target.component_type(cid)
        if wanted is not None and name != wanted:
            info = target.type_info(name)
            if info is None or wanted not in info["bases"]:
                continue
        if component_name is not None and target.component_name(cid) != component_name:
            continue
        found.append(cid)
    return found


@_exported
def get_extension_list(context: int) -> list[gxf_tid_t]:
    """Ids of the loaded extensions."""
    return [_tid(extension["id"]) for extension in context_of(context).extensions()]


def _extension(context: int, uuid: gxf_tid_t) -> dict[str, Any]:
    for extension in context_of(context).extensions():
        if _tid(extension["id"]) == uuid:
            return extension
    raise ValueError("GXF_EXTENSION_NOT_FOUND")


@_exported
def get_extension_info(context: int, uuid: gxf_tid_t) -> dict[str, Any]:
    """What an extension says about itself."""
    extension = _extension(context, uuid)
    keys = ("name", "display_name", "category", "brief", "description", "version", "author", "license")
    return {key: extension[key] for key in keys}


@_exported
def get_component_list(context: int, uuid: gxf_tid_t) -> list[gxf_tid_t]:
    """Ids of the types of an extension."""
    target = context_of(context)
    return [_tid(target.type_id(name)) for name in _extension(context, uuid)["types"]]


def _type(context: int, kind: Any) -> dict[str, Any]:
    target = context_of(context)
    name = kind if isinstance(kind, str) else target.type_name(kind.text)
    info = target.type_info(name)
    if info is None:
        raise ValueError("GXF_FACTORY_UNKNOWN_CLASS_NAME")
    return info


@_exported
def get_component_info(context: int, uuid: gxf_tid_t) -> dict[str, Any]:
    """What a type says about itself."""
    info = _type(context, uuid)
    return {
        "type_name": info["name"],
        "display_name": info["display_name"],
        "brief": info["brief"],
        "description": info["description"],
        "base_name": info["bases"][0] if info["bases"] else "",
        "is_abstract": info["is_abstract"],
    }


@_exported
def get_param_list(context: int, component: Any) -> list[str]:
    """Keys of the parameters of a type."""
    return [parameter["key"] for parameter in _type(context, component)["parameters"]]


@_exported
def get_param_info(context: int, component: Any, key: str) -> dict[str, Any]:
    """The description of a parameter."""
    for parameter in _type(context, component)["parameters"]:
        if parameter["key"] == key:
            return described(parameter)
    raise ValueError("GXF_PARAMETER_NOT_FOUND")


def described(parameter: dict[str, Any]) -> dict[str, Any]:
    """A parameter in GXF's terms."""
    flags = int(parameter["optional"]) | int(parameter["dynamic"]) << 1
    return {
        "key": parameter["key"],
        "headline": parameter["headline"],
        "description": parameter["description"],
        "gxf_parameter_type": parameter["type"],
        "rank": parameter["rank"],
        "shape": list(parameter["shape"]),
        "flags": flags,
        "handle_type": parameter["handle_type"],
        "default": parameter["default"],
    }


# Parameters


@_exported
def parameter_set_from_yaml_node(
    context: int, cid: int, key: str, value: Any, prefix: str = ""
) -> None:
    """Sets a parameter from YAML text."""
    context_of(context).set_parameter(cid, key, value if isinstance(value, str) else str(value), True)


@_exported
def parameter_set_handle(context: int, cid: int, key: str, target: int) -> None:
    """Lets a parameter lead to a component."""
    context_of(context).set_handles(cid, key, int(target))


_TYPES = {
    "bool": "BOOL",
    "int32": "INT32",
    "int64": "INT64",
    "uint64": "UINT64",
    "float64": "FLOAT64",
    "str": "STRING",
    "path": "FILE",
    "handle": "HANDLE",
}


def _float(value: Any) -> float:
    if isinstance(value, str):
        raise TypeError
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _converted(convert: Any, value: Any) -> Any:
    try:
        return convert(value)
    except (TypeError, ValueError):
        raise ValueError("GXF_PARAMETER_INVALID_TYPE") from None


def _typed(context: int, cid: int, key: str, name: str, rank: int = 0) -> _gxe.Context:
    """The context, if the parameter has this type, or none was declared."""
    target = context_of(context)
    info = target.parameter_info(cid, key)
    if info is not None and (info["type"], info["rank"]) != (f"GXF_PARAMETER_TYPE_{_TYPES[name]}", rank):
        raise ValueError("GXF_PARAMETER_INVALID_TYPE")
    return target


def _setter(name: str, convert: Any) -> None:
    def set_parameter(context: int, cid: int, key: str, value: Any) -> None:
        converted = _converted(convert, value)
        _typed(context, cid, key, name).set_parameter(cid, key, converted)

    set_parameter.__name__ = f"parameter_set_{name}"
    set_parameter.__doc__ = f"Sets a parameter of the type {name}."
    globals()[set_parameter.__name__] = _exported(set_parameter)


def _getter(name: str, convert: Any, rank: int = 0) -> None:
    def get_parameter(context: int, cid: int, key: str, *_lengths: int) -> Any:
        return _converted(convert, _typed(context, cid, key, name, rank).parameter(cid, key))

    full_name = f"{rank}d_{name}_vector" if rank else name
    get_parameter.__name__ = f"parameter_get_{full_name}"
    get_parameter.__doc__ = f"Value of a parameter of the type {full_name}."
    globals()[get_parameter.__name__] = _exported(get_parameter)


def _list_setter(name: str, rank: int, convert: Any) -> None:
    def numbers(values: Any) -> list[Any]:
        return [convert(value) for value in values]

    def rows(values: Any) -> list[list[Any]]:
        return [numbers(row) for row in values]

    def set_parameter(context: int, cid: int, key: str, values: Any, *_lengths: int) -> None:
        converted = _converted(rows if rank == 2 else numbers, values)
        _typed(context, cid, key, name, rank).set_parameter(cid, key, converted)

    set_parameter.__name__ = f"parameter_set_{rank}d_{name}_vector"
    set_parameter.__doc__ = f"Sets a parameter: numbers of the type {name} in {rank} dimensions."
    globals()[set_parameter.__name__] = _exported(set_parameter)


for _name, _convert in (
    ("bool", bool),
    ("int32", operator.index),
    ("int64", operator.index),
    ("uint64", operator.index),
    ("float64", _float),
    ("str", _text),
    ("path", os.fspath),
):
    _setter(_name, _convert)
    _getter(_name, _convert)
    if "64" in _name or "32" in _name:
        for _rank in (1, 2):
            _list_setter(_name, _rank, _convert)
            _getter(_name, list, _rank)
_getter("handle", int)


@_exported
def get_gxf_primitive_type(dtype: Any) -> str:
    """GXF's name of a type of NumPy."""
    import numpy

    kind = numpy.dtype(dtype)
    names = {"i": "Int", "u": "UInt", "f": "Float"}
    if kind.kind in names:
        return f"nvidia::gxf::PrimitiveType::k{names[kind.kind]}{8 * kind.itemsize}"
    return "nvidia::gxf::PrimitiveType::kCustom"
