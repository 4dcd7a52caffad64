"""Codelets written in Python.

``create`` is what the engine calls: it finds the codelet that a component names, and returns how to
call it.
"""

from __future__ import annotations

import contextlib
import functools
import operator
import os
import sys
import threading
import types
import weakref
from collections.abc import Callable, Iterable

from . import _gxe, _life
from ._bound import bound
from ._typing import Any, overload

#: Objects of this program by the address of their graph and the id of their component, as long as the graph
#: lives.
_registrations: weakref.WeakValueDictionary[tuple[int, int], _Registration] = weakref.WeakValueDictionary()
#: Codelets of this program by name, for `codelet_name` without `codelet_file`, as long as the program has them.
classes: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()
#: Modules of codelet files: path to modification time and module.
_modules: dict[str, tuple[int, types.ModuleType]] = {}
#: Modules that these imported from their folders: name to file and modification time.
_imported: dict[str, tuple[str, int]] = {}
#: For the three above, which workers use at the same time; no code of a program runs under it.
_guard = threading.RLock()
#: One for each codelet file by path, of who loads it.
_locks: dict[str, threading.RLock] = {}


class Input:
    """A port that receives: inside the codelet, a receiver."""

    def __init__(self, capacity: int = 1, min_size: int = 1, condition: bool = True) -> None:
        self.name = ""
        self.capacity = capacity
        self.min_size = min_size
        self.condition = condition

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    # What `start`, `tick` and `stop` find in its place.
    def receive(self) -> Any:
        """The value of the oldest message; `None` if there is none."""
        raise _outside(self.name)

    def receive_message(self) -> _gxe.Message | None:
        """The oldest message; `None` if there is none."""
        raise _outside(self.name)


class Output:
    """A port that sends: inside the codelet, a transmitter."""

    def __init__(self, capacity: int = 1, condition: bool = True) -> None:
        self.name = ""
        self.capacity = capacity
        self.condition = condition

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def publish(self, value: Any, acqtime: int | None = None) -> None:
        """Sends a value at the end of the tick."""
        raise _outside(self.name)


def _outside(name: str) -> RuntimeError:
    return RuntimeError(f"the port `{name}` works only in the calls of a running codelet")


_MISSING = object()


class Parameter:
    """A parameter of a codelet class: an argument of its constructor, and a key in YAML."""

    def __init__(self, default: Any = _MISSING, doc: str = "") -> None:
        self.default = default
        self.__doc__ = doc
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        try:
            return instance.__dict__[self.name]
        except KeyError:
            raise AttributeError(f"the parameter `{self.name}` has no value") from None

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self.name] = value


def _declared(cls: type, kind: type) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        own = vars(base)
        for name, value in (*own.items(), *own.get("_ports", {}).items()):
            if isinstance(value, kind):
                found[name] = value
            elif isinstance(value, (Input, Output)):
                found.pop(name, None)
    return found


class Codelet:
    """Base of codelets that are classes: override ``tick``, and ``start`` and ``stop`` where needed.

    Ports and parameters are attributes of the class::

        class Threshold(gxe.Codelet):
            signal = gxe.Input()
            result = gxe.Output()
            limit = gxe.Parameter(0.5)

            def tick(self):
                value = self.signal.receive()
                if value > self.limit:
                    self.result.publish(value)
    """

    #: The codelet's access to its graph, during its calls.
    context: _gxe.CodeletContext
    #: The ports that the class declares.
    _ports: dict[str, Input | Output] = {}

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        # Python finds an attribute of an object sooner if its class has none of this name.
        cls._ports = {name: value for name, value in vars(cls).items() if isinstance(value, (Input, Output))}
        for name in cls._ports:
            delattr(cls, name)

    def __new__(cls, *_args: Any, **_parameters: Any) -> Codelet:
        made = super().__new__(cls)
        for kind in (Input, Output):
            for name, port in _declared(cls, kind).items():
                setattr(made, name, port)
        return made

    def __init__(self, **parameters: Any) -> None:
        known = _declared(type(self), Parameter)
        for name, value in parameters.items():
            if name not in known:
                raise TypeError(_unknown(type(self).__name__, name, known))
            setattr(self, name, value)
        for name, parameter in known.items():
            if name not in parameters and name not in self.__dict__:
                if parameter.default is _MISSING:
                    raise TypeError(f"`{type(self).__name__}` needs the parameter `{name}`")
                setattr(self, name, parameter.default)

    def start(self) -> None:
        """Called once before the first tick."""

    def tick(self) -> None:
        """Called whenever the conditions allow."""
        raise NotImplementedError(f"`{type(self).__name__}` has no `tick`")

    def stop(self) -> None:
        """Called after the last tick."""

    def boolean(self, name: str) -> _gxe.BooleanTerm:
        """The condition `gxe.Boolean` with this name."""
        return self.context.component("BooleanTerm", name)

    def asynchronous(self, name: str) -> _gxe.AsynchronousTerm:
        """The condition `gxe.Asynchronous` with this name."""
        return self.context.component("AsynchronousTerm", name)


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, list(known), 1)
    hint = f"; did you mean `{near[0]}`?" if near else ""
    return f"`{what}` has no parameter `{name}`{hint}"


def _names(value: str | Iterable[str] | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    return (value,) if isinstance(value, str) else tuple(value)


class Definition:
    """What `@gxe.codelet` makes: a codelet with its ports. Called, it takes values for further
    arguments of the function, and returns another one."""

    def __init__(
        self,
        function: Callable[..., Any],
        inputs: tuple[str, ...] | None,
        outputs: tuple[str, ...] | None,
        keywords: dict[str, Any] | None = None,
        process: bool = False,
    ) -> None:
        import inspect

        functools.update_wrapper(self, function)
        self.function = function
        self.inputs_stated = inputs is not None
        self.process = process
        self.keywords = keywords or {}
        self.is_class = isinstance(function, type)
        self.is_async = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
        self.is_generator = inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
        self.takes_context = False
        if self.is_class:
            inputs = tuple(_declared(function, Input)) if inputs is None else inputs
            outputs = tuple(_declared(function, Output)) if outputs is None else outputs
            self.inputs, self.outputs, self.outputs_stated = inputs, outputs, True
            return
        signature = inspect.signature(function)
        needed = [
            parameter.name
            for parameter in signature.parameters.values()
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
            and parameter.default is parameter.empty
        ]
        positional = [name for name in needed if name not in self.keywords]
        self.takes_context = bool(positional) and positional[0] in ("context", "ctx")
        if process and (self.takes_context or self.is_async or self.is_generator):
            raise TypeError(
                f"the codelet `{self.name}` has process=True, so it has to be a function of values: neither a "
                "generator nor `async def`, and without `context`"
            )
        if self.takes_context:
            positional = positional[1:]
        self.arguments = tuple(positional)
        #: Whether a value that comes before those of inputs was given.
        self.is_called_by_name = any(name in self.keywords for name in needed)
        if inputs is None:
            # What a generator receives, `yield` returns.
            inputs = () if self.is_generator else self.arguments
        self.inputs = inputs
        self.outputs_stated = outputs is not None
        if outputs is None:
            silent = signature.return_annotation in (None, "None", type(None))
            outputs = () if silent else ("out",)
        self.outputs = outputs
        if not self.is_generator and len(self.inputs) != len(positional):
            raise TypeError(
                f"`{function.__name__}` takes {len(positional)} values and has {len(self.inputs)} "
                f"inputs ({', '.join(self.inputs)})"
            )

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if self.is_class:
            return self.function(*arguments, **keywords)
        if arguments:
            # In a program, the function is itself.
            if self.takes_context or self.is_async or self.is_generator:
                raise TypeError(f"the codelet `{self.name}` is called by a graph")
            return self.function(*arguments, **{**self.keywords, **keywords})
        import inspect

        known = inspect.signature(self.function).parameters
        takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())
        for name in keywords:
            if name not in known and not takes_any:
                raise TypeError(_unknown(self.name, name, known))
        # An argument that has a value is no input.
        inputs = tuple(name for name in self.inputs if name not in keywords) if self.inputs_stated else None
        outputs = self.outputs if self.outputs_stated else None
        return Definition(self.function, inputs, outputs, {**self.keywords, **keywords}, self.process)

    def by_name(self) -> tuple[str, ...] | None:
        """The arguments that take the inputs, if they have to be named."""
        return self.arguments if self.is_called_by_name else None

    def bound(self, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """The function of its inputs alone."""
        return bound(self.function, arguments, self.keywords, self.by_name())

    def terms(self) -> tuple[str, ...]:
        """What the entity needs beside queues and their conditions."""
        terms = ("asynchronous",) if self.is_async else ()
        # An asynchronous source ends by its event.
        is_ended = self.is_generator and bool(self.inputs or not self.is_async)
        return (*terms, "boolean") if is_ended else terms

    def host(self, context: _gxe.CodeletContext, keywords: dict[str, Any]) -> tuple:
        """How the engine calls the codelet; see `create`."""
        if self.is_class:
            return _host_object(self.function(**{**self.keywords, **keywords}), context)
        if keywords:
            return self(**keywords).host(context, {})
        arguments = (context,) if self.takes_context else ()
        receivers, transmitters = context.ports()
        for name in self.inputs:
            if name not in receivers:
                raise LookupError(f"the entity `{context.entity}` has no receiver `{name}`")
        outputs = self.outputs
        if not self.outputs_stated:
            outputs = tuple(name for name in outputs if name in transmitters)
        if self.is_async:
            hosted = _Asynchronous(self, context, arguments, outputs)
            return hosted, hosted.start, hosted.tick, hosted.stop, None, None
        if self.is_generator:
            hosted = _Generator(self, context, arguments, outputs)
            return hosted, hosted.start, hosted.tick, _flushing(context, hosted.stop), None, None
        if self.process:
            from ._process import Process

            process = Process(self.function, self.keywords, self.by_name())
            stop = _flushing(context, process.stop)
            return process, process.start, process.tick, stop, list(self.inputs), list(outputs)
        return self, None, self.bound(arguments), _flush, list(self.inputs), list(outputs)


@overload
def codelet(
    function: None = None,
    *,
    inputs: str | Iterable[str] | None = None,
    outputs: str | Iterable[str] | None = None,
    process: bool = False,
) -> Callable[[Any], Any]: ...


@overload
def codelet(
    function: Any,
    *,
    inputs: str | Iterable[str] | None = None,
    outputs: str | Iterable[str] | None = None,
    process: bool = False,
) -> Any: ...


def codelet(
    function: Any = None,
    *,
    inputs: str | Iterable[str] | None = None,
    outputs: str | Iterable[str] | None = None,
    process: bool = False,
) -> Any:
    """Makes a codelet of a function, a generator, an `async def` or a class.

    A function is called in each tick with one value of each input, and what it returns is sent: `None`
    sends nothing; with several outputs it returns a tuple or a dictionary. Its inputs are its
    arguments without defaults, unless stated; an argument named `context` is the `CodeletContext`. Its
    output is called `out`; one that returns `None` by its annotation has none.

    A generator sends what it yields, and its entity ends with it; with inputs, which must be stated,
    `yield` returns the next value (a tuple for several).

    An `async def` runs on an event loop of its own beside the graph, so that it may wait for anything;
    further messages start further calls meanwhile. Results are sent in the order of the calls. One with `yield`
    is a generator, which takes the next values when it waits for them again.

    A function with `process=True` runs in a process of its own, beside the other codelets: the
    interpreter's lock of one process does not hold the other. Values are pickled. Tensors and arrays
    travel in shared memory: without a copy if they are in it (`gxe.shared`, and what came from such a
    process), else copied into it once. The function has to be at the top of a file.
    """
    if function is None:
        return functools.partial(codelet, inputs=inputs, outputs=outputs, process=process)
    if isinstance(function, type):
        if process:
            raise TypeError(f"`{function.__name__}` is a class; process=True is for functions")
        classes[function.__name__] = function
        if issubclass(function, Codelet) and inputs is None and outputs is None:
            return function
        for names, port in ((_names(inputs), Input), (_names(outputs), Output)):
            for name in names or ():
                if name not in _declared(function, port):
                    declared = port()
                    declared.name = name
                    setattr(function, name, declared)
        return function
    definition = Definition(function, _names(inputs), _names(outputs), process=process)
    classes[definition.name] = definition
    return definition


class _Registration:
    """What a graph owns for each object that a component calls, which one function may be in any number of
    graphs."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner


def register(owned: list[Any], component: Any, owner: Any) -> None:
    """Makes an object of this program the codelet or condition of a component, until `owned` is gone."""
    registration = _Registration(owner)
    _registrations[component.graph.context.address, component.cid] = registration
    owned.append(registration)


def _registered(context: _gxe.CodeletContext) -> Any:
    found = _registrations.get((context.context, context.cid))
    return None if found is None else found.owner


def reference(codelet: Any) -> tuple[dict[str, Any], str]:
    """The parameters of the component of a codelet, by which other programs find it, and why they do not if
    they have no file."""
    if isinstance(codelet, Definition):
        origin, name, values = codelet.function, codelet.name, codelet.keywords
    else:
        origin, values = type(codelet), vars(codelet)
        name, values = origin.__name__, {key: values[key] for key in _declared(origin, Parameter) if key in values}
    module = sys.modules.get(origin.__module__)
    file = getattr(module, "__file__", None) or ""
    found = vars(module).get(name) if module is not None else None
    if not file.endswith(".py") or not _is_same(found, codelet):
        return {"codelet_name": name}, f"`{name}` is not at the top of a file"
    if not isinstance(codelet, Definition) and not _is_made_by_parameters(origin, values):
        return {"codelet_name": name}, f"`{name}` has arguments that are no parameters"
    for key, value in values.items():
        if not _is_plain(value):
            kind = type(value).__name__
            return {"codelet_name": name}, f"its parameter `{key}` has the type `{kind}`, which no app file has"
    try:
        # The text of a path depends on the locale, the engine's does not.
        path = os.fsencode(os.path.abspath(file)).decode()
    except UnicodeDecodeError:
        return {"codelet_name": name}, "the path of its file is not UTF-8, as texts in app files are"
    parameters = {"codelet_name": name, "codelet_file": path}
    if values:
        parameters["codelet_params"] = values
    return parameters, ""


def _is_same(found: Any, codelet: Any) -> bool:
    """Whether what a file has is a codelet's function or class, with the same ports."""
    if not isinstance(codelet, Definition):
        return found is type(codelet)
    if isinstance(found, types.FunctionType):
        found = Definition(found, None, None)
    if not isinstance(found, Definition) or found.function is not codelet.function:
        return False
    if codelet.keywords:
        found = found(**codelet.keywords)
    return all(getattr(found, key) == getattr(codelet, key) for key in ("inputs", "outputs", "process"))


def _is_made_by_parameters(cls: type, values: dict[str, Any]) -> bool:
    import inspect

    if cls.__init__ in (object.__init__, Codelet.__init__):
        return True
    return not values and len(inspect.signature(cls.__init__).parameters) == 1


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    return value is None or isinstance(value, (bool, int, float, str))


def create(name: str, file: str, context: _gxe.CodeletContext) -> tuple:
    """The codelet that a component names: `(owner, start, tick, stop, inputs, outputs)`.

    With lists of inputs and outputs, the engine receives, calls `tick` with the values and sends its
    result; without them, it calls `tick` alone.
    """
    found = _registered(context)
    if found is not None:
        # It has its parameters already.
        return found.host(context, {}) if isinstance(found, Definition) else _host_object(found, context)
    if _life.is_dropped(context.context):
        # Its registration is gone already.
        return Definition(lambda context: None, None, None).host(context, {})
    keywords = _gxe.parse_yaml(context.parameters) if context.parameters else None
    if keywords is None:
        keywords = {}
    if not isinstance(keywords, dict):
        raise TypeError(f"the parameters of `{name}` are a {type(keywords).__name__}, not a mapping")
    if file in ("", "None"):
        found = vars(sys.modules["__main__"]).get(name, classes.get(name))
        if found is None:
            raise LookupError(
                f"this program has no codelet `{name}`; `codelet_file` names the file that has it"
            )
    else:
        module = _module(file)
        found = getattr(module, name, None)
        if found is None:
            import difflib

            near = difflib.get_close_matches(name, dir(module), 1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            raise LookupError(f"`{file}` has no codelet `{name}`{hint}")
    if isinstance(found, Definition):
        return found.host(context, keywords)
    if isinstance(found, type):
        if issubclass(found, Codelet):
            return _host_object(found(**keywords), context)
        return _host_object(found(), context)
    if isinstance(found, types.FunctionType):
        return Definition(found, None, None).host(context, keywords)
    return _host_object(found, context)


_EXPECTED = (
    "expected is a state (0 never, 1 ready, 2 wait, 3 wait until a time, 4 wait for an event), for 3 in a tuple "
    "with the time in nanoseconds"
)


def _state(answer: Any) -> tuple[int, int | None]:
    """State and time of what a condition answered."""
    state: Any
    state, target = answer if isinstance(answer, tuple) else (answer, None)
    state = getattr(state, "value", state)
    number, time = operator.index(state), None if target is None else operator.index(target)
    # False would end the entity.
    if isinstance(state, bool) or number not in range(5) or (number == 3 and time is None):
        raise ValueError
    return number, time


def create_term(name: str, context: _gxe.CodeletContext) -> tuple:
    """The condition of this program for a component: `(check, on_execute, update_state)`."""
    found = _registered(context)
    if found is None and _life.is_dropped(context.context):
        return lambda now: (0, None), None, None
    if found is None:
        raise LookupError(f"this program has no condition `{name}`")
    if hasattr(found, "bind"):
        found.bind(context)

    def check(now: int) -> tuple[int, int | None]:
        answer = found.check(now)
        try:
            return _state(answer)
        except (TypeError, ValueError):
            label = getattr(found, "name", "") or type(found).__name__
            text = f"`check` of the condition `{label}` of the entity `{context.entity}` answered {answer!r}"
        raise TypeError(f"{text}; {_EXPECTED}")

    on_execute, update_state = getattr(found, "on_execute", None), getattr(found, "update_state", None)
    return check, on_execute, update_state


def pickled(value: Any) -> bytes:
    """The bytes of an object that a link carries to another process."""
    import pickle

    try:
        return pickle.dumps(value, 5)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        # It knows functions and classes that have no place in a file.
        try:
            import cloudpickle
        except ImportError:
            text = f"a {type(value).__name__} cannot go to another process: {error}"
            raise TypeError(f"{text}; with the package cloudpickle, most objects can") from error
        return cloudpickle.dumps(value, 5)


def unpickled(data: bytes) -> Any:
    """The object of `pickled`."""
    import pickle

    return pickle.loads(data)


def _module(file: str) -> types.ModuleType:
    """The module of a codelet file, loaded anew if the file, or one that it imported, changed."""
    path = os.path.abspath(file)
    with _guard:
        lock = _locks.setdefault(path, threading.RLock())
    # One for each file, as with imports: a file may wait for threads that load others.
    with lock:
        return _loaded(file, path)


def _loaded(file: str, path: str) -> types.ModuleType:
    with _guard:
        _forget_changed()
        modules = _modules
    try:
        changed = os.stat(path).st_mtime_ns
    except OSError as error:
        raise FileNotFoundError(f"the codelet file `{file}` cannot be read: {error.strerror}") from None
    known = modules.get(path)
    if known is not None and known[0] == changed:
        return known[1]
    folder = os.path.dirname(path)
    import importlib.util

    with _guard:
        if folder not in sys.path:
            sys.path.append(folder)
        importlib.invalidate_caches()
        name = _module_name(path)
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"`{file}` is not a file of Python")
        module = importlib.util.module_from_spec(spec)
        before = sys.modules.get(name)
        sys.modules[name] = module
        known_names = set(sys.modules)
    try:
        # Compiled here: a changed file of the same second and size would come from the cache.
        with open(path, "rb") as source:
            exec(compile(source.read(), path, "exec"), module.__dict__)
    except BaseException:
        if before is None:
            sys.modules.pop(name, None)
        else:
            sys.modules[name] = before
        raise
    finally:
        with _guard:
            for added in set(sys.modules) - known_names:
                imported = getattr(sys.modules.get(added), "__file__", None) or ""
                inside = imported.startswith(os.path.join(folder, "")) and "-packages" + os.sep not in imported
                if inside and imported.endswith(".py"):
                    _imported[added] = (imported, _changed(imported))
    # That of the beginning: what changed meanwhile is loaded anew.
    modules[path] = (changed, module)
    return module


def _module_name(path: str) -> str:
    """The name of a codelet file's module: that of the file, unless another module has it, or would be imported
    by it."""
    import hashlib
    import importlib.util

    name = os.path.basename(path).split(".", 1)[0]
    known = sys.modules.get(name)
    if known is not None:
        found = getattr(known, "__file__", None)
    else:
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            spec = None
        found = path if spec is None else spec.origin
    if name != "__main__" and found is not None and os.path.realpath(found) == os.path.realpath(path):
        return name
    return f"_gxe_codelet_{hashlib.sha256(os.fsencode(path)).hexdigest()[:16]}"


def _forget_changed() -> None:
    """Lets codelet files import again what they imported from their folders, if a file of that changed."""
    global _modules
    if all(_changed(file) == changed for file, changed in _imported.values()):
        return
    import importlib.util

    for name, (file, _) in _imported.items():
        sys.modules.pop(name, None)
        package, _, part = name.rpartition(".")
        if package in sys.modules:
            vars(sys.modules[package]).pop(part, None)
        # A changed file of the same second and size would come from the cache.
        with contextlib.suppress(OSError, NotImplementedError):
            os.remove(importlib.util.cache_from_source(file))
    _imported.clear()
    # A new one: who loads a file now may have the old modules.
    _modules = {}


def _changed(file: str) -> int:
    try:
        return os.stat(file).st_mtime_ns
    except OSError:
        return 0


def _host_object(found: Any, context: _gxe.CodeletContext) -> tuple:
    """An object with `tick`, and `start` and `stop` if it has them."""
    if not callable(getattr(found, "tick", None)):
        raise TypeError(f"the codelet `{type(found).__name__}` has no `tick`")
    if hasattr(found, "set_bridge"):
        found.set_bridge(context)
    else:
        # An app file may name one object of the program in several entities.
        other = getattr(found, "context", None)
        if isinstance(other, _gxe.CodeletContext) and other.context == context.context and other.cid != context.cid:
            raise ValueError(
                f"the entity `{other.entity}` has this `{type(found).__name__}` already; its ports can be those of "
                "one entity only"
            )
        found.context = context
        for name in _declared(type(found), Input):
            setattr(found, name, context.component("Receiver", name))
        for name in _declared(type(found), Output):
            setattr(found, name, context.component("Transmitter", name))
    start, stop = getattr(found, "start", None), getattr(found, "stop", None)
    return found, start, found.tick, _flushing(context, stop), None, None


def _flushing(context: _gxe.CodeletContext, stop: Callable[[], Any] | None) -> Callable[[], None]:
    def stopped() -> None:
        try:
            if stop is not None:
                stop()
        finally:
            _flush()

    return stopped


def _flush() -> None:
    # In a process of `gxe`, nobody else writes what `print` left.
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            pass


class _Ports:
    """The queues of a codelet that receives and sends by itself."""

    def __init__(self, definition: Definition, context: Any, outputs: tuple[str, ...]) -> None:
        self.definition = definition
        self.context = context
        self.inputs = [context.component("Receiver", name) for name in definition.inputs]
        self.names = outputs
        self.outputs = [context.component("Transmitter", name) for name in outputs]

    def receive(self) -> tuple[Any, ...]:
        return tuple(port.receive() for port in self.inputs)

    def send(self, result: Any) -> None:
        if result is None or not self.outputs:
            return
        if len(self.outputs) == 1:
            self.outputs[0].publish(result)
            return
        if isinstance(result, dict):
            result = tuple(result.get(name) for name in self.names)
        if len(result) != len(self.outputs):
            raise ValueError(f"{len(result)} values for {len(self.outputs)} outputs")
        for port, value in zip(self.outputs, result):
            if value is not None:
                port.publish(value)


class _Generator(_Ports):
    """A generator: each tick sends what it yields next."""

    def __init__(self, definition, context, arguments, outputs) -> None:
        super().__init__(definition, context, outputs)
        self.make = definition.bound(arguments)
        self.going = context.component("BooleanTerm", "running")

    def start(self) -> None:
        self.generator = self.make()
        #: What it yields before the first value, which has a tick of its own: a queue may have room for one message.
        self.first = None
        if self.inputs:
            # Up to its first `yield`.
            self.first = self._next(next)

    def tick(self) -> None:
        if not self.inputs:
            result = self._next(next)
        elif self.first is not None:
            result, self.first = self.first, None
        else:
            values = self.receive()
            value = values[0] if len(values) == 1 else values
            result = self._next(lambda generator: generator.send(value))
        self.send(result)

    def _next(self, step: Callable[[Any], Any]) -> Any:
        try:
            return step(self.generator)
        except StopIteration:
            self.going.disable_tick()
            return None

    def stop(self) -> None:
        self.generator.close()


class _Asynchronous(_Ports):
    """An `async def`: ticks start calls and send the results of those that are done."""

    #: Calls at once; the tick that would start another waits.
    MOST = 64
    #: How long the end of a run waits for calls that it cancelled, in seconds.
    PATIENCE = 5.0

    def __init__(self, definition, context, arguments, outputs) -> None:
        super().__init__(definition, context, outputs)
        self.make = definition.bound(arguments)
        self.event = context.component("AsynchronousTerm", "event")
        self.is_source = not self.inputs
        self.is_generator = definition.is_generator
        self.going = context.component("BooleanTerm", "running") if "boolean" in definition.terms() else None

    def start(self) -> None:
        from . import _loop

        self.calls: list[Any] = []
        #: What executes them on the loop: a call is done as soon as it is cancelled.
        self.tasks: set[Any] = set()
        self.loop = _loop.shared()
        self.stream = self.make() if self.is_generator else None
        self.turn: Any = None
        if self.is_source or self.is_generator:
            # Each tick of a source then has a result to send; a generator with inputs goes to its first `yield`.
            self._begin(())
            self._rest()

    def _begin(self, values: tuple[Any, ...]) -> None:
        import asyncio

        step = _awaited(self.tasks, self._sent if self.is_generator else self.make, *values)
        call = asyncio.run_coroutine_threadsafe(step, self.loop)
        self.calls.append(call)
        call.add_done_callback(self._done)

    async def _sent(self, *values: Any) -> Any:
        """What the generator yields for the next values, once it waits for them."""
        import asyncio

        if self.turn is None:
            # Made here: Python 3.9 gives it the loop of the thread.
            self.turn = asyncio.Lock()
        async with self.turn:
            return await self.stream.asend(values[0] if len(values) == 1 else values or None)

    def _done(self, call: Any) -> None:
        # `stop` may take it away meanwhile.
        event = self.event
        if event is not None:
            event.event_state = 3

    def tick(self) -> None:
        if self.calls and self.calls[0].done():
            result, error = self.calls.pop(0).result()
            if self.is_generator and isinstance(error, StopAsyncIteration):
                if self.going is None:
                    self.event.event_state = 4
                else:
                    self.going.disable_tick()
                return
            if error is not None:
                raise error
            self.send(result)
            if self.is_source:
                self._begin(())
        elif not self.is_source and all(len(port) for port in self.inputs):
            if len(self.calls) >= self.MOST:
                from concurrent.futures import wait

                wait(self.calls[:1])
            self._begin(self.receive())
        self._rest()

    def _rest(self) -> None:
        # In this order: a call that ends in between sets its own state.
        if not self.calls:
            self.event.event_state = 1
            return
        self.event.event_state = 2
        if self.calls[0].done():
            self.event.event_state = 3

    def stop(self) -> None:
        event, self.event = self.event, None
        calls, self.calls = self.calls, []
        for call in calls:
            call.cancel()
        self.event = event
        try:
            if calls or self.stream is not None:
                self._end_tasks()
        finally:
            _flush()

    def _end_tasks(self) -> None:
        import asyncio
        from concurrent.futures import wait

        ended = asyncio.run_coroutine_threadsafe(_ended(self.tasks, self.stream), self.loop)
        if not wait([ended], self.PATIENCE).done:
            # It may go on beside other graphs.
            return
        error = ended.result()
        if error is not None:
            raise error


async def _awaited(tasks: set[Any], make: Callable[..., Any], *values: Any) -> tuple[Any, BaseException | None]:
    """What a call returns, and what it raises instead."""
    import asyncio

    task = asyncio.current_task()
    tasks.add(task)
    # Made here: Python warns of a coroutine whose call is cancelled before it begins.
    try:
        return await make(*values), None
    except BaseException as error:
        # Some exceptions would end the loop, and others the call without a result.
        return None, error
    finally:
        tasks.discard(task)


async def _ended(tasks: set[Any], stream: Any) -> BaseException | None:
    """Waits for tasks and for the end of a generator; returns what that raises."""
    import asyncio

    if tasks:
        await asyncio.wait(list(tasks))
    if stream is not None:
        try:
            await stream.aclose()
        except BaseException as error:
            return error
    return None
