"""Applications of several fragments, in one process and in several."""

import os
import signal
import subprocess
import sys

import pytest

np = pytest.importorskip("numpy")

import gxe  # noqa: E402
import gxe.as_holoscan  # noqa: E402, F401
from gxe.holoscan._links import free_ports  # noqa: E402
from gxe.holoscan.schedulers import of_environment  # noqa: E402
from holoscan.conditions import CountCondition  # noqa: E402
from holoscan.core import (  # noqa: E402
    Application,
    Condition,
    ConditionType,
    Fragment,
    IOSpec,
    MetadataPolicy,
    Operator,
    SchedulingStatusType,
    Tracker,
)
from holoscan.operators import PingRxOp, PingTxOp  # noqa: E402
from holoscan.schedulers import EventBasedScheduler, GreedyScheduler, MultiThreadScheduler  # noqa: E402


class Sends(Operator):
    """Sends what `make` returns for 1, 2, 3, …"""

    def __init__(self, fragment, *args, make=lambda count: count, **kwargs):
        self.make = make
        self.count = 0
        super().__init__(fragment, *args, **kwargs)

    def setup(self, spec):
        spec.output("out")

    def compute(self, op_input, op_output, context):
        self.count += 1
        self.metadata.set("count", self.count)
        op_output.emit(self.make(self.count), "out")


class Gathers(Operator):
    """Keeps what it receives, with the metadata."""

    def __init__(self, *args, **kwargs):
        self.values = []
        super().__init__(*args, **kwargs)

    def setup(self, spec):
        spec.input("in")

    def compute(self, op_input, op_output, context):
        value = op_input.receive("in")
        if isinstance(value, dict):
            value = {name: np.asarray(tensor).tolist() for name, tensor in value.items()}
        self.values.append((value, self.metadata.get("count")))


class GathersAll(Gathers):
    """Keeps what it receives from any number of senders."""

    def setup(self, spec):
        spec.input("in", size=IOSpec.ANY_SIZE)
        self.metadata_policy = MetadataPolicy.UPDATE

    def compute(self, op_input, op_output, context):
        self.values.append(sorted(op_input.receive("in")))


class Passes(Operator):
    def setup(self, spec):
        spec.input("in")
        spec.output("out")

    def compute(self, op_input, op_output, context):
        op_output.emit(op_input.receive("in") + 1, "out")


def fragment(app, name, *makers, scheduler=None):
    """A fragment with the operators that functions make of it."""

    class Made(Fragment):
        def compose(self):
            self.made = [make(self) for make in makers]
            for operator in self.made:
                self.add_operator(operator)
            if scheduler is not None:
                self.scheduler(scheduler(self))

    return Made(app, name=name)


def application(*flows, run=True, **fragments):
    """An application of fragments, which are functions of it, with flows `one two pairs`."""

    class App(Application):
        def compose(self):
            self.parts = {name: make(self, name) for name, make in fragments.items()}
            for part in self.parts.values():
                self.add_fragment(part)
            for source, target, pairs in flows:
                self.add_flow(self.parts[source], self.parts[target], pairs)

    app = App([sys.executable, "app"])
    if run:
        app.run()
    return app


def source(count=3, **keywords):
    return lambda app, name: fragment(app, name, lambda f: Sends(f, CountCondition(f, count), name="tx", **keywords))


def sink(kind=Gathers, **keywords):
    return lambda app, name: fragment(app, name, lambda f: kind(f, name="rx"), **keywords)


def received(app, name="two"):
    return app.parts[name].made[0].values


@pytest.mark.parametrize(
    "pair", [("tx", "rx"), ("tx.out", "rx.in"), ("tx.out", "rx")], ids=lambda pair: "-".join(pair)
)
def test_a_flow_connects_fragments(pair):
    app = application(("one", "two", {pair}), one=source(), two=sink())
    assert received(app) == [(1, 1), (2, 2), (3, 3)]


def test_messages_are_the_same_objects_and_tensors():
    sent = []

    def make(count):
        sent.append(object())
        return sent[-1]

    app = application(("one", "two", {("tx", "rx")}), one=source(make=make), two=sink())
    assert [value for value, _ in received(app)] == sent
    array = np.arange(4)
    app = application(("one", "two", {("tx", "rx")}), one=source(2, make=lambda _: {"a": array}), two=sink())
    assert received(app) == [({"a": [0, 1, 2, 3]}, 1), ({"a": [0, 1, 2, 3]}, 2)]


def test_one_output_leads_to_several_fragments_and_operators():
    def one(app, name):
        class Both(Fragment):
            def compose(self):
                self.made = [Gathers(self, name="here")]
                self.add_flow(Sends(self, CountCondition(self, 3), name="tx"), self.made[0])

        return Both(app, name)

    flows = [("one", "two", {("tx", "rx")}), ("one", "three", {("tx", "rx")})]
    app = application(*flows, one=one, two=sink(), three=sink())
    expected = [(1, 1), (2, 2), (3, 3)]
    assert received(app) == received(app, "two") == received(app, "three") == expected
    assert received(app, "one") == expected


def test_an_input_of_any_size_takes_several_fragments_and_operators():
    def three(app, name):
        class Gathering(Fragment):
            def compose(self):
                self.made = [GathersAll(self, name="rx")]
                tx = Sends(self, CountCondition(self, 2), name="own", make=lambda count: count)
                self.add_flow(tx, self.made[0])

        return Gathering(app, name)

    flows = [("one", "three", {("tx", "rx")}), ("two", "three", {("tx", "rx.in")})]
    app = application(
        *flows, one=source(2, make=lambda n: 10 * n), two=source(2, make=lambda n: 100 * n), three=three
    )
    assert received(app, "three") == [[1, 10, 100], [2, 20, 200]]


def test_fragments_have_schedulers_of_their_own_or_that_of_the_application():
    def several(app):
        return EventBasedScheduler(app, worker_thread_number=2)

    app = application(
        ("one", "two", {("tx", "rx")}), one=source(), two=sink(scheduler=several), run=False
    )
    app.scheduler(MultiThreadScheduler(app, worker_thread_number=2))
    app.run()
    assert received(app) == [(1, 1), (2, 2), (3, 3)]
    kinds = [type(app.parts[name].scheduler()) for name in ("one", "two")]
    assert kinds == [MultiThreadScheduler, EventBasedScheduler]


def test_fragments_share_configuration_services_and_metadata(tmp_path):
    path = tmp_path / "app.yaml"
    path.write_text("tx: {count: 2}\n")
    found = []

    class One(Fragment):
        def compose(self):
            found.append((self.application, self.service(list), int(self.from_config("tx.count"))))
            self.add_operator(Sends(self, CountCondition(self, **self.kwargs("tx")), name="tx"))

    app = application(("one", "two", {("tx", "rx")}), one=One, two=sink(), run=False)
    app.config(path)
    service = []
    app.register_service(service)
    app.enable_metadata(False)
    app.run()
    assert found == [(app, service, 2)]
    assert received(app) == [(1, None), (2, None)]


def test_a_condition_sees_the_queue_of_a_link():
    seen = []

    class Looks(Condition):
        def check(self, timestamp):
            queue = self.receiver("in")
            seen.append((queue.capacity, queue.size + queue.back_size))
            return (SchedulingStatusType.READY, timestamp)

        def on_execute(self, timestamp):
            assert self.receiver("other") is None

    def two(app, name):
        return fragment(app, name, lambda f: Gathers(f, Looks(f, name="looks"), name="rx"))

    app = application(("one", "two", {("tx", "rx")}), one=source(), two=two)
    assert received(app) == [(1, 1), (2, 2), (3, 3)]
    assert (1, 1) in seen


def test_a_condition_of_the_program_may_wait_for_links():
    class Two(Condition):
        """Lets the operator run when two messages are there."""

        def check(self, timestamp):
            queue = self.receiver("in")
            is_full = queue.size + queue.back_size >= 2
            return (SchedulingStatusType.READY if is_full else SchedulingStatusType.WAIT, timestamp)

    class Pairs(Gathers):
        def setup(self, spec):
            spec.input("in", size=2).condition(ConditionType.NONE)
            self.metadata_policy = MetadataPolicy.UPDATE

        def compute(self, op_input, op_output, context):
            self.values.append(op_input.receive("in"))

    def two(app, name):
        return fragment(app, name, lambda f: Pairs(f, Two(f, name="pair"), name="rx"), scheduler=scheduler)

    for scheduler in (None, lambda app: EventBasedScheduler(app, worker_thread_number=2)):
        app = application(("one", "two", {("tx", "rx")}), one=source(4), two=two)
        assert received(app) == [(1, 2), (3, 4)]


def test_fragments_in_a_circle_end():
    def one(app, name):
        class Starts(Operator):
            """Sends a number, and what comes back while it is small."""

            def setup(self, spec):
                spec.input("in").condition(ConditionType.NONE)
                spec.output("out")

            def start(self):
                self.seen = []

            def compute(self, op_input, op_output, context):
                value = op_input.receive("in")
                if value is None and not self.seen:
                    value = 0
                if value is not None:
                    self.seen.append(value)
                    op_output.emit(value, "out")

        return fragment(app, name, lambda f: Starts(f, CountCondition(f, 1), name="tx"))

    def two(app, name):
        return fragment(app, name, lambda f: Passes(f, name="a"), lambda f: Gathers(f, name="rx"))

    flows = [
        ("one", "two", {("tx", "a.in")}),
        ("two", "three", {("a.out", "b.in")}),
        ("three", "two", {("b.out", "rx.in")}),
    ]
    three = lambda app, name: fragment(app, name, lambda f: Passes(f, name="b"))  # noqa: E731
    app = application(*flows, one=one, two=two, three=three)
    assert [value for value, _ in app.parts["two"].made[1].values] == [2]


def test_a_failure_ends_the_others_and_is_the_cause():
    class Fails(Operator):
        def setup(self, spec):
            spec.input("in")

        def compute(self, op_input, op_output, context):
            raise ValueError("this is wrong")

    def endless(app, name):
        return fragment(app, name, lambda f: Sends(f, name="tx"))

    with pytest.raises(ValueError, match="this is wrong"):
        application(("one", "two", {("tx", "rx")}), one=endless, two=sink(Fails), three=endless)


def test_stop_execution_ends_all_fragments():
    class Stops(Gathers):
        def compute(self, op_input, op_output, context):
            super().compute(op_input, op_output, context)
            if len(self.values) == 3:
                self.fragment.application.stop_execution()

    def endless(app, name):
        return fragment(app, name, lambda f: Sends(f, name="tx"))

    app = application(("one", "two", {("tx", "rx")}), one=endless, two=sink(Stops), three=endless)
    assert [value for value, _ in received(app)][:3] == [1, 2, 3]


def test_fragments_are_stopped_before_they_are_composed():
    def endless(app, name):
        return fragment(app, name, lambda f: Sends(f, name="tx"))

    app = application(("one", "two", {("tx", "rx")}), one=endless, two=sink(), run=False)
    for _ in range(2):
        future = app.run_async()
        app.stop_execution("tx")
        with pytest.raises(RuntimeError, match="the application runs already"):
            app.run()
        future.result(timeout=60)


def test_paths_are_tracked_across_fragments(tmp_path):
    app = application(("one", "two", {("tx", "rx")}), one=source(5), two=sink(), run=False)
    path = tmp_path / "log.txt"
    settings = {"num_start_messages_to_skip": 0, "num_last_messages_to_discard": 0}
    with Tracker(app, filename=str(path), **settings) as trackers:
        app.run()
    assert {name: tracker.get_path_strings() for name, tracker in trackers.items()} == {"one": [], "two": ["tx,rx"]}
    assert trackers["one"].get_metric() == {"tx->out": 5}
    assert trackers["two"].get_metric() == {}
    assert (tmp_path / "two_log.txt").read_text().count("tx") == 5


def test_run_async_runs_fragments():
    app = application(("one", "two", {("tx", "rx")}), one=source(), two=sink(), run=False)
    app.run_async().result()
    assert received(app) == [(1, 1), (2, 2), (3, 3)]
    graph = app.fragment_graph
    assert [part.name for part in graph.get_nodes()] == ["one", "two"]
    assert graph.get_root_nodes() == [app.parts["one"]]
    assert graph.get_next_nodes(app.parts["one"]) == [app.parts["two"]]
    assert graph.find_node("two") is app.parts["two"]


def ping(pairs, **keywords):
    return application(("one", "two", pairs), one=source(), two=sink(), **keywords)


def same_names(app, name):
    return fragment(app, "one", lambda f: Sends(f, name="tx"))


def dynamic(app, name):
    class Chooses(Fragment):
        def compose(self):
            tx = Sends(self, name="tx")
            self.add_flow(tx, Gathers(self, name="here"))
            self.set_dynamic_flows(tx, lambda op: None)

    return Chooses(app, name)


def asynchronous(app, name):
    class Latest(Gathers):
        def setup(self, spec):
            spec.input("in").connector(IOSpec.ConnectorType.ASYNC_BUFFER)

    return fragment(app, name, lambda f: Latest(f, name="rx"))


def mixed():
    app = ping({("tx", "rx")}, run=False)
    app.add_operator(PingRxOp(app, name="alone"))
    app.run()


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: ping({("tx", "rxx")}), "`two` has no operator `rxx`; did you mean `rx`?"),
        (lambda: ping({("t.out", "rx")}), "`one` has no operator `t`; did you mean `tx`?"),
        (lambda: ping({("tx.output", "rx")}), "no output `output`; did you mean `out`?"),
        (lambda: ping({("tx", "rx.zzz")}), "no input `zzz`; its inputs: in"),
        (lambda: ping(set()), "say which operators of the fragments `one` and `two` to connect"),
        (lambda: ping({("tx", "rx"), ("tx.out", "rx")}), "only an input of any size takes them"),
        (lambda: application(one=source(), two=same_names), "two fragments with the name `one`"),
        (lambda: application(("one", "one", {("tx", "tx")}), one=source()), "both ends of a flow are in the fragment"),
        (lambda: application(**{"a.b": source()}), "`a.b` is no name of a fragment"),
        (lambda: application(("one", "two", {("tx", "rx")}), one=dynamic, two=sink()), "chooses its flows"),
        (lambda: application(("one", "two", {("tx", "rx")}), one=source(), two=asynchronous), "asynchronous buffer"),
        (mixed, "either operators or fragments"),
    ],
)
def test_mistakes(make, text):
    with pytest.raises(RuntimeError) as raised:
        make()
    assert text in str(raised.value)


def test_what_is_no_fragment_is_refused():
    app = Application()
    with pytest.raises(TypeError, match="a PingTxOp is none"):
        app.add_flow(Fragment(app, "one"), PingTxOp(app, name="tx"), {("tx", "rx")})
    with pytest.raises(ValueError, match="the first argument of a fragment is its application, and no str"):
        Fragment("one")


PROGRAM = """
import sys
import numpy as np
import gxe.as_holoscan
from holoscan.conditions import CountCondition
from holoscan.core import Application, Fragment, IOSpec, MetadataPolicy, Operator
from holoscan.operators import PingRxOp

class Point:
    def __init__(self, x):
        self.x = x

class Tx(Operator):
    def setup(self, spec):
        spec.output("tensors")
        spec.output("objects")

    def start(self):
        self.count = 0

    def compute(self, op_input, op_output, context):
        self.count += 1
        self.metadata.set("count", self.count)
        op_output.emit({"x": np.arange(self.count)}, "tensors")
        op_output.emit(Point(self.count), "objects")

class Rx(Operator):
    def setup(self, spec):
        spec.input("tensors")
        spec.input("objects")
        self.metadata_policy = MetadataPolicy.UPDATE

    def compute(self, op_input, op_output, context):
        x = np.asarray(op_input.receive("tensors")["x"]).tolist()
        point = op_input.receive("objects")
        if self.fragment.application.fails and point.x == 2:
            raise ValueError("two is too many")
        print(x, type(point).__name__, point.x, self.metadata["count"], flush=True)

class One(Fragment):
    def compose(self):
        count = -1 if self.application.fails else 3
        self.add_operator(Tx(self, CountCondition(self, count), name="tx"))

class Two(Fragment):
    def compose(self):
        self.add_operator(Rx(self, name="rx"))

class App(Application):
    fails = "fails" in sys.argv

    def compose(self):
        one, two = One(self, name="one"), Two(self, name="two")
        self.add_flow(one, two, {("tx.tensors", "rx.tensors"), ("tx.objects", "rx.objects")})

if __name__ == "__main__":
    App().run()
    print("done")
"""

EXPECTED = "[0] Point 1 1\n[0, 1] Point 2 2\n[0, 1, 2] Point 3 3\ndone\n"


@pytest.fixture
def start(tmp_path):
    """Starts a process of the program, which knows where the driver is."""
    path = tmp_path / "app.py"
    path.write_text(PROGRAM)
    address = f"127.0.0.1:{free_ports(1)[0]}"
    processes = []

    def begin(*arguments, **environment):
        command = [sys.executable, str(path), *arguments, "--address", address]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
            # A shell's background jobs ignore SIGINT, and so would what they start.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        processes.append(process)
        return process

    yield begin
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.communicate()


def ended(process):
    out, err = process.communicate(timeout=240)
    return process.returncode, out, err


def test_processes_run_fragments(start):
    """Objects of the program's classes, tensors and metadata go from one process to the other."""
    driver = start("--driver")
    one = start("--worker", "--fragments", "one")
    two = start("--worker", "--fragments", "two")
    assert ended(two) == (0, EXPECTED, "")
    assert ended(one) == (0, "done\n", "")
    assert ended(driver) == (0, "done\n", "")


def test_a_process_may_be_driver_and_worker(start):
    driver = start("--driver", "--worker", "--fragments=two")
    other = start("--worker", "--fragments=one", HOLOSCAN_UCX_PORTS=str(free_ports(1)[0]))
    assert ended(driver) == (0, EXPECTED, "")
    assert ended(other) == (0, "done\n", "")
    assert ended(start("--driver", "--worker", "--fragments=all")) == (0, EXPECTED, "")


@pytest.mark.parametrize(
    ("host", "why"),
    [
        ("127.0.0.5", "of the loopback addresses, servers listen at 127.0.0.1 alone; write that"),
        ("[::1]", "of the loopback addresses, servers listen at 127.0.0.1 alone; write that"),
        ("192.0.2.77", "this host has no such address"),
    ],
)
def test_addresses_that_nobody_would_reach_are_refused(start, host, why):
    line = ["--driver", "--worker", "--fragments=all", "--worker-address", f"{host}:{free_ports(1)[0]}"]
    status, out, err = ended(start(*line))
    assert (status, out) == (1, "")
    assert err.endswith(f"--worker-address: cannot listen at `{host.strip('[]')}`: {why}\n")


def test_a_driver_that_fails_ends_its_worker(start):
    """The driver does not reach its worker, so it cannot tell it."""
    line = ["--driver", "--worker", "--fragments=all"]
    place = f"nowhere.invalid:{free_ports(1)[0]}"
    status, out, err = ended(start(*line, "--worker-address", place, GXE_INSECURE="1"))
    assert (status, out) == (1, "")
    assert f"SetComponentParams of worker {place} with its segments one, two" in err.splitlines()[-1]


def test_a_failing_fragment_ends_all_processes(start):
    driver = start("--driver", "fails")
    one = start("--worker", "--fragments", "one", "fails")
    two = start("--worker", "--fragments", "two", "fails")
    status, out, err = ended(two)
    assert (status, out) == (1, "[0] Point 1 1\n")
    # It is the program's own.
    assert err.endswith("ValueError: two is too many\n") and "in compute\n" in err
    for process in (driver, one):
        status, out, err = ended(process)
        assert status == 1
        assert "segment two" in err and "two is too many" in err


def wait_for(process, text):
    """Reads the process's output until a line has a text."""
    while text not in (line := process.stdout.readline()):
        assert line, process.communicate()


def test_the_driver_gives_fragments_to_workers_that_name_none(start):
    driver = start("--driver")
    workers = [start("--worker"), start("--worker")]
    assert sorted(ended(worker) for worker in workers) == [(0, EXPECTED, ""), (0, "done\n", "")]
    assert ended(driver) == (0, "done\n", "")


def test_a_driver_that_is_a_worker_names_no_fragment_either(start):
    both = [start("--driver", "--worker"), start("--worker")]
    assert sorted(ended(process) for process in both) == [(0, EXPECTED, ""), (0, "done\n", "")]


def test_a_worker_gets_what_others_do_not_name(start):
    driver = start("--driver", GXF_LOG_LEVEL="INFO")
    free = start("--worker")
    wait_for(driver, "asks for a segment")
    named = start("--worker", "--fragments", "one")
    assert ended(free) == (0, EXPECTED, "")
    assert ended(named) == (0, "done\n", "")
    assert ended(driver)[0] == 0


def test_a_worker_that_is_left_over_goes_home(start):
    driver = start("--driver", GXF_LOG_LEVEL="INFO")
    free = start("--worker")
    wait_for(driver, "asks for a segment")
    assert ended(start("--worker", "--fragments", "all")) == (0, EXPECTED, "")
    assert ended(free) == (0, "done\n", "[info] Other workers run all fragments; this one ends\n")
    assert ended(driver)[0] == 0


def test_fragments_that_nobody_takes_are_an_error(start):
    status, _, err = ended(start("--driver", GXE_FRAGMENT_TIMEOUT="0.1"))
    assert status == 1
    assert "no worker has registered the segments one, two, and none came for 0.1 s" in err
    status, _, err = ended(start("--driver", GXE_FRAGMENT_TIMEOUT="soon"))
    assert status == 1
    assert "GXE_FRAGMENT_TIMEOUT is `soon`, and must be a number of seconds" in err


def test_a_worker_that_waits_for_a_fragment_ends_with_the_driver(start):
    driver = start("--driver", GXF_LOG_LEVEL="INFO")
    free = start("--worker")
    wait_for(driver, "asks for a segment")
    driver.send_signal(signal.SIGINT)
    assert ended(driver)[0] != 0
    status, _, err = ended(free)
    assert status == 1
    assert "does not answer" in err


def test_an_interrupt_ends_all_processes(start):
    driver = start("--driver", GXF_LOG_LEVEL="INFO")
    one = start("--worker", "--fragments", "one")
    # It waits for a worker that never comes.
    wait_for(driver, "registered")
    driver.send_signal(signal.SIGINT)
    status, _, err = ended(driver)
    assert status != 0 and "KeyboardInterrupt" in err
    assert ended(one)[0] == 1


SERVICES = """
import sys
import gxe.as_holoscan
from holoscan.conditions import CountCondition
from holoscan.core import Application, DistributedAppService, Fragment, Operator
from holoscan.pose_tree import Pose3, PoseTreeManager

class Tells(DistributedAppService):
    def driver_start(self, driver_ip):
        print("driver_start", driver_ip, flush=True)

    def driver_shutdown(self):
        print("driver_shutdown", flush=True)

    def worker_connect(self, driver_ip):
        print("worker_connect", driver_ip, flush=True)

    def worker_disconnect(self):
        print("worker_disconnect", flush=True)

class Moves(Operator):
    def setup(self, spec):
        spec.output("time")

    def start(self):
        self.time = 0
        self.tree = self.service(PoseTreeManager, "poses").tree
        self.tree.create_frame("map")
        self.tree.create_frame("robot")
        self.tree.create_edges("map", "robot")

    def compute(self, op_input, op_output, context):
        self.time += 1
        self.tree.set("map", "robot", self.time, Pose3.from_translation((self.time, 0, 2)))
        op_output.emit(self.time, "time")

class Sees(Operator):
    def setup(self, spec):
        spec.input("time")

    def compute(self, op_input, op_output, context):
        time = op_input.receive("time")
        tree = self.service(PoseTreeManager, "poses").tree
        print(tree.get("map", "robot", time).translation.tolist(), flush=True)
        try:
            tree.get("map", "moon", time)
        except RuntimeError as error:
            print(error, flush=True)

class One(Fragment):
    def compose(self):
        self.add_operator(Moves(self, CountCondition(self, 2), name="moves"))

class Two(Fragment):
    def compose(self):
        self.add_operator(Sees(self, name="sees"))

class App(Application):
    def compose(self):
        self.register_service(Tells())
        self.register_service(PoseTreeManager(self, name="poses"))
        self.add_flow(One(self, name="one"), Two(self, name="two"), {("moves", "sees")})

if __name__ == "__main__":
    App().run()
"""

POSES = "[1.0, 0.0, 2.0]\nno path connects `map` and `moon`\n[2.0, 0.0, 2.0]\nno path connects `map` and `moon`\n"


def test_services_of_an_application_reach_all_processes(start, tmp_path):
    (tmp_path / "app.py").write_text(SERVICES)
    driver = start("--driver")
    one = start("--worker", "--fragments", "one")
    two = start("--worker", "--fragments", "two")
    connected = "worker_connect 127.0.0.1\n"
    assert ended(two) == (0, f"{connected}{POSES}worker_disconnect\n", "")
    assert ended(one) == (0, f"{connected}worker_disconnect\n", "")
    assert ended(driver) == (0, "driver_start 127.0.0.1\ndriver_shutdown\n", "")


def test_services_within_one_process_are_shared(run_python):
    done = run_python(SERVICES)
    assert (done.returncode, done.stdout, done.stderr) == (0, POSES, "")


@pytest.mark.parametrize(
    "arguments, text",
    [
        (["--worker", "--fragments=one,twoo"], "the application has no fragment `twoo`; did you mean `two`?"),
        (["--worker", "--worker-address", "here:port"], "`here:port` is no address"),
    ],
)
def test_mistakes_of_the_command_line(start, arguments, text):
    status, _, err = ended(start(*arguments))
    assert status in (1, 2)
    assert text in err


def test_the_environment_chooses_schedulers(monkeypatch):
    monkeypatch.setenv("HOLOSCAN_DISTRIBUTED_APP_SCHEDULER", "multi_thread")
    monkeypatch.setenv("HOLOSCAN_STOP_ON_DEADLOCK", "OFF")
    monkeypatch.setenv("HOLOSCAN_STOP_ON_DEADLOCK_TIMEOUT", "7")
    monkeypatch.setenv("HOLOSCAN_MAX_DURATION_MS", "60000")
    monkeypatch.setenv("HOLOSCAN_CHECK_RECESSION_PERIOD_MS", "2.5")

    def greedy(app):
        return GreedyScheduler(app)

    app = application(("one", "two", {("tx", "rx")}), one=source(), two=sink(scheduler=greedy))
    assert received(app) == [(1, 1), (2, 2), (3, 3)]
    assert type(app.parts["two"].scheduler()) is GreedyScheduler
    chosen = app.parts["one"].scheduler()
    assert type(chosen) is MultiThreadScheduler
    wanted = {
        "stop_on_deadlock": False,
        "stop_on_deadlock_timeout": 7,
        "max_duration_ms": 60000,
        "check_recession_period_ms": 2.5,
        "worker_thread_number": 1,
        "strict_job_thread_pinning": False,
    }
    assert chosen._parameters == wanted
    monkeypatch.setenv("HOLOSCAN_DISTRIBUTED_APP_SCHEDULER", "event_based")
    assert type(of_environment(app)) is EventBasedScheduler


@pytest.mark.parametrize(
    ("variable", "value", "text"),
    [
        ("DISTRIBUTED_APP_SCHEDULER", "fast", "is `fast`, and must be greedy, multi_thread or event_based"),
        ("STOP_ON_DEADLOCK", "perhaps", "is `perhaps`, and must be true or false"),
        ("MAX_DURATION_MS", "1s", "is `1s`, and must be a number of milliseconds"),
    ],
)
def test_mistakes_of_the_environment(monkeypatch, variable, value, text):
    monkeypatch.setenv(f"HOLOSCAN_{variable}", value)
    with pytest.raises(RuntimeError, match=f"HOLOSCAN_{variable} {text}"):
        application(("one", "two", {("tx", "rx")}), one=source(), two=sink())


def test_links_listen_where_the_environment_says(monkeypatch):
    from gxe.holoscan import _distributed

    monkeypatch.setenv("HOLOSCAN_UCX_PORTS", "1234, 1235")
    assert _distributed._ports(1) == [1234]
    assert _distributed._ports(4) == [1234, 1235, 1236, 1237]
    monkeypatch.setenv("HOLOSCAN_UCX_PORTS", "1234-1240")
    with pytest.raises(RuntimeError, match="HOLOSCAN_UCX_PORTS is `1234-1240`, and must be numbers"):
        _distributed._ports(1)
    monkeypatch.setenv("HOLOSCAN_UCX_PORTS", "65534")
    assert _distributed._ports(2) == [65534, 65535]
    with pytest.raises(RuntimeError, match="HOLOSCAN_UCX_PORTS is `65534`, which leads to port 65536"):
        _distributed._ports(3)
