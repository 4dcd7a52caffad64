"""An entity with a codelet, the queues of its ports, and their terms."""

from __future__ import annotations

from typing import Any

import gxf.std.Components as std
from gxf.core.Gxf import Component, Entity

__all__ = ["ComputeEntity"]

_TRANSMITTER = "nvidia::gxf::Transmitter"
_RECEIVER = "nvidia::gxf::Receiver"


class ComputeEntity(Entity):
    """An entity with a codelet. `count` limits the executions and `recess_period` spaces them."""

    def __init__(self, name: str = "", count: int = -1, recess_period: Any = 0) -> None:
        super().__init__(name)
        if recess_period:
            text = recess_period if isinstance(recess_period, str) else str(recess_period)
            self.add(std.PeriodicSchedulingTerm("pst", recess_period=text))
        if count >= 0:
            self.add(std.CountSchedulingTerm("cst", count=count))

    def add_codelet(
        self,
        codelet: Component,
        min_message_available: int = 1,
        min_message_reception: int = 1,
        rx_capacity: int = 1,
        tx_capacity: int = 1,
        tx_num: int = 1,
        rx_num: int = 1,
    ) -> Component:
        """Adds a codelet, and a queue with its term for each port that it does not state."""
        for key, info in getattr(type(codelet), "_validation_info_parameters", {}).items():
            kind = info["handle_type"]
            if kind not in (_TRANSMITTER, _RECEIVER) or key in codelet.params:
                continue
            sends = kind == _TRANSMITTER
            sizes = (tx_capacity, min_message_reception) if sends else (rx_capacity, min_message_available)
            if info["rank"] == 0:
                codelet.params[key] = self._queue(key, sends, *sizes)
                continue
            if info["rank"] > 1:
                raise RuntimeError(f"the parameter `{key}` has {info['rank']} dimensions")
            fixed = info["shape"][0] if info["shape"] else -1
            number = fixed if fixed > 0 else (tx_num if sends else rx_num)
            queues = [self._queue(f"{key}_{index}", sends, *sizes) for index in range(number)]
            setattr(self, key, queues)
            codelet.params[key] = queues
            setattr(codelet, key, queues)
        self.add(codelet)
        return codelet

    def _queue(self, key: str, sends: bool, capacity: int, minimum: int) -> Component:
        if sends:
            queue = self.add(std.DoubleBufferTransmitter(key, capacity=capacity))
            term = std.DownstreamReceptiveSchedulingTerm(
                f"drst_{key}", transmitter=queue, min_size=minimum
            )
        else:
            queue = self.add(std.DoubleBufferReceiver(key, capacity=capacity))
            term = std.MessageAvailableSchedulingTerm(f"mast_{key}", receiver=queue, min_size=minimum)
        self.add(term)
        return queue
