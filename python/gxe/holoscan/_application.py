"""Applications: of operators, or of fragments that run side by side, in one process or in several."""

from __future__ import annotations

import copy
import os
import sys
from typing import Any

from .. import _graph as graphs
from ._build import build
from ._config import Config
from ._flow_graphs import FragmentFlowGraph
from ._fragment import Fragment, raising_causes
from ._links import Link, free_ports, has_circle
from ._options import CLIOptions, options
from ._together import run_together
from ._tracking import DataFlowTracker
from .schedulers import of_environment


class Application(Fragment):
    """A program of operators, or of fragments."""

    def __init__(self, argv: list[str] | None = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(None, *args, **kwargs)
        self.argv = list(argv) if argv else [sys.executable, *sys.argv]
        self.options: CLIOptions = options(self.argv)
        self.description = ""
        self.version = ""
        self.fragment_graph = FragmentFlowGraph(self)
        self._fragments: dict[str, Fragment] = {}
        self._links: list[Link] = []

    def config(self, config_file: str | os.PathLike | None = None, prefix: str = "") -> Config:
        """The configuration. With an argument, names its file; `--config` on the command line wins, also over
        HOLOSCAN_CONFIG_PATH. Fragments without one of their own have it, too."""
        path = self.options.config_path
        if path and (config_file is not None or not self._config.config_file):
            self._config = Config(path, prefix)
            self._config._is_chosen = True
            return self._config
        return super().config(config_file, prefix)

    def add_fragment(self, fragment: Fragment) -> None:
        """Adds a fragment, which has a scheduler of its own. All run side by side in this process; with
        `--driver`, `--worker`, `--address` and `--fragments` on the command line, in several processes."""
        if not isinstance(fragment, Fragment) or isinstance(fragment, Application):
            raise TypeError(f"add_fragment takes a fragment, and a {type(fragment).__name__} is none")
        known = self._fragments.get(fragment.name)
        if known is fragment:
            return
        if known is not None:
            raise RuntimeError(f"there are two fragments with the name `{fragment.name}`")
        if not fragment.name or set(fragment.name) & set(".,"):
            text = f"`{fragment.name}` is no name of a fragment"
            raise RuntimeError(f"{text}; give it one without dots and commas")
        fragment.application = self
        self._fragments[fragment.name] = fragment

    def add_flow(self, upstream_op: Any, downstream_op: Any, *args: Any, **kwargs: Any) -> None:
        """Connects operators; or fragments, by pairs of `operator.port`, or of operators with one port."""
        if not isinstance(upstream_op, Fragment) and not isinstance(downstream_op, Fragment):
            super().add_flow(upstream_op, downstream_op, *args, **kwargs)
            return
        for fragment in (upstream_op, downstream_op):
            self.add_fragment(fragment)
        pairs = args[0] if args else kwargs.get("port_pairs")
        if not pairs:
            names = f"`{upstream_op.name}` and `{downstream_op.name}`"
            raise RuntimeError(f"say which operators of the fragments {names} to connect, by pairs of names")
        if upstream_op is downstream_op:
            raise RuntimeError(f"both ends of a flow are in the fragment `{upstream_op.name}`; add it there")
        # A set has no order, and all processes number the links in the same way.
        for output, into in sorted(pairs) if isinstance(pairs, (set, frozenset)) else pairs:
            link = Link(len(self._links), upstream_op, output, downstream_op, into)
            self._links.append(link)
            upstream_op._link_ends.append(link.output)
            downstream_op._link_ends.append(link.input)

    def _end_operators(self, name: str) -> None:
        found = [part for part in self._fragments.values() if not name or name in part._operators]
        for part in found:
            part._end_operators(name)
        if not found or name in self._operators:
            super()._end_operators(name)

    def _forget_events(self) -> None:
        super()._forget_events()
        for fragment in self._fragments.values():
            fragment._forget_events()

    def track_distributed(
        self,
        num_start_messages_to_skip: int = 10,
        num_last_messages_to_discard: int = 10,
        latency_threshold: int = 0,
        is_limited_tracking: bool = False,
    ) -> dict[str, DataFlowTracker]:
        """Tracks the paths of messages through each fragment."""
        settings = (
            num_start_messages_to_skip, num_last_messages_to_discard, latency_threshold, is_limited_tracking
        )
        return {fragment.name: fragment.track(*settings) for fragment in self._composed_fragments()}

    def _run_to_end(self) -> None:
        if not self._composed_fragments():
            super()._run_to_end()
            return
        if self._operators:
            raise RuntimeError("an application has either operators or fragments, and this one has both")
        if self.options.run_driver or self.options.run_worker:
            # What it imports takes time.
            from . import _distributed

            raising_causes(lambda: _distributed.run(self, _distributed.Options(self.options)))
        else:
            raising_causes(self._run_together)
        for fragment in self._fragments.values():
            fragment._ended()

    def _run_together(self) -> None:
        for link, port in zip(self._links, free_ports(len(self._links))):
            link.listen(port)
        fragments = list(self._fragments.values())
        built = self._build_fragments(fragments)
        self._built()

        def activated() -> None:
            for fragment in fragments:
                fragment._activated()

        run_together(built, has_circle(self._links), activated)

    def _composed_fragments(self) -> list[Fragment]:
        self.compose_graph()
        return list(self._fragments.values())

    def _build_fragments(self, fragments: list[Fragment]) -> list[graphs.Graph]:
        for fragment in fragments:
            self._compose_fragment(fragment)
        for fragment in fragments:
            fragment._initialize_operators()
        return [build(fragment) for fragment in fragments]

    def _compose_fragment(self, fragment: Fragment) -> None:
        if fragment._scheduler is None and self._scheduler is None:
            fragment.scheduler(of_environment(fragment))
        elif fragment._scheduler is None:
            # Each fragment has a scheduler of its own, like that of the application.
            scheduler = copy.copy(self._scheduler)
            scheduler._chosen_clock = copy.copy(scheduler._chosen_clock)
            fragment.scheduler(scheduler)
        fragment.compose_graph()
