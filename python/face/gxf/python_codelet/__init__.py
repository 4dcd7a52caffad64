"""Codelets in Python."""

from __future__ import annotations

from typing import Any

from gxe import _codelets, _gxe

from gxf._bound import raising
from gxf.core.core_pybind import MessageEntity
from gxf.core.Gxf import Component
from gxf.python_codelet.Components import PyCodeletV0 as _Native
from gxf.std.compute_entity import ComputeEntity
from gxf.std.receiver_pybind import Receiver
from gxf.std.transmitter_pybind import Transmitter

__all__ = ["CodeletAdapter", "PyCodeletV0", "PyComputeEntity", "PyData"]


class CodeletAdapter:
    """Base of codelets: override `start`, `tick` and `stop`."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # By name, too: under pytest and in notebooks `__main__` does not have them.
        _codelets.classes[cls.__name__] = cls

    def start(self) -> None:
        """Called before the first tick."""

    def tick(self) -> None:
        """Called whenever the terms allow."""

    def stop(self) -> None:
        """Called after the last tick."""

    def set_bridge(self, bridge: _gxe.CodeletContext) -> None:
        """Called by the engine before `start`."""
        self.bridge = bridge
        receivers, senders = self._stated_ports or (self.rxs, self.txs)
        for name in receivers:
            setattr(self, name, Receiver.get(self.context(), self.cid(), name))
        for name in senders:
            setattr(self, name, Transmitter.get(self.context(), self.cid(), name))

    #: Names of receivers and transmitters that `PyComputeEntity` made.
    _stated_ports: tuple[list[str], list[str]] | None = None

    @property
    def rxs(self) -> list[str]:
        """Names of the receivers that become attributes before `start`."""
        return self.__dict__.setdefault("_rxs", list(self._stated_ports[0]) if self._stated_ports else [])

    @rxs.setter
    def rxs(self, names: list[str]) -> None:
        self.__dict__["_rxs"] = list(names)

    @property
    def txs(self) -> list[str]:
        """Names of the transmitters that become attributes before `start`."""
        return self.__dict__.setdefault("_txs", list(self._stated_ports[1]) if self._stated_ports else [])

    @txs.setter
    def txs(self, names: list[str]) -> None:
        self.__dict__["_txs"] = list(names)

    def context(self) -> int:
        """The context."""
        return self.bridge.context

    def eid(self) -> int:
        """Id of the entity."""
        return self.bridge.eid

    def cid(self) -> int:
        """Id of the component."""
        return self.bridge.cid

    def name(self) -> str:
        """Name of the component."""
        return self.bridge.name

    def get_params(self) -> dict[str, Any]:
        """The parameters in `codelet_params`."""
        text = self.bridge.parameters
        return (_gxe.parse_yaml(text) or {}) if text else {}

    def get_execution_timestamp(self) -> int:
        """Time of this execution in nanoseconds."""
        return self.bridge.now

    def get_execution_time(self) -> float:
        """Time of this execution in seconds."""
        return self.bridge.now / 1e9

    def get_delta_time(self) -> float:
        """Seconds since the previous execution."""
        return self.bridge.delta / 1e9

    def get_execution_count(self) -> int:
        """Number of this tick."""
        return self.bridge.count

    def is_first_tick(self) -> bool:
        """Whether this is the first tick."""
        return self.bridge.count == 1


class PyCodeletV0(_Native):  # type: ignore[misc, valid-type]
    """The component that executes a codelet in Python."""

    gxf_native_type = "nvidia::gxf::PyCodeletV0"
    _validation_info_parameters = _Native._validation_info_parameters

    def __init__(
        self, name: str = "", codelet: Any = None, codelet_file: str = "None", **params: Any
    ) -> None:
        own = _Native._validation_info_parameters
        stated = {key: params.pop(key) for key in list(params) if key in own}
        if isinstance(codelet, type):
            # Held here, because the program may not have the class any more when the graph is activated.
            self.__dict__["_class"] = _codelets.classes[codelet.__name__] = codelet
            stated.setdefault("codelet_name", codelet.__name__)
        elif codelet is not None:
            stated.setdefault("codelet_name", str(codelet))
        stated.setdefault("codelet_file", codelet_file)
        stated.setdefault("codelet_params", params)
        super().__init__(name, **stated)


class PyComputeEntity(ComputeEntity):
    """An entity with a codelet in Python and its queues, which are attributes of the codelet."""

    def __init__(self, name: str = "", count: int = 100, recess_period: Any = 0) -> None:
        super().__init__(name, count, recess_period)

    def add_codelet(
        self,
        name: str = "",
        instance: Any = None,
        min_message_available: int = 1,
        min_message_reception: int = 1,
        rx_capacity: int = 1,
        tx_capacity: int = 1,
        rxs: list[str] | None = None,
        txs: list[str] | None = None,
        **params: Any,
    ) -> Component:
        """Adds a codelet by an instance of its class, of which the engine makes its own."""
        kind = instance if isinstance(instance, type) else type(instance)
        receivers = list(rxs if rxs is not None else getattr(instance, "rxs", None) or [])
        senders = list(txs if txs is not None else getattr(instance, "txs", None) or [])
        for port in (*receivers, *senders):
            if hasattr(kind, port) and not port.startswith("_"):
                raise ValueError(f"the codelet `{kind.__name__}` has an attribute `{port}` already")
        for port in receivers:
            self._queue(port, False, rx_capacity, min_message_available)
        for port in senders:
            self._queue(port, True, tx_capacity, min_message_reception)
        made = kind
        if receivers or senders:
            # A class of its own, because two entities may use one with other ports.
            made = type(kind.__name__, (kind,), {"_stated_ports": (receivers, senders)})
        # Held here, because the program may not have the class any more when the graph is activated.
        self.__dict__.setdefault("_owned", []).append(made)
        key = f"{kind.__name__}#{id(made)}"
        _codelets.classes[key] = made
        codelet = PyCodeletV0(name, codelet_name=key, **params)
        self.add(codelet)
        return codelet


class PyData:
    """A Python object in a message."""

    @staticmethod
    def add_to_entity(message: MessageEntity, obj: Any, name: str = "") -> None:
        """Adds an object."""
        raising(message.message.add_object, obj, name)

    @staticmethod
    def get_from_entity(message: MessageEntity, name: str = "") -> Any:
        """The object of a message."""
        return raising(message.message.object, name)


