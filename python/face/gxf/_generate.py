"""Makes the classes of components from what extensions say about their types."""

from __future__ import annotations

import functools
import pathlib
import sys
from typing import Any

from gxe import GxfError, _gxe, _life
from gxf.core.core_pybind import described
from gxf.core.Gxf import Component, add_to_manifest


@functools.cache
def _context() -> _gxe.Context:
    return _life.new_context()


def classes(library: str, path: str, namespace: dict[str, Any], is_optional: bool = False) -> list[str]:
    """Adds a class for each component type of an extension to a module. `library` is its file, empty
    for the standard extension; `path` is how manifests name it. Without one that `is_optional`, there are
    no classes."""
    if is_optional and not (_life.LIBRARIES / library).exists():
        return []
    if _gxe.is_guest():
        _stand_in(namespace["__name__"])
        return []
    context = _context()
    before = len(context.extensions())
    if library:
        try:
            context.load_extension(pathlib.Path(_life.LIBRARIES / library))
        except GxfError as error:
            raise ImportError(f"gxe has no `{library}`: {error}") from error
    extensions = context.extensions()
    wanted = extensions[before:] if len(extensions) > before else []
    if not library:
        wanted = extensions[:1]
    elif not wanted:
        wanted = [e for e in extensions if pathlib.Path(e["path"]).name == library]
    names = []
    for extension in wanted:
        for type_name in extension["types"]:
            info = context.type_info(type_name)
            if info is None or info["is_abstract"] or not info["is_component"]:
                continue
            made = _class(info, namespace["__name__"])
            namespace[made.__name__] = made
            names.append(made.__name__)
    if path:
        add_to_manifest(path)
    return names


def _stand_in(module: str) -> None:
    """Lets a module have any class. No graph can be made in a process of `gxe`, but a file of codelets may
    import what it composes graphs of when it is a program of its own."""

    @functools.cache
    def stand_in(name: str) -> type:
        # Other names are those of submodules.
        if not name[0].isupper():
            raise AttributeError(f"module {module!r} has no attribute {name!r}")

        def __init__(self: Component, *_arguments: Any, **_params: Any) -> None:
            text = "this process is gxe, which runs a graph already; a program of its own starts with `python3`"
            raise RuntimeError(f"a {name} cannot be made here: {text}")

        members = {"__init__": __init__, "__module__": module, "_validation_info_parameters": {}}
        return type(name, (Component,), members)

    package = module[: -len(".Components")]
    for each in (module, package):
        vars(sys.modules[each])["__getattr__"] = stand_in


def _class(info: dict[str, Any], module: str) -> type:
    type_name = info["name"]
    name = type_name.rsplit("::", 1)[-1]
    parameters = {parameter["key"]: described(parameter) for parameter in info["parameters"]}

    def __init__(self: Component, name: str = "", **params: Any) -> None:
        Component.__init__(self, type(self).gxf_native_type, name, **params)

    return type(
        name,
        (Component,),
        {
            "__init__": __init__,
            "__doc__": info["description"],
            "__module__": module,
            "gxf_native_type": type_name,
            "_validation_info_parameters": parameters,
            "get_gxf_type": classmethod(lambda cls: cls.gxf_native_type),
        },
    )
