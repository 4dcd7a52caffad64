"""What each run of a Holoscan application begins with, and how it ends."""

import time

import pytest

np = pytest.importorskip("numpy")

import gxe.as_holoscan  # noqa: E402, F401
from holoscan.conditions import (  # noqa: E402
    BooleanCondition,
    CountCondition,
    MultiMessageAvailableTimeoutCondition,
)
from holoscan.core import Application, Arg, ConditionType, Operator  # noqa: E402
from holoscan.operators import AsyncPingTxOp, PingRxOp, PingTxOp  # noqa: E402
from holoscan.resources import UnboundedAllocator  # noqa: E402
from holoscan_operators import lines  # noqa: E402


def application(compose):
    return type("App", (Application,), {"compose": compose})()


@pytest.mark.parametrize("is_named", [False, True])
def test_what_initialize_adds_is_part_of_the_run(capsys, is_named):
    class Counts(Operator):
        def setup(self, spec):
            spec.param("text", "none")

        def initialize(self):
            count = CountCondition(self.fragment, 2, name="" if is_named else "count")
            pool = UnboundedAllocator(self.fragment, name="pool")
            if is_named:
                self.add_arg(count=count)
                self.add_arg(Arg("pool", pool), Arg("text", "given"))
            else:
                self.add_arg(count, pool, text="given")
            super().initialize()

        def start(self):
            self.done = 0

        def compute(self, op_input, op_output, context):
            self.done += 1
            print(self.done, self.text, self.resource("pool").is_available(8))
            if self.done > 5:
                self.stop_execution()

    operators = []

    def compose(self):
        operators.append(Counts(self, name="op"))
        self.add_operator(operators[0])

    app = application(compose)
    for _ in range(2):
        app.run()
        assert lines(capsys) == ["1 given True", "2 given True"]
    assert list(operators[0].conditions) == ["count"]
    assert [arg.name for arg in operators[0].args] == ["text"]


def test_initialize_comes_before_the_graph_in_fragments_too(capsys):
    from holoscan.core import Fragment

    class Counts(Operator):
        def initialize(self):
            self.add_arg(CountCondition(self.fragment, 2))

        def compute(self, op_input, op_output, context):
            print("compute")

    class Part(Fragment):
        def compose(self):
            self.add_operator(Counts(self, name="op"))

    app = application(lambda self: self.add_fragment(Part(self, name="part")))
    app.run()
    assert lines(capsys) == ["compute"] * 2


@pytest.mark.parametrize("kind", [CountCondition, UnboundedAllocator])
def test_a_graph_that_runs_gets_no_further_parts(kind):
    class Adds(Operator):
        def compute(self, op_input, op_output, context):
            self.add_arg(kind(self.fragment, name="late"))

    operators = []

    def compose(self):
        operators.append(Adds(self, CountCondition(self, 1), name="op"))
        self.add_operator(operators[0])

    app = application(compose)
    text = f"the operator `op` is part of a graph that runs, which has no further {kind.__name__}; add it in `initialize`"
    with pytest.raises(RuntimeError, match=text):
        app.run()
    # For the next run.
    operators[0].add_arg(kind(app, name="early"))


def test_a_run_that_a_condition_ended_is_not_the_last(capsys):
    class Ends(Operator):
        def compute(self, op_input, op_output, context):
            print(self.conditions["going"].check_tick_enabled())
            self.conditions["going"].disable_tick()

    operators = []

    def compose(self):
        operators.append(Ends(self, BooleanCondition(self, name="going"), name="op"))
        self.add_operator(operators[0])

    app = application(compose)
    for _ in range(2):
        app.run()
        assert lines(capsys) == ["True"]
    operators[0].conditions["going"].disable_tick()
    app.run()
    assert lines(capsys) == []


def test_an_asynchronous_operator_counts_anew(capsys):
    app = application(
        lambda self: self.add_flow(AsyncPingTxOp(self, delay=0.01, count=3, name="tx"), PingRxOp(self, name="rx"))
    )
    for _ in range(2):
        app.run()
        assert lines(capsys) == [f"Rx message value: {number}" for number in (1, 2, 3)]


@pytest.mark.parametrize("is_argument", [False, True])
def test_messages_wait_for_others_no_longer_than_a_time(capsys, is_argument):
    settings = {"execution_frequency": "50ms", "min_sum": 100}

    class Prints(Operator):
        def setup(self, spec):
            for port in ("a", "b"):
                spec.input(port)
            if not is_argument:
                spec.multi_port_condition(ConditionType.MULTI_MESSAGE_AVAILABLE_TIMEOUT, ["a", "b"], **settings)

        def compute(self, op_input, op_output, context):
            print(op_input.receive("a"), op_input.receive("b"))

    def compose(self):
        conditions = []
        if is_argument:
            conditions = [MultiMessageAvailableTimeoutCondition(self, receivers=["a", "b"], **settings)]
        rx = Prints(self, *conditions, name="rx")
        for port in ("a", "b"):
            self.add_flow(PingTxOp(self, CountCondition(self, 1), name=f"tx_{port}"), rx, {("out", port)})

    began = time.monotonic()
    future = application(compose).run_async()
    future.result(timeout=60)
    assert time.monotonic() - began >= 0.05
    assert lines(capsys) == ["1 1"]


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"execution_frequency": "soon"}, "`soon` is not a time such as"),
        ({"execution_frequency": "1s", "sampling_mode": "Any"}, "'Any' is not a valid SamplingMode"),
        ({"execution_frequency": "1s", "sampling_mode": "PER_RECEIVER", "min_sizes": [1]}, "`min_sizes` has 1 numbers"),
        (
            {"execution_frequency": "1s", "sampling_mode": "PerReceiver", "min_sizes": [1]},
            "`min_sizes` has 1 numbers for the 2 queues of its inputs: a, b",
        ),
    ],
)
def test_mistakes_in_a_condition_of_several_ports(settings, text):
    class Waits(Operator):
        def setup(self, spec):
            spec.input("a")
            spec.input("b")
            spec.multi_port_condition(ConditionType.MULTI_MESSAGE_AVAILABLE_TIMEOUT, ["a", "b"], **settings)

    with pytest.raises(ValueError, match=text):
        application(lambda self: self.add_operator(Waits(self, name="rx"))).run()
