"""Applications in the shapes of the SDK's examples, with the outputs that the examples have."""

import datetime
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

np = pytest.importorskip("numpy")

import gxe.as_holoscan  # noqa: E402
from holoscan.conditions import (  # noqa: E402
    AsynchronousEventState,
    BooleanCondition,
    CountCondition,
    MessageAvailableCondition,
    MultiMessageAvailableCondition,
    PeriodicCondition,
    PeriodicConditionPolicy,
)
from holoscan.core import (  # noqa: E402
    Application,
    Condition,
    ConditionType,
    DataFlowMetric,
    DefaultFragmentService,
    FragmentService,
    IOSpec,
    MetadataPolicy,
    Operator,
    OperatorStatus,
    Resource,
    SchedulingStatusType,
    Subgraph,
    Tracker,
)
from holoscan.data_loggers import BasicConsoleLogger  # noqa: E402
from holoscan.decorator import Input, Output, create_op  # noqa: E402
from holoscan.operators import PingRxOp, PingTensorRxOp, PingTensorTxOp, PingTxOp  # noqa: E402
from holoscan.pose_tree import SO3, Pose3, PoseTreeManager  # noqa: E402
from holoscan.resources import CudaStreamPool, ManualClock, RealtimeClock  # noqa: E402
from holoscan.schedulers import (  # noqa: E402
    EventBasedScheduler,
    GreedyScheduler,
    MultiThreadScheduler,
)
from holoscan_operators import Prints, Said, Sends, lines, run  # noqa: E402


def test_the_module_is_one():
    import holoscan.core

    assert sys.modules["gxe.holoscan.core"] is holoscan.core


@pytest.mark.parametrize(
    "scheduler",
    [
        GreedyScheduler,
        lambda app: EventBasedScheduler(app, worker_thread_number=2),
        lambda app: MultiThreadScheduler(app, worker_thread_number=2),
    ],
)
def test_ping(capsys, scheduler):
    def compose(self):
        tx = PingTxOp(self, CountCondition(self, 3), name="tx")
        self.add_flow(tx, PingRxOp(self, name="rx"))

    run(compose, scheduler)
    assert lines(capsys) == [f"Rx message value: {n}" for n in (1, 2, 3)]


class Doubles(Operator):
    def setup(self, spec):
        for name in ("in1", "in2"):
            spec.input(name)
        for name in ("out1", "out2"):
            spec.output(name)
        spec.param("multiplier", 2)

    def compute(self, op_input, op_output, context):
        op_output.emit(op_input.receive("in1") * self.multiplier, "out1")
        op_output.emit(op_input.receive("in2") * self.multiplier, "out2")


class Gathers(Operator):
    def setup(self, spec):
        spec.input("receivers", size=IOSpec.ANY_SIZE)

    def compute(self, op_input, op_output, context):
        print(op_input.receive("receivers"))


class Two(Operator):
    def setup(self, spec):
        spec.output("out1")
        spec.output("out2")

    def compute(self, op_input, op_output, context):
        op_output.emit(1, "out1")
        op_output.emit(2, "out2")


def compose_multi_port(self):
    tx = Two(self, CountCondition(self, 2), name="tx")
    mx, rx = Doubles(self, name="mx", multiplier=3), Gathers(self, name="rx")
    self.add_flow(tx, mx, {("out1", "in1"), ("out2", "in2")})
    self.add_flow(mx, rx, {("out1", "receivers"), ("out2", "receivers")})


def test_several_ports(capsys):
    run(compose_multi_port)
    assert lines(capsys) == ["(3, 6)", "(3, 6)"]


def test_the_tracker_names_paths(capsys, tmp_path):
    app = type("App", (Application,), {"compose": compose_multi_port})()
    log = tmp_path / "log"
    with Tracker(
        app, filename=str(log), num_start_messages_to_skip=0, num_last_messages_to_discard=0
    ) as tracker:
        app.run()
        tracker.print()
    assert tracker.get_path_strings() == ["tx,mx,rx"]
    assert "Path 1: tx,mx,rx" in capsys.readouterr().out
    assert "(tx," in log.read_text()


def test_a_loop_of_dynamic_flows(capsys):
    def compose(self):
        one, two, three, four = (Said(self, name=f"node{n}") for n in (1, 2, 3, 4))
        self.add_flow(self.start_op(), one)
        for a, b in ((one, two), (two, three), (three, one), (one, four)):
            self.add_flow(a, b)
        state = {"index": 0}

        def choose(op):
            op.metadata.set("index", state["index"])
            if state["index"] < 2:
                op.add_dynamic_flow(two)
                state["index"] += 1
            else:
                op.add_dynamic_flow(four)

        self.set_dynamic_flows(one, choose)

    run(compose)
    assert lines(capsys) == [
        "node1 -1",
        "node2 0",
        "node3 0",
        "node1 0",
        "node2 1",
        "node3 1",
        "node1 1",
        "node4 2",
    ]


def test_fork_and_join(capsys):
    def compose(self):
        nodes = [Said(self, name=f"node{n}") for n in range(1, 6)]
        self.add_flow(self.start_op(), nodes[0])
        for middle in nodes[1:4]:
            self.add_flow(nodes[0], middle)
            self.add_flow(middle, nodes[4])

    run(compose, lambda app: EventBasedScheduler(app, worker_thread_number=3))
    said = [line.split()[0] for line in lines(capsys)]
    assert said[0] == "node1" and said[4] == "node5" and sorted(said) == said[:1] + sorted(said[1:])
    assert len(said) == 5


def test_mixed_dynamic_flows(capsys):
    def compose(self):
        tx = Sends(self, CountCondition(self, count=2), name="node1")
        odd, even = Prints(self, name="odd"), Prints(self, name="even")
        alarm = Said(self, name="alarm")
        self.add_flow(tx, odd, {("out", "in")})
        self.add_flow(tx, alarm)
        self.add_flow(tx, even, {("out", "in")})

        def choose(op):
            op.add_dynamic_flow("out", odd if op.value % 2 else even, "in")
            op.add_dynamic_flow(Operator.OUTPUT_EXEC_PORT_NAME, alarm)

        self.set_dynamic_flows(tx, choose)

    run(compose)
    assert sorted(lines(capsys)) == ["alarm -1", "alarm -1", "even 2", "odd 1"]


def test_flows_by_name_and_all(capsys):
    def compose(self):
        one, two, three = (Said(self, name=f"node{n}") for n in (1, 2, 3))
        self.add_flow(self.start_op(), one)
        self.add_flow(one, two)
        self.add_flow(one, three)
        found = lambda flow: flow.next_operator.name == "node3"  # noqa: E731
        self.set_dynamic_flows(one, lambda op: op.add_dynamic_flow(op.find_flow_info(found)))
        self.set_dynamic_flows(self.start_op(), lambda op: op.add_dynamic_flow(op.next_flows))

    run(compose)
    assert lines(capsys) == ["node1 -1", "node3 -1"]


class Every(Condition):
    def __init__(self, fragment, *args, recess_period=0, **kwargs):
        self.period = recess_period
        self.next = -1
        super().__init__(fragment, *args, **kwargs)

    def check(self, timestamp):
        if self.next < 0:
            return (SchedulingStatusType.READY, timestamp)
        ready = timestamp > self.next
        return (SchedulingStatusType.READY if ready else SchedulingStatusType.WAIT_TIME, self.next)

    def on_execute(self, timestamp):
        self.next = (self.next if self.next > 0 else timestamp) + self.period


class Arrived(Condition):
    def __init__(self, fragment, receiver_name, *args, **kwargs):
        self.port = receiver_name
        super().__init__(fragment, *args, receiver_name=receiver_name, **kwargs)

    def initialize(self):
        self.queue = self.receiver(self.port)

    def check(self, timestamp):
        arrived = self.queue.size + self.queue.back_size
        return (SchedulingStatusType.READY if arrived else SchedulingStatusType.WAIT, 0)


def test_conditions_in_python(capsys):
    def compose(self):
        every = Every(self, recess_period=1_000_000)
        tx = PingTxOp(self, CountCondition(self, 3), every, name="tx")
        rx = PingRxOp(self, Arrived(self, name="arrived", receiver_name="in"), name="rx")
        self.add_flow(tx, rx)

    run(compose)
    assert len(lines(capsys)) == 3


@pytest.mark.parametrize(
    "policy", ["MinTimeBetweenTicks", PeriodicConditionPolicy.NO_CATCH_UP_MISSED_TICKS]
)
def test_periods_have_policies(capsys, policy):
    def compose(self):
        period = PeriodicCondition(
            fragment=self, recess_period=datetime.timedelta(milliseconds=1), policy=policy
        )
        self.add_flow(PingTxOp(self, CountCondition(self, 3), period, name="tx"), PingRxOp(self, name="rx"))

    run(compose)
    assert len(lines(capsys)) == 3


def test_conditions_that_name_ports(capsys):
    class Silent(Operator):
        def setup(self, spec):
            spec.input("in").condition(ConditionType.NONE)

        def compute(self, op_input, op_output, context):
            print(op_input.receive("in"))

    def compose(self):
        tx = PingTxOp(self, CountCondition(self, 2), name="tx")
        rx = Silent(self, MessageAvailableCondition(self, receiver="in", min_size=1), name="rx")
        self.add_flow(tx, rx)

    run(compose)
    assert lines(capsys) == ["1", "2"]
    assert MultiMessageAvailableCondition.SamplingMode.SUM_OF_ALL.value == "SumOfAll"
    assert MultiMessageAvailableCondition.SamplingMode.PER_RECEIVER.value == "PerReceiver"


def test_a_boolean_condition_ends_an_operator(capsys):
    class Ends(Operator):
        def compute(self, op_input, op_output, context):
            print("compute")
            condition = self.conditions.get("going")
            assert condition.check_tick_enabled()
            condition.disable_tick()

    run(lambda self: self.add_operator(Ends(self, BooleanCondition(self, name="going"), name="op")))
    assert lines(capsys) == ["compute"]


def test_operators_are_controlled_from_outside(capsys):
    class Controlled(Operator):
        def initialize(self):
            super().initialize()
            self.done = 0
            self.async_condition.event_state = AsynchronousEventState.WAIT

        def compute(self, op_input, op_output, context):
            print(self.name)
            self.async_condition.event_state = AsynchronousEventState.WAIT
            self.done += 1

    class Controls(Operator):
        started = False

        def start(self):
            self.async_condition.event_state = AsynchronousEventState.EVENT_WAITING
            self.started = True

        def compute(self, op_input, op_output, context):
            print("end")
            self.stop_execution()

    def compose(self):
        self.controller = Controls(self, name="controller")
        self.controlled = [Controlled(self, name=f"op{n}") for n in (1, 2, 3)]
        for op in (self.controller, *self.controlled):
            self.add_operator(op)

    app = type("App", (Application,), {"compose": compose, "controller": None})()
    app.scheduler(EventBasedScheduler(app, worker_thread_number=3))
    future = app.run_async()
    while app.controller is None or not app.controller.started:
        time.sleep(0.005)
    for op in reversed(app.controlled):
        op.async_condition.event_state = AsynchronousEventState.EVENT_DONE
        while not op.done:
            time.sleep(0.002)
    for op in app.controlled:
        op.async_condition.event_state = AsynchronousEventState.EVENT_NEVER
    app.controller.async_condition.event_state = AsynchronousEventState.EVENT_DONE
    future.result(timeout=60)
    assert lines(capsys) == ["op3", "op2", "op1", "end"]


ENDLESS = """
import atexit, sys, time
import gxe.as_holoscan
from holoscan.core import Application, Operator

class Counter(Operator):
    def compute(self, op_input, op_output, context):
        self.count = getattr(self, "count", 0) + 1
        if self.count == int(sys.argv[1]):
            print("last", flush=True)
            self.fragment.stop_execution()
        time.sleep(0.001)

class App(Application):
    def compose(self):
        self.add_operator(Counter(self, name="counter"))

atexit.register(print, "ending", flush=True)
App().run_async()
"""


def test_a_program_waits_for_its_asynchronous_runs(run_python):
    ended = run_python(ENDLESS, "20")
    assert (ended.returncode, ended.stdout) == (0, "ending\nlast\n"), ended.stderr


# Short sleeps: Python may see a signal just before one, and then sleeps on.
@pytest.mark.parametrize("more", ["", "print('ending', flush=True)\nwhile True:\n    time.sleep(0.01)\n"])
def test_one_interrupt_ends_asynchronous_runs(tmp_path, more):
    path = tmp_path / "program.py"
    path.write_text(ENDLESS + more)
    process = subprocess.Popen(
        [sys.executable, str(path), "-1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout.readline() == "ending\n"
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate(timeout=60)[1]


def test_services_and_resources(capsys):
    class Value(DefaultFragmentService):
        def __init__(self, value):
            super().__init__()
            self.value = value

    class Held(Resource):
        def __init__(self, fragment, *args, number=0, **kwargs):
            self.number = number
            super().__init__(fragment, *args, **kwargs)

    class Both(Resource, FragmentService):
        def __init__(self, fragment, *args, **kwargs):
            Resource.__init__(self, fragment, *args, **kwargs)
            FragmentService.__init__(self)

        def resource(self, new_resource=None):
            return self

    class Asks(Operator):
        def compute(self, op_input, op_output, context):
            held = self.service(DefaultFragmentService, "held").resource
            print(self.service(Value).value, held.number, self.service(Held, "held").number)
            print(self.service(Both, "both").name, self.resource("own").number, self.resource("x"))
            pool = self.resources[f"{self.name}_stream_pool"]
            print(len(self.resources), isinstance(pool, CudaStreamPool))

    def compose(self):
        self.register_service(Value(10))
        self.register_service(Held(self, name="held", number=20))
        self.register_service(Both(self, name="both"))
        own = Held(self, name="own", number=30)
        self.add_operator(Asks(self, CountCondition(self, 1), own, name="asks"))

    run(compose)
    assert lines(capsys) == ["10 20 20", "both 30 None", "2 True"]


def test_arrays_stay_objects_and_dictionaries_become_tensors(capsys):
    @create_op(inputs=Input("in", arg_map="value"), outputs="out")
    def scale(value, factor):
        return {"scaled": value * factor}

    @create_op(inputs="in", op_param="self")
    def show(self, scaled):
        print(self.name, scaled)

    class Checks(Operator):
        def setup(self, spec):
            spec.input("in")

        def compute(self, op_input, op_output, context):
            assert isinstance(op_input.receive("in"), np.ndarray)

    def compose(self):
        tx = Sends(self, CountCondition(self, 1), name="tx", make=lambda n: {"a": np.arange(3.0)})
        scaled, shown = scale(self, factor=2.0, name="scale"), show(self, name="show")
        self.add_flow(tx, scaled)
        self.add_flow(scaled, shown)
        whole = Sends(self, CountCondition(self, 1), name="whole", make=lambda n: np.zeros(3))
        self.add_flow(whole, Checks(self, name="checks"))

    run(compose)
    assert lines(capsys) == ["show [0. 2. 4.]"]


def test_generators_are_operators(capsys):
    @create_op(outputs="out")
    def letters():
        yield from "ab"

    def compose(self):
        self.add_flow(letters(self, name="letters"), Prints(self, name="rx"))

    run(compose)
    assert lines(capsys) == ["rx a", "rx b"]
    assert Output("x").name == "x"


def test_ports_combined_by_or(capsys):
    class Either(Operator):
        def setup(self, spec):
            spec.input("in1")
            spec.input("in2")
            spec.or_combine_port_conditions(("in1", "in2"))

        def compute(self, op_input, op_output, context):
            for name in ("in1", "in2"):
                if op_input.receive(name):
                    print(name)

    def compose(self):
        rx = Either(self, name="rx")
        for name, count in (("in1", 3), ("in2", 2)):
            period = PeriodicCondition(self, datetime.timedelta(milliseconds=2))
            tx = PingTxOp(self, CountCondition(self, count), period, name=f"tx_{name}")
            self.add_flow(tx, rx, {("out", name)})

    run(compose)
    assert sorted(lines(capsys)) == ["in1"] * 3 + ["in2"] * 2


SamplingMode = MultiMessageAvailableCondition.SamplingMode


@pytest.mark.parametrize("mode", ["PerReceiver", "PER_RECEIVER", SamplingMode.PER_RECEIVER])
def test_one_condition_for_several_ports(capsys, mode):
    class Needs(Operator):
        def setup(self, spec):
            spec.input("in1")
            spec.input("in2", size=IOSpec.IOSize(2))
            spec.multi_port_condition(
                kind=ConditionType.MULTI_MESSAGE_AVAILABLE,
                port_names=["in1", "in2"],
                sampling_mode=mode,
                min_sizes=[1, 2],
            )

        def compute(self, op_input, op_output, context):
            print(op_input.receive("in1"), len(op_input.receive("in2")))

    def compose(self):
        rx = Needs(self, CountCondition(self, count=2), name="rx")
        for name in ("in1", "in2"):
            self.add_flow(PingTxOp(self, name=f"tx_{name}"), rx, {("out", name)})

    run(compose)
    assert [line.split()[1] for line in lines(capsys)] == ["2", "2"]


@pytest.mark.parametrize("kind", ["", "single", "multi"])
def test_an_input_of_several_messages_is_received_whole(capsys, kind):
    class Pairs(Operator):
        def setup(self, spec):
            spec.input("in", size=2)

        def compute(self, op_input, op_output, context):
            print(op_input.receive("in", kind=kind))

    class Kinds(Operator):
        def setup(self, spec):
            spec.input("in")

        def compute(self, op_input, op_output, context):
            with pytest.raises(ValueError, match="is `single` or `multi`, and not 'many'"):
                op_input.receive("in", kind="many")
            print(op_input.receive("in", kind="multi"))

    def compose(self):
        self.add_flow(PingTxOp(self, CountCondition(self, 4), name="tx"), Pairs(self, name="rx"))
        self.add_flow(PingTxOp(self, CountCondition(self, 1), name="one"), Kinds(self, name="kinds"))

    run(compose)
    assert sorted(lines(capsys)) == ["(1, 2)", "(1,)", "(3, 4)"]


def test_expiring_messages_and_their_times(capsys):
    class Stamps(Operator):
        def setup(self, spec):
            self.index = 0
            spec.output("out")

        def compute(self, op_input, op_output, context):
            self.index += 1
            clock = self.fragment.scheduler().clock
            op_output.emit(self.index, "out", acq_timestamp=clock.timestamp())

    class Batches(Operator):
        def setup(self, spec):
            port = spec.input("in").connector(
                IOSpec.ConnectorType.DOUBLE_BUFFER, capacity=5, policy=1
            )
            port.condition(
                ConditionType.EXPIRING_MESSAGE_AVAILABLE,
                max_batch_size=5,
                max_delay_ns=50_000_000,
            )

        def compute(self, op_input, op_output, context):
            found = []
            while (value := op_input.receive("in")) is not None:
                found.append(value)
            print(found)
            assert isinstance(op_input.get_acquisition_timestamp("in"), int)

    def compose(self):
        period = PeriodicCondition(self, 1_000_000)
        tx = Stamps(self, CountCondition(self, 8), period, name="tx")
        self.add_flow(tx, Batches(self, name="rx"))

    run(compose)
    assert lines(capsys) == ["[1, 2, 3, 4, 5]", "[6, 7, 8]"]


def test_messages_or_a_time(capsys):
    class Waits(Operator):
        def setup(self, spec):
            spec.input("in", size=IOSpec.IOSize(5)).condition(
                ConditionType.MULTI_MESSAGE_AVAILABLE_TIMEOUT, execution_frequency="1s", min_sum=5
            )

        def compute(self, op_input, op_output, context):
            print(len(op_input.receive("in")))

    def compose(self):
        self.add_flow(PingTxOp(self, CountCondition(self, 10), name="tx"), Waits(self, name="rx"))

    run(compose)
    assert lines(capsys) == ["5", "5"]


def test_asynchronous_buffers(capsys):
    def compose(self):
        tx = PingTxOp(self, CountCondition(self, 3), name="tx")
        rx = PingRxOp(self, CountCondition(self, 4), name="rx")
        self.add_flow(tx, rx, IOSpec.ConnectorType.ASYNC_BUFFER)

    run(compose, lambda app: EventBasedScheduler(app, worker_thread_number=2))
    assert len(lines(capsys)) == 4


def test_thread_pools(capsys):
    def compose(self):
        tx, rx = PingTxOp(self, CountCondition(self, 3), name="tx"), PingRxOp(self, name="rx")
        pool = self.make_thread_pool("pool", 2)
        pool.add([tx, rx], True)
        self.add_flow(tx, rx)

    run(compose, lambda app: EventBasedScheduler(app, worker_thread_number=3))
    assert len(lines(capsys)) == 3


def test_subgraphs(capsys):
    class Source(Subgraph):
        def compose(self):
            tx = PingTxOp(self, CountCondition(self, count=2), name="tx")
            self.add_operator(tx)
            self.add_output_interface_port("data", tx, "out")

    class Steps(Subgraph):
        def compose(self):
            two, three = Said(self, name="two"), Said(self, name="three")
            self.add_flow(two, three)
            self.add_input_exec_interface_port("in", two)
            self.add_output_exec_interface_port("out", three)

    def compose(self):
        for name in ("a", "b"):
            self.add_flow(Source(self, name), PingRxOp(self, name=f"rx_{name}"), {("data", "in")})
        one, four, steps = Said(self, name="one"), Said(self, name="four"), Steps(self, name="s")
        self.add_flow(self.start_op(), one)
        self.add_flow(one, steps)
        self.add_flow(steps, four)

    app = type("App", (Application,), {"compose": compose})()
    app.compose_graph()
    ports = gxe._gxe.parse_yaml(app.graph.port_map_description())
    assert ports["output_to_input"]["a_tx.out"] == ["rx_a.in"]
    assert ports["input_to_output"]["rx_b.in"] == ["b_tx.out"]
    app.run()
    said = [line.split()[0] for line in lines(capsys)]
    assert [word for word in said if word != "Rx"] == ["one", "s_two", "s_three", "four"]
    assert said.count("Rx") == 4


def test_subgraphs_in_subgraphs(capsys):
    class Inner(Subgraph):
        def compose(self):
            two, three = Said(self, name="two"), Said(self, name="three")
            self.add_flow(two, three)
            self.add_input_exec_interface_port("begin", two)
            self.add_output_exec_interface_port("end", three)

    class Outer(Subgraph):
        def compose(self):
            inner, numbers = Inner(self, "inner"), Numbers(self, "numbers")
            self.add_input_exec_interface_port("first", inner)
            self.add_output_exec_interface_port("last", inner, "end")
            self.add_output_interface_port("data", numbers, "values")

    class Numbers(Subgraph):
        def compose(self):
            self.add_output_interface_port("values", PingTxOp(self, CountCondition(self, 1), name="tx"), "out")

    def compose(self):
        one, four, outer = Said(self, name="one"), Said(self, name="four"), Outer(self, "outer")
        self.add_flow(self.start_op(), one)
        self.add_flow(one, outer)
        self.add_flow(outer, four, {("last", Operator.INPUT_EXEC_PORT_NAME)})
        self.add_flow(outer, PingRxOp(self, name="rx"), {("data", "in")})

    run(compose)
    said = [line.split()[0] for line in lines(capsys)]
    assert [word for word in said if word != "Rx"] == ["one", "outer_inner_two", "outer_inner_three", "four"]
    assert said.count("Rx") == 1


def test_ports_of_subgraphs_have_directions():
    class Empty(Subgraph):
        pass

    class Inner(Subgraph):
        def compose(self):
            self.add_input_interface_port("values", Prints(self, name="rx"), "in")

    app = Application()
    rx, tx, empty = PingRxOp(app, name="rx"), PingTxOp(app, name="tx"), Empty(app, "sub")
    with pytest.raises(RuntimeError, match="the operator `rx` has no output `in`; it has none. `in` is an input"):
        empty.add_output_interface_port("out", rx, "in")
    with pytest.raises(RuntimeError, match="the operator `tx` has no input `out`; it has none. `out` is an output"):
        empty.add_interface_port("in", tx, "out", is_input=True)
    with pytest.raises(RuntimeError, match="the operator `rx` has no input `inn`; it has in"):
        empty.add_input_interface_port("in", rx, "inn")
    inner = Inner(app, "inner")
    with pytest.raises(RuntimeError, match="the subgraph `inner` has no output `values`; .* `values` is an input"):
        empty.add_output_interface_port("values", inner, "values")
    with pytest.raises(RuntimeError, match="the subgraph `inner` has no input that runs operators; it has none"):
        empty.add_input_exec_interface_port("begin", inner)
    empty.add_input_interface_port("values", inner, "values")
    with pytest.raises(RuntimeError, match="the subgraph `sub` has an input `values` already"):
        empty.add_input_interface_port("values", rx, "in")
    with pytest.raises(RuntimeError, match="the flow from `tx.out` to `rx.__input_exec__` connects a port for messages"):
        app.add_flow(tx, rx, {("out", Operator.INPUT_EXEC_PORT_NAME)})
    # An empty name stands for the only port.
    app.add_flow(tx, empty, {("", "")})


def test_clocks(capsys):
    class Times(Operator):
        def compute(self, op_input, op_output, context):
            clock = self.fragment.scheduler().clock
            assert clock.time() == clock.timestamp() / 1e9 or isinstance(clock, RealtimeClock)
            before = clock.timestamp()
            clock.sleep_for(datetime.timedelta(milliseconds=1))
            print(clock.timestamp() - before >= 1_000_000, type(clock).__name__)
            if isinstance(clock, RealtimeClock):
                clock.cast_to(RealtimeClock).set_time_scale(2.0)

    compose = lambda self: self.add_operator(Times(self, CountCondition(self, 1), name="op"))  # noqa: E731
    run(compose)
    run(compose, lambda app: GreedyScheduler(app, clock=ManualClock(app)))
    assert lines(capsys) == ["True RealtimeClock", "True ManualClock"]


def test_status_of_operators(capsys):
    class Monitors(Operator):
        def compute(self, op_input, op_output, context):
            status = context.get_operator_status("source")
            print(status is OperatorStatus.IDLE, context.get_operator_status().name)

    def compose(self):
        self.add_operator(Said(self, CountCondition(self, 1), name="source"))
        self.add_operator(Monitors(self, CountCondition(self, 1), name="monitor"))

    run(compose)
    assert lines(capsys)[1:] == ["True TICKING"]


def test_metadata_travels(capsys):
    class Marks(Sends):
        def compute(self, op_input, op_output, context):
            self.metadata.set("index", self.value)
            super().compute(op_input, op_output, context)

    class Shows(Prints):
        def compute(self, op_input, op_output, context):
            super().compute(op_input, op_output, context)
            print(dict(self.metadata), self.metadata_policy is MetadataPolicy.RAISE)

    def compose(self):
        self.add_flow(Marks(self, CountCondition(self, 1), name="tx"), Shows(self, name="rx"))

    run(compose)
    assert lines(capsys) == ["rx 1", "{'index': 0} True"]


def test_poses(capsys, tmp_path):
    config = tmp_path / "poses.yaml"
    config.write_text("pose_tree_config:\n  number_frames: 8\n")

    class Sets(Operator):
        def initialize(self):
            self.tree = self.service(PoseTreeManager, "poses").tree
            self.tree.create_frame("a")
            self.tree.create_frame("b")
            self.tree.create_edges("a", "b")

        def compute(self, op_input, op_output, context):
            for time_of in (1.0, 2.0):
                turn = SO3.from_axis_angle([0, 0, 1], time_of * np.pi / 2)
                self.tree.set("a", "b", time_of, Pose3(turn, [time_of, 0, 0]))
            pose = self.tree.get("b", "a", 1.5).inverse()
            print((np.round(pose.translation, 6) + 0.0).tolist(), round(pose.rotation.angle() / np.pi, 6))

    def compose(self):
        self.register_service(PoseTreeManager(self, name="poses", **self.kwargs("pose_tree_config")))
        self.add_operator(Sets(self, CountCondition(self, 1), name="sets"))

    app = type("App", (Application,), {"compose": compose})()
    app.config(str(config))
    app.run()
    assert lines(capsys) == ["[1.5, 0.0, 0.0] 0.75"]


def test_loggers_and_tensors(capsys):
    def compose(self):
        tx = PingTensorTxOp(self, CountCondition(self, 1), rows=2, columns=3, name="tx")
        self.add_flow(tx, PingTensorRxOp(self, name="rx"))

    app = type("App", (Application,), {"compose": compose})()
    app.add_data_logger(BasicConsoleLogger(app, name="log", denylist_patterns=["rx.*"]))
    app.run()
    said = capsys.readouterr()
    logged = "BasicConsoleLogger[ID:tx.out] [Category:TensorMap] [IOType:Output] TensorMap(tensor: (2, 3))"
    assert said.err == f"[info] {logged}\n"
    assert said.out == "message 1: Tensor key: 'tensor', shape: (2, 3)\n"


class Pairs(Operator):
    """Forwards along two ports."""

    def setup(self, spec):
        spec.input("in")
        spec.output("name")
        spec.output("value")

    def compute(self, op_input, op_output, context):
        value = op_input.receive("in")
        op_output.emit(self.name, "name")
        op_output.emit(value, "value")


class Merges(Operator):
    def setup(self, spec):
        spec.input("names", size=IOSpec.ANY_SIZE)
        spec.input("values", size=IOSpec.ANY_SIZE)

    def compute(self, op_input, op_output, context):
        op_input.receive("names")
        op_input.receive("values")


def gathering(count):
    def compose(self):
        tx, rx = PingTxOp(self, CountCondition(self, count), name="tx"), Merges(self, name="rx")
        for name in ("a", "b"):
            pairs = Pairs(self, name=name)
            self.add_flow(tx, pairs)
            self.add_flow(pairs, rx, {("name", "names"), ("value", "values")})

    return type("App", (Application,), {"compose": compose})()


def test_loggers_number_the_queues_of_a_port(capsys):
    app = gathering(1)
    app.add_data_logger(BasicConsoleLogger(app, allowlist_patterns=[r"rx\.values:1", r".*\.name"]))
    app.run()
    head = "[info] BasicConsoleLogger"
    assert sorted(capsys.readouterr().err.splitlines()) == [
        f"{head}[ID:a.name] [Category:Message (std::any)] [IOType:Output] Python(str): a",
        f"{head}[ID:b.name] [Category:Message (std::any)] [IOType:Output] Python(str): b",
        f"{head}[ID:rx.values:1] [Category:Message (std::any)] [IOType:Input] Python(int): 1",
    ]


def test_the_tracker_counts_messages_rather_than_executions(capsys):
    app = gathering(5)
    with Tracker(app, num_start_messages_to_skip=2, num_last_messages_to_discard=2) as tracker:
        app.run()
        tracker.print()
    said = lines(capsys)
    # Two messages a time along each path, without the first and the last two.
    assert said[said.index("Path 1: tx,a,rx") + 1] == "Number of messages: 6"
    assert tracker.get_num_paths() == 2


def test_the_tracker_tells_old_messages_of_an_asynchronous_buffer(capsys):
    class Waits(PingRxOp):
        def compute(self, op_input, op_output, context):
            super().compute(op_input, op_output, context)
            time.sleep(0.002)

    def compose(self):
        tx, rx = PingTxOp(self, CountCondition(self, 1), name="tx"), Waits(self, CountCondition(self, 5), name="rx")
        self.add_flow(tx, rx, IOSpec.ConnectorType.ASYNC_BUFFER)

    app = type("App", (Application,), {"compose": compose})()
    with Tracker(app, num_start_messages_to_skip=0, num_last_messages_to_discard=0) as tracker:
        app.run()
    assert tracker.get_path_strings() == ["tx,rx", "tx_old,rx"]
    assert tracker.get_metric("tx,rx", DataFlowMetric.NUM_DST_MESSAGES) == 1
    assert tracker.get_metric("tx_old,rx", DataFlowMetric.NUM_DST_MESSAGES) == 4


def test_debugging_tells_of_conditions_and_threads(run_python):
    ended = run_python(
        """
import gxe.as_holoscan
from holoscan.conditions import CountCondition, MessageAvailableCondition
from holoscan.core import Application
from holoscan.operators import PingRxOp, PingTxOp
from holoscan.schedulers import EventBasedScheduler

class App(Application):
    def compose(self):
        tx = PingTxOp(self, CountCondition(self, 1), name="tx")
        rx = PingRxOp(self, MessageAvailableCondition(self, receiver="in"), name="rx")
        self.make_thread_pool("pool", 1).add(tx, True)
        self.add_flow(tx, rx)

app = App()
app.scheduler(EventBasedScheduler(app, worker_thread_number=1))
app.run()
""",
        environment={"HOLOSCAN_LOG_LEVEL": "DEBUG"},
    )
    assert ended.returncode == 0, ended.stderr
    assert "Rx message value: 1" in ended.stdout
    said = ended.stdout + ended.stderr
    assert "Not adding default condition to port 'in' of operator 'rx'" in said
    pinned = r"ThreadPool \[cid: \d+, name: pool\] created thread \[uid: \d+\] for pinned entity \[eid: \d+, name: tx\]"
    assert re.search(pinned, said)


EXAMPLE = """
from holoscan.core import Application, Operator
from holoscan.conditions import CountCondition

class Says(Operator):
    def compute(self, op_input, op_output, context):
        print("it's 'said'\\nsaid [2]")

class App(Application):
    def compose(self):
        self.add_operator(Says(self, CountCondition(self, 1), name="says"))

App().run()
"""

TESTS = r"""
# add_test(NAME NO_TEST COMMAND false)
if(HOLOSCAN_BUILD_TESTS)
  add_test(NAME PLAIN COMMAND ${Python3_EXECUTABLE} hello_world.py
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
  )
  set_tests_properties(PLAIN PROPERTIES PASS_REGULAR_EXPRESSION "it.*said \\[2\\]")
  add_test(NAME PIPE COMMAND bash -c
    "${Python3_EXECUTABLE} hello_world.py 2>&1 | \
     ${Python3_EXECUTABLE} ${Holoscan-examples_SOURCE_DIR}/../scripts/test_pattern_validation.py --strip-quotes \
       --pass-pattern 'its said' --fail-pattern 'UNWANTED'"
  )
endif()
"""


@pytest.mark.parametrize("unwanted", ["nobody", "said"])
def test_the_runner_of_the_sdks_examples(tmp_path, unwanted):
    folder = tmp_path / "hello_world" / "python"
    folder.mkdir(parents=True)
    (folder / "hello_world.py").write_text(EXAMPLE)
    (folder / "CMakeLists.txt").write_text(TESTS.replace("UNWANTED", unwanted))
    runner = pathlib.Path(__file__).with_name("holoscan_examples.py")
    ended = subprocess.run(
        [sys.executable, runner, tmp_path, "hello_world"], capture_output=True, text=True, check=False
    )
    expected = "as expected" if unwanted == "nobody" else "PIPE: exit status 1"
    assert ended.stdout.splitlines()[-1] == f"| `hello_world/python/hello_world.py` | 2 | {expected} |", ended.stderr
    assert ended.returncode == (0 if unwanted == "nobody" else 1)
    assert ("the output has: said" in ended.stderr) == (unwanted == "said")


def test_mistakes_say_what_is_there():
    app = Application()
    tx, rx = Two(app, name="tx"), Prints(app, name="rx")
    with pytest.raises(RuntimeError, match="say which port of `tx` to connect: out1, out2"):
        app.add_flow(tx, rx)
    with pytest.raises(RuntimeError, match="has no output `out3`; it has out1, out2"):
        app.add_flow(tx, rx, {("out3", "in")})
    with pytest.raises(RuntimeError, match="doesn't exist"):
        app.config("/nowhere.yaml")
    from holoscan import operators

    with pytest.raises(NotImplementedError, match="needs a visualiser"):
        _ = operators.HolovizOp


def test_the_finder_by_environment(run_python):
    text = "from holoscan.core import Application\nprint(Application.__module__)\n"
    ended = run_python("import gxe.as_holoscan\n" + text)
    assert ended.stdout == "gxe.holoscan._application\n", ended.stderr


def test_operators_have_any_name(capsys):
    def compose(self):
        tx = PingTxOp(self, CountCondition(self, 1), name="scheduler")
        self.add_flow(tx, PingRxOp(self, name="connections"))
        assert tx.operator_type is Operator.OperatorType.NATIVE
        assert '"outputs": ["out"]' in tx.description

    run(compose)
    assert lines(capsys) == ["Rx message value: 1"]


def test_lists_of_arguments(capsys):
    from holoscan import core

    class Says(Operator):
        def setup(self, spec):
            spec.param("text", "nothing")

        def compute(self, op_input, op_output, context):
            print(self.text)

    args = core.kwargs_to_arglist(text="hello")
    args.add(core.py_object_to_arg(3, "other"))
    assert core.arglist_to_kwargs(args) == {"text": "hello", "other": 3}
    assert [core.arg_to_py_object(arg) for arg in args] == ["hello", 3]
    run(lambda self: self.add_operator(Says(self, args, CountCondition(self, 1), name="says")))
    assert lines(capsys) == ["hello"]


def test_run_raises_what_an_operator_raised():
    class Fails(Operator):
        def compute(self, op_input, op_output, context):
            raise LookupError("nothing is here")

    class App(Application):
        def compose(self):
            self.add_operator(Fails(self, CountCondition(self, 1), name="fails"))

    with pytest.raises(LookupError, match="nothing is here") as raised:
        App().run()
    assert raised.traceback[-1].name == "compute"


def test_a_broken_configuration_names_its_file(tmp_path):
    path = tmp_path / "app.yaml"
    path.write_text("a: [1,")
    app = Application()
    app.config(str(path))
    with pytest.raises(RuntimeError, match="Config file '.*app.yaml' cannot be read: "):
        app.from_config("a")


@pytest.mark.parametrize("senders, got", [(3, ["rx 3", "rx 3"]), (1, ["rx 1", "rx 1"])])
def test_an_input_takes_as_many_messages_as_it_has_connections(capsys, senders, got):
    class Takes(Operator):
        def setup(self, spec):
            spec.input("in", size=IOSpec.PRECEDING_COUNT)

        def compute(self, op_input, op_output, context):
            print(self.name, len(op_input.receive("in")))

    def compose(self):
        rx = Takes(self, name="rx")
        for number in range(senders):
            self.add_flow(Sends(self, CountCondition(self, 2), name=f"tx{number}"), rx)

    run(compose)
    assert lines(capsys) == got


def test_a_run_that_goes_on_is_not_cancelled():
    def compose(self):
        self.add_operator(Said(self, BooleanCondition(self, name="on"), name="op"))

    app = type("App", (Application,), {"compose": compose})()
    future = app.run_async()
    assert future.running() and not future.cancel()
    while not app._operators or app._operators["op"]._status is not OperatorStatus.TICKING:
        time.sleep(0.001)
    app.stop_execution()
    future.result(timeout=60)
    assert future.done() and not future.cancelled()


@create_op(outputs="out")
def two_values():
    yield 1
    yield 2


class Ends(Operator):
    def compute(self, op_input, op_output, context):
        print(self.name)
        self.stop_execution()


def test_what_ended_itself_runs_again(capsys):
    def compose(self):
        self.add_flow(two_values(self, name="tx"), Prints(self, name="rx"))
        self.add_operator(Ends(self, name="ends"))

    app = type("App", (Application,), {"compose": compose})()
    app.run()
    first = lines(capsys)
    assert len(first) == 3
    app.run_async().result(timeout=60)
    assert sorted(lines(capsys)) == sorted(first)


def test_operators_end_before_they_run(capsys):
    def compose(self):
        op = Said(self, CountCondition(self, 5), name="op")
        self.add_operator(op)
        op.stop_execution()

    app = type("App", (Application,), {"compose": compose})()
    app.run()
    assert lines(capsys) == []
    app.run()
    assert len(lines(capsys)) == 5


class Forever(Operator):
    def compute(self, op_input, op_output, context):
        time.sleep(0.001)


def compose_forever(self):
    self.composed.wait(timeout=60)
    self.add_operator(Forever(self, name="op"))


@pytest.mark.parametrize("name", ["", "op"])
def test_an_application_is_stopped_before_it_is_composed(name):
    app = type("App", (Application,), {"compose": compose_forever, "composed": threading.Event()})()
    for _ in range(2):
        future = app.run_async()
        app.stop_execution(name)
        app.composed.set()
        future.result(timeout=60)
    future = app.run_async()
    app.stop_execution()
    future.result(timeout=60)
    with pytest.raises(RuntimeError, match="there is no operator `nothing`"):
        app.stop_execution("nothing")


def test_a_second_run_of_an_application_is_refused():
    app = type("App", (Application,), {"compose": compose_forever, "composed": threading.Event()})(name="busy")
    future = app.run_async()
    for again in (app.run, app.run_async):
        with pytest.raises(RuntimeError, match="the application `busy` runs already; wait for the end of that run"):
            again()
    app.composed.set()
    app.stop_execution()
    future.result(timeout=60)


@pytest.mark.parametrize("kind", ["operator", "condition"])
def test_stop_iteration_is_raised_as_it_is(kind):
    class Never(Condition):
        def initialize(self):
            raise StopIteration("of a condition")

    def compose(self):
        conditions = [Never(self, name="never")] if kind == "condition" else []
        source = Sends(self, *conditions, make=lambda _: next(iter(())), name="tx")
        self.add_flow(source, Prints(self, name="rx"))

    with pytest.raises(StopIteration):
        run(compose)


def test_an_application_that_cannot_be_composed_says_so_each_time():
    def compose(self):
        self.add_operator(Said(self, CountCondition(self, 1), name="op"))
        raise ValueError("half of it")

    app = type("App", (Application,), {"compose": compose})()
    for attempt in (app.run, app.run, lambda: app.run_async().result(timeout=60), app.compose_graph):
        with pytest.raises(ValueError, match="half of it"):
            attempt()


def test_modules_keep_their_specs_under_the_name_holoscan(run_python):
    # Imports in functions, such as that of `AsyncPingTxOp.start`, are relative to the package that it names.
    ended = run_python(
        """
import gxe.as_holoscan
import importlib, pkgutil
import gxe.holoscan as package
from holoscan.conditions import CountCondition
from holoscan.core import Application
from holoscan.operators import AsyncPingTxOp, PingRxOp

found = [f".{module.name}" for module in pkgutil.iter_modules(package.__path__)]
for name in ("", ".operators.ping_tx", *found):
    module = importlib.import_module(f"holoscan{name}")
    assert module is importlib.import_module(f"gxe.holoscan{name}")
    spec = module.__spec__
    assert (spec.name, spec.parent) == (module.__name__, module.__package__), (spec, module.__package__)

class App(Application):
    def compose(self):
        self.add_flow(AsyncPingTxOp(self, count=2, delay=1, name="tx"), PingRxOp(self, CountCondition(self, 2), name="rx"))

App().run()
""",
        environment={"PYTHONWARNINGS": "error::DeprecationWarning"},
    )
    assert ended.returncode == 0, ended.stderr
    assert "Rx message value: 2" in ended.stdout
