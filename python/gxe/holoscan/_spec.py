"""What components and operators declare: parameters and ports."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any

from .._gxe import to_yaml
from ._types import Arg, ArgElementType, ConditionType


def port_list(names: Iterable[str]) -> list[str]:
    """The names of ports in a list, which is no text: its letters would be names."""
    if isinstance(names, str):
        raise TypeError(f"names of ports are a list, and not the text `{names}`; write [{names!r}]")
    return list(names)


class ComponentSpec:
    """Parameters that a component declares."""

    def __init__(self, fragment: Any = None) -> None:
        self.fragment = fragment
        self.params: dict[str, Any] = {}

    def param(self, param: str, default_value: Any = None, **_texts: Any) -> None:
        """Declares a parameter, which becomes an attribute of the component."""
        self.params[param] = default_value

    @property
    def description(self) -> str:
        """The parameters with their defaults, in YAML."""
        return to_yaml(self._described())

    def _described(self) -> dict[str, Any]:
        return {"params": {name: str(default) for name, default in self.params.items()}}

    def __repr__(self) -> str:
        return self.description


class IOSpec:
    """A port of an operator."""

    #: What it is as the value of an `Arg`.
    _arg_element_type = ArgElementType.IO_SPEC

    class IOType(enum.Enum):
        """Direction of a port."""

        INPUT = 0
        OUTPUT = 1

    class QueuePolicy(enum.IntEnum):
        """What a full queue does with one message more."""

        POP = 0
        REJECT = 1
        FAULT = 2

    class ConnectorType(enum.Enum):
        """Kind of queue."""

        DEFAULT = 0
        DOUBLE_BUFFER = 1
        UCX = 2
        ASYNC_BUFFER = 3

    class IOSize(int):
        """Number of messages that one execution takes."""

        @property
        def size(self) -> int:
            """The number."""
            return int(self)

    ANY_SIZE = IOSize(-1)
    PRECEDING_COUNT = IOSize(0)
    SIZE_ONE = IOSize(1)

    def __init__(
        self,
        operator_spec: OperatorSpec,
        name: str,
        io_type: IOSpec.IOType,
        size: int = 1,
        policy: Any = None,
    ) -> None:
        self.operator_spec = operator_spec
        self.name = name
        self.io_type = io_type
        self.queue_size = size
        self.queue_policy = policy
        self.connector_type = IOSpec.ConnectorType.DEFAULT
        self.connector_args: dict[str, Any] = {}
        self.conditions: list[tuple[ConditionType, dict[str, Any]]] = []

    @property
    def is_input(self) -> bool:
        """Whether it receives."""
        return self.io_type is IOSpec.IOType.INPUT

    def condition(self, kind: ConditionType, *args: Any, **kwargs: Any) -> IOSpec:
        """Replaces the condition of the port."""
        if not isinstance(kind, ConditionType):
            raise TypeError(f"the condition of a port is a ConditionType, and a {type(kind).__name__} is none")
        kwargs.update({arg.name: arg.value for arg in args if isinstance(arg, Arg)})
        self.conditions.append((kind, kwargs))
        return self

    def connector(self, kind: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Chooses the kind of queue and its parameters."""
        if kind is None:
            return self.connector_type
        self.connector_type = kind
        self.connector_args.update({arg.name: arg.value for arg in args if isinstance(arg, Arg)})
        self.connector_args.update(kwargs)
        return self

    def __repr__(self) -> str:
        return f"<IOSpec {self.name} {self.io_type.name.lower()}>"


class OperatorSpec(ComponentSpec):
    """Ports and parameters that an operator declares."""

    def __init__(self, fragment: Any = None) -> None:
        super().__init__(fragment)
        self.inputs: dict[str, IOSpec] = {}
        self.outputs: dict[str, IOSpec] = {}
        self._multi: list[tuple[ConditionType, list[str], dict[str, Any]]] = []
        self._either: list[list[str]] = []

    def input(
        self, name: str = "__iospec_input", *, size: int = 1, policy: Any = None, **_unused: Any
    ) -> IOSpec:
        """Adds a port that receives."""
        return self._add(self.inputs, IOSpec(self, name, IOSpec.IOType.INPUT, size, policy))

    def output(
        self, name: str = "__iospec_output", *, size: int = 1, policy: Any = None, **_unused: Any
    ) -> IOSpec:
        """Adds a port that sends."""
        return self._add(self.outputs, IOSpec(self, name, IOSpec.IOType.OUTPUT, size, policy))

    def _add(self, ports: dict[str, IOSpec], port: IOSpec) -> IOSpec:
        if "/" in port.name:
            raise RuntimeError(f"`{port.name}` is no name of a port: the engine's names of components have no slash")
        if port.name in ports:
            raise RuntimeError(f"the operator has an {port.io_type.name.lower()} `{port.name}` already")
        ports[port.name] = port
        return port

    def param(self, param: str, default_value: Any = None, *, kind: str = "", **_texts: Any) -> None:
        """Declares a parameter; one of the kind `receivers` is a port for any number of senders."""
        if kind == "receivers":
            self.input(param, size=IOSpec.ANY_SIZE)
            return
        super().param(param, default_value)

    def _described(self) -> dict[str, Any]:
        return {**super()._described(), "inputs": list(self.inputs), "outputs": list(self.outputs)}

    def multi_port_condition(
        self, kind: ConditionType, port_names: Iterable[str], **kwargs: Any
    ) -> None:
        """One condition for several ports, in place of theirs."""
        self._multi.append((kind, port_list(port_names), kwargs))

    def or_combine_port_conditions(self, port_names: Iterable[str]) -> None:
        """Lets the operator run when one of these ports would let it."""
        self._either.append(port_list(port_names))
