"""Operators made of functions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._gxe import Tensor
from ._component import Condition, Resource
from ._operator import Operator
from ._spec import IOSpec, OperatorSpec
from ._types import ConditionType

__all__ = ["Input", "Output", "create_op"]


@dataclass
class Input:
    """An input of a function: `arg_map` is the argument that takes its value, or a dictionary from names
    of tensors to arguments. Without it, the argument with the port's name takes the value; if there is
    none, each tensor goes to the argument of its name."""

    name: str
    arg_map: str | dict[str, str] | None = None
    condition_type: ConditionType | None = None
    condition_kwargs: dict[str, Any] = field(default_factory=dict)
    connector_type: IOSpec.ConnectorType | None = None
    connector_kwargs: dict[str, Any] = field(default_factory=dict)
    size: Any = 1
    policy: Any = None

    def create_input(self, spec: OperatorSpec) -> IOSpec:
        """The port."""
        return _configured(spec.input(self.name, size=self.size, policy=self.policy), self)


@dataclass
class Output:
    """An output of a function: `tensor_names` are the keys of its dictionary that go there. A result that
    is no dictionary takes the only one of them as its name."""

    name: str
    tensor_names: str | tuple[str, ...] | None = ()
    condition_type: ConditionType | None = None
    condition_kwargs: dict[str, Any] = field(default_factory=dict)
    connector_type: IOSpec.ConnectorType | None = None
    connector_kwargs: dict[str, Any] = field(default_factory=dict)
    size: Any = 1
    policy: Any = None

    def create_output(self, spec: OperatorSpec) -> IOSpec:
        """The port."""
        return _configured(spec.output(self.name, size=self.size, policy=self.policy), self)


def _configured(port: IOSpec, by: Input | Output) -> IOSpec:
    if by.condition_type is not None:
        port.condition(by.condition_type, **by.condition_kwargs)
    if by.connector_type is not None:
        port.connector(by.connector_type, **by.connector_kwargs)
    return port


def _ports(stated: Any, kind: type) -> tuple[Any, ...]:
    several = stated if isinstance(stated, (list, tuple)) else (stated,)
    ports = tuple(kind(port) if isinstance(port, str) else port for port in several)
    for port in ports:
        if not isinstance(port, kind):
            raise TypeError(f"create_op takes names and {kind.__name__}s of ports, and got a {type(port).__name__}")
    return ports


def create_op(
    function_or_class: Any = None,
    inputs: str | Input | Sequence[str | Input] = (),
    outputs: str | Output | Sequence[str | Output] = (),
    cast_tensors: bool = True,
    op_param: str | None = None,
) -> Any:
    """Makes an operator of a function, a generator or a class with `__call__`: the result is called with
    a fragment, like the class of an operator, and with values of further arguments.

    Without `inputs` and `outputs`, the arguments that have no default, and of which the fragment gives no
    value, are inputs, and the output has an empty name. The argument `op_param` is the operator.
    """
    if function_or_class is None:
        return functools.partial(
            create_op, inputs=inputs, outputs=outputs, cast_tensors=cast_tensors, op_param=op_param
        )
    if not callable(function_or_class):
        kind = type(function_or_class).__name__
        raise TypeError(f"create_op makes an operator of a function or a class, not of a {kind}; name `inputs=…`")
    ports = _ports(inputs, Input), _ports(outputs, Output)
    if not inspect.isclass(function_or_class):
        return _Maker(function_or_class, *ports, cast_tensors, op_param)

    def make_from_class(*arguments: Any, **keywords: Any) -> _Maker:
        made: Any = function_or_class(*arguments, **keywords)
        return _Maker(made, *ports, cast_tensors, op_param)

    return make_from_class


class _Maker:
    """Makes operators of one function."""

    def __init__(
        self,
        function: Callable[..., Any],
        inputs: tuple[Input, ...],
        outputs: tuple[Output, ...],
        cast_tensors: bool,
        op_param: str | None,
    ) -> None:
        functools.update_wrapper(self, function, updated=())
        self.function = function
        self.inputs = inputs
        self.outputs = outputs
        self.cast_tensors = cast_tensors
        self.op_param = op_param
        self.text = getattr(function, "__name__", type(function).__name__)
        if not callable(function):
            raise TypeError(f"create_op makes an operator of a class with `__call__`, which `{self.text}` lacks")
        arguments = inspect.signature(function).parameters.values()
        #: Names of the arguments, and whether each has a default.
        self.arguments = {
            argument.name: argument.default is not argument.empty
            for argument in arguments
            if argument.kind in (argument.POSITIONAL_OR_KEYWORD, argument.KEYWORD_ONLY)
        }
        for each in (function, getattr(function, "__call__", None)):
            if inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each):
                raise TypeError(f"create_op makes no operator of an `async def`, such as `{self.text}`; use a function")
        self.takes_any = any(argument.kind is argument.VAR_KEYWORD for argument in arguments)
        self.is_generator = any(
            inspect.isgeneratorfunction(each) for each in (function, getattr(function, "__call__", None))
        )
        mapped = [name for port in inputs for name in _mapped(port)]
        for name in (*mapped, *([] if op_param is None else [op_param])):
            self._check(name)

    def _check(self, name: str) -> None:
        if name not in self.arguments and not self.takes_any:
            known = ", ".join(self.arguments) or "none"
            raise TypeError(f"`{self.text}` has no argument `{name}`; its arguments: {known}")

    def __call__(self, fragment: Any, *args: Any, **kwargs: Any) -> Operator:
        constants = {}
        for name in [name for name in kwargs if name != "name"]:
            # The conditions and resources of the operator have names of their own.
            if name in self.arguments or not isinstance(kwargs[name], (Condition, Resource)):
                self._check(name)
                constants[name] = kwargs.pop(name)
        inputs, outputs = self.inputs, self.outputs
        open_arguments = [
            name
            for name, has_default in self.arguments.items()
            if not has_default and name not in constants and name != self.op_param
        ]
        if not inputs and not outputs:
            inputs, outputs = tuple(map(Input, open_arguments)), (Output(""),)
        elif not inputs and open_arguments:
            names = ", ".join(f"`{name}`" for name in open_arguments)
            raise TypeError(f"nothing gives a value for {names} of `{self.text}`: name inputs, or give it here")
        return _FunctionOperator(fragment, self, inputs, outputs, constants, *args, **kwargs)


class _FunctionOperator(Operator):
    """The operator of a function."""

    def __init__(
        self,
        fragment: Any,
        maker: _Maker,
        inputs: tuple[Input, ...],
        outputs: tuple[Output, ...],
        constants: dict[str, Any],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        self._maker = maker
        self._inputs = inputs
        self._outputs = outputs
        self._constants = constants
        self._generator: Any = None
        super().__init__(fragment, *args, **kwargs)

    def setup(self, spec: OperatorSpec) -> None:
        for source in self._inputs:
            source.create_input(spec)
        for sink in self._outputs:
            sink.create_output(spec)

    def start(self) -> None:
        self._generator = None

    def compute(self, op_input: Any, op_output: Any, context: Any) -> None:
        maker = self._maker
        keywords = dict(self._constants)
        if maker.op_param is not None:
            keywords[maker.op_param] = self
        for source in self._inputs:
            value = op_input.receive(source.name)
            keywords.update(self._received(source, _cast(value) if maker.cast_tensors else value))
        if not maker.is_generator:
            self._emit(op_output, maker.function(**keywords))
            return
        if self._generator is None:
            self._generator = maker.function(**keywords)
        try:
            result = next(self._generator)
        except StopIteration:
            self.stop_execution()
            return
        self._emit(op_output, result)

    def _received(self, source: Input, value: Any) -> dict[str, Any]:
        """The arguments that take the value of a message."""
        place = f"the input `{source.name}` of the operator `{self.name}`"
        if isinstance(source.arg_map, str):
            return {source.arg_map: _single(value)}
        if source.arg_map:
            if not isinstance(value, dict):
                if len(source.arg_map) == 1:
                    return dict.fromkeys(source.arg_map.values(), value)
                raise TypeError(f"{place} received a {type(value).__name__}, and its `arg_map` names tensors")
            missing = [name for name in source.arg_map if name not in value]
            if missing:
                known = ", ".join(value) or "none"
                raise KeyError(f"{place} received no tensor `{missing[0]}`; the message has {known}")
            return {argument: value[name] for name, argument in source.arg_map.items()}
        known_arguments = self._maker.arguments
        if source.name in known_arguments:
            return {source.name: _single(value)}
        if isinstance(value, dict):
            found = {name: item for name, item in value.items() if name in known_arguments}
            if found or self._maker.takes_any:
                return found or dict(value)
        raise TypeError(f"no argument takes what {place} received; name one by `Input(…, arg_map=…)`")

    def _emit(self, op_output: Any, result: Any) -> None:
        sinks = self._outputs
        if result is None or not sinks:
            return
        if isinstance(result, dict):
            for sink in sinks:
                names = _tensor_names(sink)
                if names:
                    op_output.emit({name: self._item(result, name, sink) for name in names}, sink.name)
                elif len(sinks) == 1:
                    op_output.emit(result, sink.name)
                elif sink.name in result:
                    op_output.emit(result[sink.name], sink.name)
            return
        values = (result,) if len(sinks) == 1 else result
        if not isinstance(values, tuple) or len(values) != len(sinks):
            count = f"{len(sinks)} outputs"
            raise ValueError(f"`{self._maker.text}` has {count}: it returns as many values in a tuple, or a dictionary")
        for sink, value in zip(sinks, values):
            names = _tensor_names(sink)
            if len(names) > 1:
                text = f"the output `{sink.name}` of `{self._maker.text}` takes {', '.join(names)}"
                raise TypeError(f"{text} out of a dictionary, and the function returned a {type(value).__name__}")
            op_output.emit({names[0]: value} if names else value, sink.name)

    def _item(self, result: dict[str, Any], name: str, sink: Output) -> Any:
        if name not in result:
            text = f"the output `{sink.name}` of `{self._maker.text}` takes `{name}`"
            raise KeyError(f"{text}, and the function returned {', '.join(map(str, result)) or 'nothing'}")
        return result[name]


def _mapped(source: Input) -> Iterable[str]:
    if isinstance(source.arg_map, str):
        return (source.arg_map,)
    return (source.arg_map or {}).values()


def _tensor_names(sink: Output) -> tuple[str, ...]:
    names = sink.tensor_names
    return (names,) if isinstance(names, str) else tuple(names or ())


def _cast(value: Any) -> Any:
    """Tensors as arrays of NumPy."""
    if isinstance(value, dict):
        return {name: _cast(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return tuple(map(_cast, value))
    return value.numpy() if isinstance(value, Tensor) else value


def _single(value: Any) -> Any:
    """The tensor of a message that has a single one."""
    if isinstance(value, dict) and len(value) == 1:
        (only,) = value.values()
        return only if hasattr(only, "__dlpack__") else value
    return value
