"""Operators made of functions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ._operator import Operator
from ._spec import IOSpec, OperatorSpec
from ._types import ConditionType

__all__ = ["Input", "Output", "create_op"]


@dataclass
class Input:
    """An input of a function: `arg_map` is the argument that takes its value, or a dictionary from names
    of tensors to arguments."""

    name: str
    arg_map: str | dict[str, str] | None = field(default_factory=dict)
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
    """An output of a function: `tensor_names` are the keys of its dictionary that go there."""

    name: str
    tensor_names: str | tuple[str, ...] | None = field(default_factory=tuple)
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
    if stated is None:
        return ()
    if isinstance(stated, (str, kind)):
        stated = (stated,)
    return tuple(kind(port) if isinstance(port, str) else port for port in stated)


def create_op(
    function_or_class: Any = None,
    inputs: Any = (),
    outputs: Any = (),
    cast_tensors: bool = True,
    op_param: str | None = None,
) -> Any:
    """Makes an operator of a function, a generator or a class with `__call__`: the result is called with
    a fragment, like the class of an operator."""
    if function_or_class is None or not callable(function_or_class):
        if function_or_class is not None and not callable(function_or_class):
            inputs = function_or_class
        return functools.partial(
            create_op, inputs=inputs, outputs=outputs, cast_tensors=cast_tensors, op_param=op_param
        )
    sources, sinks = _ports(inputs, Input), _ports(outputs, Output)
    if inspect.isclass(function_or_class):

        def make_from_class(*arguments: Any, **keywords: Any) -> Callable[..., Operator]:
            made = function_or_class(*arguments, **keywords)
            return functools.partial(_make, made, sources, sinks, cast_tensors, op_param)

        return make_from_class

    def make(fragment: Any, *args: Any, **kwargs: Any) -> Operator:
        return _make(function_or_class, sources, sinks, cast_tensors, op_param, fragment, *args, **kwargs)

    return make


def _make(
    function: Callable[..., Any],
    sources: tuple[Input, ...],
    sinks: tuple[Output, ...],
    cast_tensors: bool,
    op_param: str | None,
    fragment: Any,
    *args: Any,
    **kwargs: Any,
) -> Operator:
    known = inspect.signature(function).parameters
    constants = {name: kwargs.pop(name) for name in list(kwargs) if name in known and name != "name"}
    is_generator = inspect.isgeneratorfunction(function) or inspect.isgeneratorfunction(
        getattr(function, "__call__", None)
    )

    class FunctionOperator(Operator):
        """The operator of a function."""

        def setup(self, spec: OperatorSpec) -> None:
            for source in sources:
                source.create_input(spec)
            for sink in sinks:
                sink.create_output(spec)

        def start(self) -> None:
            self._generator: Any = None

        def compute(self, op_input: Any, op_output: Any, context: Any) -> None:
            keywords = dict(constants)
            if op_param is not None:
                keywords[op_param] = self
            for source in sources:
                keywords.update(_arguments(source, op_input.receive(source.name), cast_tensors))
            if is_generator:
                if self._generator is None:
                    self._generator = function(**keywords)
                try:
                    result = next(self._generator)
                except StopIteration:
                    self.stop_execution()
                    return
            else:
                result = function(**keywords)
            _emit(op_output, sinks, result)

    return FunctionOperator(fragment, *args, **kwargs)


def _cast(value: Any) -> Any:
    return value.numpy() if hasattr(value, "numpy") and hasattr(value, "__dlpack__") else value


def _arguments(source: Input, value: Any, cast_tensors: bool) -> dict[str, Any]:
    names = source.arg_map
    if isinstance(value, dict) and value and cast_tensors:
        value = {name: _cast(item) for name, item in value.items()}
    if isinstance(names, str):
        if isinstance(value, dict) and len(value) == 1 and all(hasattr(v, "shape") for v in value.values()):
            value = next(iter(value.values()))
        return {names: value}
    if not names:
        if isinstance(value, dict):
            return dict(value)
        return {source.name: value}
    if isinstance(value, dict):
        return {argument: value[name] for name, argument in names.items()}
    return {argument: value for argument in names.values()}


def _emit(op_output: Any, sinks: tuple[Output, ...], result: Any) -> None:
    if result is None or not sinks:
        return
    if isinstance(result, dict):
        for sink in sinks:
            names = sink.tensor_names
            names = (names,) if isinstance(names, str) else names
            sent = {name: result[name] for name in names} if names else result
            if not names and len(sinks) > 1:
                if sink.name in result:
                    op_output.emit(result[sink.name], sink.name)
                continue
            op_output.emit(sent, sink.name)
        return
    if len(sinks) == 1:
        op_output.emit(result, sinks[0].name)
        return
    if not isinstance(result, tuple) or len(result) != len(sinks):
        raise ValueError(f"a function with {len(sinks)} outputs returns as many values in a tuple")
    for sink, value in zip(sinks, result):
        op_output.emit(value, sink.name)
