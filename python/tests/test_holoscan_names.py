"""Names of Holoscan's modules, and what is behind them."""

import importlib
import threading

import pytest

np = pytest.importorskip("numpy")

import gxe  # noqa: E402
from holoscan_operators import Prints, Sends, lines, run  # noqa: E402
from holoscan import core, executors, graphs, resources  # noqa: E402
from holoscan import gxf as holoscan_gxf  # noqa: E402
from holoscan.conditions import (  # noqa: E402
    AsynchronousCondition,
    BooleanCondition,
    CountCondition,
    ExpiringMessageAvailableCondition,
    MessageAvailableCondition,
    MultiMessageAvailableCondition,
    PeriodicCondition,
    PeriodicConditionPolicy,
)
from holoscan.core import (  # noqa: E402
    Application,
    Arg,
    ArgContainerType,
    ArgElementType,
    ArgList,
    ArgType,
    Condition,
    Config,
    DataLogger,
    DataLoggerResource,
    IOSpec,
    MetadataPolicy,
    Operator,
    SchedulingStatusType,
)
from holoscan.data_loggers import BasicConsoleLogger, SimpleTextSerializer  # noqa: E402
from holoscan.decorator import create_op  # noqa: E402
from holoscan.operators import GXFCodeletOp, PingRxOp, PingTxOp  # noqa: E402
from holoscan.resources import (  # noqa: E402
    BlockMemoryPool,
    GXFComponentResource,
    ManualClock,
    SchedulingPolicy,
    SyntheticClock,
    UnboundedAllocator,
)
from holoscan.schedulers import (  # noqa: E402
    EventBasedScheduler,
    GreedyScheduler,
    MultiThreadScheduler,
)


@pytest.mark.parametrize(
    "module, name, text",
    [
        ("conditions", "CudaStreamCondition", "needs a GPU"),
        ("core", "NetworkContext", "flows between fragments make theirs"),
        ("core", "io_type_registry", "any object of Python can be emitted"),
        ("core", "AsyncDataLoggerResource", "derive yours from DataLoggerResource"),
        ("gxf", "GXFNetworkContext", "flows between fragments make theirs"),
        ("network_contexts", "UcxContext", "flows between fragments make theirs"),
        ("operators", "HolovizOp", "needs a visualiser"),
        ("operators", "InferenceOp", "needs a GPU"),
        ("resources", "DoubleBufferReceiver", "ports make theirs"),
        ("resources", "OrConditionCombiner", "or_combine_port_conditions"),
        ("resources", "RMMAllocator", "needs a GPU"),
        ("resources", "UcxReceiver", "flows between fragments make theirs"),
    ],
)
def test_what_is_missing_says_why(module, name, text):
    place = f"holoscan.{module}"
    found = importlib.import_module(place)
    assert not hasattr(found, name)
    assert getattr(found, name, 3) == 3
    with pytest.raises(NotImplementedError, match=f"`{name}` .*{text}"):
        getattr(found, name)
    with pytest.raises(ImportError, match=f"`{name}` .*{text}") as caught:
        exec(f"from {place} import {name}")
    assert isinstance(caught.value, NotImplementedError)
    with pytest.raises(AttributeError, match=f"module 'gxe.{place}' has no attribute 'Nothing'"):
        found.Nothing
    with pytest.raises(ImportError, match="cannot import name 'Nothing'"):
        exec(f"from {place} import Nothing")


@pytest.mark.parametrize(
    "module", ["conditions", "core", "data_loggers", "executors", "graphs", "gxf", "operators", "resources", "schedulers"]
)
def test_all_names_are_there(module):
    found = importlib.import_module(f"holoscan.{module}")
    assert sorted(found.__all__) == sorted(set(found.__all__))
    assert [name for name in found.__all__ if not hasattr(found, name)] == []


def test_bases():
    app = Application()
    count, memory = CountCondition(app, 1), UnboundedAllocator(app)
    assert isinstance(count, core.ConditionBase) and isinstance(count, holoscan_gxf.GXFCondition)
    assert isinstance(memory, core.ResourceBase) and isinstance(memory, holoscan_gxf.GXFResource)
    assert isinstance(app.scheduler(), holoscan_gxf.GXFScheduler)
    assert isinstance(PingTxOp(app), core.OperatorBase)
    assert issubclass(resources.ManualClock, core.Clock) and core.Clock is core.ClockInterface


@pytest.mark.parametrize(
    "value, element, container, text",
    [
        (True, "BOOLEAN", "NATIVE", "BOOLEAN"),
        (5, "INT64", "NATIVE", "INT64"),
        (5.0, "FLOAT64", "NATIVE", "FLOAT64"),
        (1j, "COMPLEX128", "NATIVE", "COMPLEX128"),
        ("abc", "STRING", "NATIVE", "STRING"),
        (["a", "b"], "STRING", "VECTOR", "std::vector<STRING>"),
        (range(3), "INT64", "VECTOR", "std::vector<INT64>"),
        ([[1.5], [2.5]], "FLOAT64", "VECTOR", "std::vector<std::vector<FLOAT64>>"),
        ([], "CUSTOM", "VECTOR", "std::vector<CUSTOM>"),
        (np.float32(1), "FLOAT32", "NATIVE", "FLOAT32"),
        (np.zeros((2, 2), np.uint8), "UNSIGNED8", "VECTOR", "std::vector<std::vector<UNSIGNED8>>"),
        (np.array([True]), "BOOLEAN", "VECTOR", "std::vector<BOOLEAN>"),
        (gxe.zeros([2], "int16"), "INT16", "VECTOR", "std::vector<INT16>"),
        ({"a": 1}, "YAML_NODE", "NATIVE", "YAML_NODE"),
        (object(), "CUSTOM", "NATIVE", "CUSTOM"),
        (None, "CUSTOM", "NATIVE", "CUSTOM"),
    ],
)
def test_types_of_arguments(value, element, container, text):
    found = Arg("a", value).arg_type
    assert (found.element_type, found.container_type) == (ArgElementType[element], ArgContainerType[container])
    assert found.to_string() == text
    assert found == ArgType(ArgElementType[element], ArgContainerType[container], text.count("<"))


def test_arguments():
    app = Application()
    assert Arg("a", CountCondition(app, 1)).arg_type.element_type is ArgElementType.CONDITION
    assert Arg("a", UnboundedAllocator(app)).arg_type.element_type is ArgElementType.RESOURCE
    port = PingRxOp(app).spec.inputs["in"]
    assert Arg("a", [port]).arg_type == ArgType(ArgElementType.IO_SPEC, ArgContainerType.VECTOR, 1)
    assert not Arg("a").has_value and Arg("a", None).has_value
    assert (int(Arg("a", 3)), float(Arg("a", 3)), str(Arg("a", 3)), bool(Arg("a", 0))) == (3, 3.0, "3", False)
    args = ArgList([Arg("a", 3)])
    assert args.size == 1 and args.args == list(args)
    assert gxe._gxe.parse_yaml(args.description)["args"] == [{"name": "a", "type": "INT64", "value": "3"}]
    args.clear()
    assert args.size == 0
    sender = Sends(app, Arg("factor", 2), CountCondition(app, 1), name="tx")
    assert [(arg.name, arg.value) for arg in sender.args] == [("factor", 2)]


CONFIG = """
text: test
number: 0.5
flag: true
several: [1, 2]
mapping: {key_1: value_1, key_2: {deep: 3}}
tx: {first: 7, increment: 2}
increment: 3
"""


@pytest.fixture
def configured(tmp_path):
    path = tmp_path / "app.yaml"
    path.write_text(CONFIG)
    return str(path)


def test_values_of_the_configuration(configured):
    app = Application()
    assert app.kwargs("text") == {} and len(app.from_config("text")) == 0
    app.config(configured)
    assert isinstance(app.config(), Config) and app.config().config_file == configured
    assert app.config_keys() == {"text", "number", "flag", "several", "mapping", "tx", "increment"}
    # As in Holoscan's guide: a value comes with its key, a mapping without it.
    assert app.kwargs("text") == {"text": "test"}
    assert app.kwargs("several") == {"several": [1, 2]}
    assert app.kwargs("mapping") == {"key_1": "value_1", "key_2": {"deep": 3}}
    assert app.kwargs("mapping.key_2") == {"deep": 3}
    assert app.kwargs("mapping.key_2.deep") == {"deep": 3}
    assert app.kwargs("nothing") == {} and app.kwargs("text.nothing") == {}
    assert (str(app.from_config("text")), float(app.from_config("number"))) == ("test", 0.5)
    assert bool(app.from_config("flag")) and int(app.from_config("mapping.key_2.deep")) == 3
    args = app.from_config("tx")
    assert isinstance(args, ArgList) and core.arglist_to_kwargs(args) == {"first": 7, "increment": 2}
    prefixed = Config(configured, prefix="mapping.")
    assert prefixed.kwargs("key_1") == {"key_1": "value_1"}


def test_operators_take_values_of_the_configuration(capsys, configured):
    class Counts(Operator):
        def setup(self, spec):
            spec.output("out")
            spec.param("first", 0)
            spec.param("increment", 1)

        def compute(self, op_input, op_output, context):
            op_output.emit((self.first, self.increment), "out")

    def compose(self):
        # The later one wins.
        both = self.from_config("tx"), self.from_config("increment")
        tx = Counts(self, *both, CountCondition(self, 1), name="tx")
        self.add_flow(tx, Prints(self, name="rx"))
        other = Counts(self, CountCondition(self, 1), name="other", **self.kwargs("tx"))
        self.add_flow(other, Prints(self, name="rx2"))

    app = type("App", (Application,), {"compose": compose})()
    app.config(configured)
    app.run()
    assert sorted(lines(capsys)) == ["rx (7, 3)", "rx2 (7, 2)"]


def test_a_configuration_has_names(tmp_path):
    path = tmp_path / "list.yaml"
    path.write_text("- 1\n")
    app = Application()
    app.config(str(path))
    with pytest.raises(RuntimeError, match="list.yaml' holds a list, not names with values"):
        app.kwargs("a")


def test_graphs_of_operators():
    class App(Application):
        def compose(self):
            tx, other = PingTxOp(self, name="tx"), PingTxOp(self, name="other")
            gather = Gathers(self, name="rx")
            self.add_flow(tx, gather, {("out", "first"), ("out", "second")})
            self.add_flow(other, gather, {("out", "first")})

    class Gathers(Operator):
        def setup(self, spec):
            spec.input("first", size=IOSpec.ANY_SIZE)
            spec.input("second", size=IOSpec.ANY_SIZE)

    app = App()
    assert app.graph.is_empty()
    app.compose_graph()
    graph = app.graph
    assert isinstance(graph, graphs.OperatorFlowGraph) and isinstance(graph, graphs.FlowGraph)
    assert isinstance(graph, core.Graph) and isinstance(app.fragment_graph, graphs.FragmentFlowGraph)
    tx, rx = graph.find_node("tx"), graph.find_node(lambda operator: operator.name == "rx")
    assert [node.name for node in graph.get_nodes()] == ["tx", "rx", "other"]
    assert [node.name for node in graph.get_root_nodes()] == ["tx", "other"]
    # Each once, however many flows there are.
    assert graph.get_next_nodes(tx) == [rx]
    assert [node.name for node in graph.get_previous_nodes(rx)] == ["tx", "other"]
    assert graph.is_root(tx) and not graph.is_leaf(tx) and graph.is_leaf(rx) and not graph.is_empty()
    assert graph.find_node("nothing") is None


def test_the_queues_of_ports():
    seen = []

    class Looks(PingRxOp):
        def compute(self, op_input, op_output, context):
            super().compute(op_input, op_output, context)
            seen.append(self.receiver("in"))

    class Arrived(Condition):
        def initialize(self):
            self.queue = self.receiver("in")
            seen.append(self.queue)

        def check(self, timestamp):
            ready = self.queue.size + self.queue.back_size >= 1
            return (SchedulingStatusType.READY if ready else SchedulingStatusType.WAIT), None

    def compose(self):
        rx = Looks(self, Arrived(self, name="arrived"), name="rx")
        self.add_flow(PingTxOp(self, CountCondition(self, 1), name="tx"), rx)

    run(compose)
    assert len(seen) == 2 and all(isinstance(queue, resources.Receiver) for queue in seen)
    assert not isinstance(seen[0], resources.Transmitter)


def test_a_condition_waits_for_an_event(capsys):
    class Rings(Condition):
        rung = False

        def check(self, timestamp):
            return (SchedulingStatusType.READY if self.rung else SchedulingStatusType.WAIT_EVENT), None

        def on_execute(self, timestamp):
            self.rung = False

        def ring(self):
            self.rung = True
            self.notify_scheduler()

    class Starts(Operator):
        def compute(self, op_input, op_output, context):
            threading.Timer(0.05, self.bell.ring).start()

    def compose(self):
        bell = Rings(self, name="bell")
        starts = Starts(self, CountCondition(self, 1), name="starts")
        starts.bell = bell
        tx = PingTxOp(self, bell, CountCondition(self, 1), name="tx")
        self.add_operator(starts)
        self.add_flow(tx, PingRxOp(self, name="rx"))

    run(compose, lambda app: EventBasedScheduler(app, worker_thread_number=1))
    assert lines(capsys) == ["Rx message value: 1"]
    with pytest.raises(RuntimeError, match="the condition `lonely` has no scheduler before the application runs"):
        Rings(Application(), name="lonely").notify_scheduler()


def test_wrong_answers_of_conditions_name_them():
    class Broken(Condition):
        def check(self, timestamp):
            return SchedulingStatusType.WAIT_TIME, None

    class App(Application):
        def compose(self):
            self.add_operator(Prints(self, Broken(self, name="broken"), name="op"))

    text = r"`check` of the condition `broken` of the entity `op` answered \(<SchedulingStatusType.WAIT_TIME: 3>, None\)"
    with pytest.raises(TypeError, match=text):
        App().run()


def test_the_executor_and_extensions(capsys, tmp_path):
    class Calls(Operator):
        def compute(self, op_input, op_output, context):
            print(self.fragment.executor.context_uint64 == self.fragment._graph.context.address)

    def compose(self):
        table = GXFComponentResource(self, "nvidia::gxf::BlockMemoryPool", Arg("num_blocks", 2), name="pool", block_size=64)
        self.add_operator(Calls(self, CountCondition(self, 1), table, name="calls"))

    app = type("App", (Application,), {"compose": compose})()
    assert isinstance(app.executor, executors.GXFExecutor) and isinstance(app.executor, core.Executor)
    context = app.executor.context_uint64
    holoscan_gxf.load_extensions(context, ["libgxf_sample.so"])
    app.run()
    assert lines(capsys) == ["True"]
    assert app._graph.context.address == context
    names = [extension["name"] for extension in app._graph.context.extensions()]
    assert any("Sample" in name for name in names)
    assert app._graph["calls"]["pool"]["num_blocks"] == 2
    with pytest.raises(ValueError, match="take `context_uint64` of the application's executor"):
        holoscan_gxf.load_extensions(1)
    path = tmp_path / "app.yaml"
    path.write_text("extensions: [libgxf_nowhere.so]\n")
    other = Application()
    other.config(str(path))
    with pytest.raises(gxe.GxfError, match="libgxf_nowhere.so"):
        other.run()


def test_threads_have_cores_and_policies():
    app = Application()
    tx, rx = PingTxOp(app, CountCondition(app, 2), name="tx"), PingRxOp(app, name="rx")
    pool = app.make_thread_pool("pool", 2)
    assert isinstance(pool, resources.ThreadPool)
    pool.add(tx, pin_operator=True, pin_cores=[0])
    pool.add_realtime(rx, sched_policy=SchedulingPolicy.SCHED_RR, pin_cores=[0], sched_priority=2)
    with pytest.raises(ValueError, match="the operator `rx` needs a thread of its own: pin it"):
        pool.add_realtime(rx, SchedulingPolicy.SCHED_FIFO, pin_operator=False)
    assert pool.operators == [tx, rx]
    app.add_flow(tx, rx)
    app.scheduler(EventBasedScheduler(app, worker_thread_number=1, pin_cores=[0]))
    app.run()
    entities = app._graph
    assert list(entities["tx"]["cpu_thread"]["pin_cores"]) == [0]
    assert entities["rx"]["cpu_thread"]["sched_policy"] == "SCHED_RR"
    assert list(entities["_scheduler"]["event_based_scheduler"]["pin_cores"]) == [0]
    assert MultiThreadScheduler(app, strict_job_thread_pinning=True)._parameters["strict_job_thread_pinning"]


def test_loggers_of_programs(capsys):
    class Collects(DataLoggerResource):
        def __init__(self, fragment, found, *args, **kwargs):
            self.found = found
            super().__init__(fragment, *args, **kwargs)

        def setup(self, spec):
            spec.param("found", None)
            super().setup(spec)

        def log_data(self, data, unique_id, acquisition_timestamp=-1, metadata=None, io_type=None):
            self.found.append((unique_id, data, dict(metadata), io_type))
            return True

        def log_tensormap_data(self, tensor_map, unique_id, acquisition_timestamp=-1, metadata=None, io_type=None):
            self.found.append((unique_id, sorted(tensor_map), acquisition_timestamp, io_type))
            return True

    class Plain(DataLogger):
        found = []

        def should_log_output(self):
            return False

        def log_data(self, data, unique_id, acquisition_timestamp=-1, metadata=None, io_type=None):
            self.found.append(unique_id)
            return True

    class Marks(Sends):
        def compute(self, op_input, op_output, context):
            self.metadata["mark"] = 1
            op_output.emit(self.make(1), "out", acq_timestamp=5)

    found = []

    def compose(self):
        self.add_data_logger(Collects(self, found, name="log", log_inputs=False, denylist_patterns=["quiet.*"]))
        self.add_data_logger(Plain())
        for name, value in (("tx", 3), ("quiet", 4), ("map", {"a": np.zeros(2)})):
            tx = Marks(self, CountCondition(self, 1), name=name, make=lambda n, value=value: value)
            self.add_flow(tx, Prints(self, name=f"rx_{name}"))

    run(compose)
    output = IOSpec.IOType.OUTPUT
    assert sorted(found) == [("map.out", ["a"], 5, output), ("tx.out", 3, {"mark": 1}, output)]
    assert sorted(Plain.found) == ["rx_map.in", "rx_quiet.in", "rx_tx.in"]


def test_loggers_show_elements(capsys):
    class App(Application):
        def compose(self):
            serializer = SimpleTextSerializer(self, max_elements=2)
            logger = BasicConsoleLogger(self, serializer=serializer, log_inputs=False, log_tensor_data_content=True)
            self.add_data_logger(logger)
            tx = Sends(self, CountCondition(self, 1), name="tx", make=lambda n: {"a": np.arange(3)})
            self.add_flow(tx, Prints(self, name="rx"))

    App().run()
    assert capsys.readouterr().err.rstrip().endswith("TensorMap(a: (3,) [0, 1, …])")


def test_metadata_of_one_operator(capsys):
    class Marks(Sends):
        def compute(self, op_input, op_output, context):
            self.metadata["mark"] = 1
            super().compute(op_input, op_output, context)

    class Shows(Prints):
        def compute(self, op_input, op_output, context):
            super().compute(op_input, op_output, context)
            print(dict(self.metadata))

    def compose(self):
        tx, rx = Marks(self, CountCondition(self, 1), name="tx"), Shows(self, name="rx")
        tx.enable_metadata(False)
        assert rx.is_metadata_enabled and not tx.is_metadata_enabled
        self.add_flow(tx, rx)

    run(compose)
    assert lines(capsys) == ["rx 1", "{}"]


def test_descriptions():
    app = Application()
    condition = PeriodicCondition(app, 10, name="period")
    described = gxe._gxe.parse_yaml(condition.description)
    assert (described["name"], described["type"]) == ("period", "PeriodicCondition")
    assert gxe._gxe.parse_yaml(str(PingTxOp(app).spec)) == {"params": {}, "inputs": [], "outputs": ["out"]}
    assert BooleanCondition(app, name="going").description


def test_codelets_of_the_engine_are_operators(capsys, tmp_path, test_extension):
    path = tmp_path / "app.yaml"
    path.write_text(f"extensions: [libgxf_sample.so, {test_extension}]\n")

    class App(Application):
        def compose(self):
            tx = GXFCodeletOp(self, "nvidia::gxf::PingTx", CountCondition(self, 2), name="tx")
            assert (list(tx.spec.inputs), list(tx.spec.outputs)) == ([], ["signal"])
            assert tx.operator_type is Operator.OperatorType.GXF
            self.add_flow(tx, Prints(self, name="rx"))
            self.add_flow(tx, GXFCodeletOp(self, "nvidia::gxf::PingRx", name="native"))
            self.add_flow(tx, GXFCodeletOp(self, "nvidia::gxf::MultiPingRx", name="several"))
            # Nobody receives what it sends.
            self.alone = GXFCodeletOp(self, "nvidia::gxf::PingTx", CountCondition(self, 3), name="alone")
            self.add_operator(self.alone)
            self.going = BooleanCondition(self, name="going")
            memory = UnboundedAllocator(self, name="memory")
            clock = self.scheduler().clock
            generator = "nvidia::gxf::test::TensorGenerator"
            tensors = GXFCodeletOp(
                self, generator, CountCondition(self, 1), Arg("shape", [2, 3]), allocator=memory, storage_type=2, name="tensors"
            )
            self.add_flow(tensors, Shows(self, name="shows"))
            timestamps = GXFCodeletOp(
                self,
                "nvidia::gxf::test::ClockSetter",
                self.going,
                name="setter",
                synthetic_clock=clock,
                boolean_scheduling_term=self.going,
                timestamps=[5, 7],
            )
            self.add_operator(timestamps)

    class Shows(Prints):
        def compute(self, op_input, op_output, context):
            print({name: tensor.shape for name, tensor in op_input.receive("in").items()})

    app = App()
    app.config(str(path))
    app.scheduler(GreedyScheduler(app, clock=SyntheticClock(app, name="clock")))
    app.run()
    said = lines(capsys)
    assert [line for line in said if line.startswith("rx")] == ["rx 0", "rx 1"]
    assert any("(2, 3)" in line for line in said)
    assert app._graph.ticks["alone"] == 3 and app._graph.ticks["setter"] == 3


def test_unknown_codelets_name_their_library():
    with pytest.raises(gxe.GxfError, match="no loaded extension has a type `nvidia::gxf::PingTx`; load `libgxf_sample.so`"):
        GXFCodeletOp(Application(), "nvidia::gxf::PingTx")


def test_messages_that_programs_put_together(capsys):
    class Packs(Operator):
        def setup(self, spec):
            spec.output("out")

        def compute(self, op_input, op_output, context):
            message = holoscan_gxf.Entity(context)
            message.add(np.arange(3), "a")
            message.add(gxe.zeros([2]), "b")
            assert message.get("a").shape == (3,) and message.get("nothing") is None
            op_output.emit(message, "out")

    class Unpacks(Prints):
        def compute(self, op_input, op_output, context):
            print({name: tensor.shape for name, tensor in op_input.receive("in").items()})

    run(lambda self: self.add_flow(Packs(self, CountCondition(self, 1), name="tx"), Unpacks(self, name="rx")))
    assert lines(capsys) == ["{'a': (3,), 'b': (2,)}"]


def test_policies_of_metadata():
    app = Application()
    fragment = core.Fragment(app, "part")
    operator = PingTxOp(fragment, name="tx")
    assert operator.metadata_policy is core.MetadataPolicy.RAISE
    app.metadata_policy = core.MetadataPolicy.UPDATE
    assert operator.metadata_policy is core.MetadataPolicy.UPDATE
    fragment.metadata_policy = core.MetadataPolicy.REJECT
    assert operator.metadata_policy is core.MetadataPolicy.REJECT
    operator.metadata_policy = core.MetadataPolicy.INPLACE_UPDATE
    assert operator.metadata_policy is core.MetadataPolicy.INPLACE_UPDATE
    known = core.MetadataDictionary()
    known.set("spacing", (1.0, 3.0), dtype=np.float32, cast_to_cpp=True)
    assert known["spacing"] == (1.0, 3.0)


def test_wrong_arguments_say_what_is_expected():
    app, other = Application(), Application()
    tx, rx, stranger = PingTxOp(app, name="tx"), PingRxOp(app, name="rx"), PingRxOp(other, name="stranger")
    for kind, what in ((PingTxOp, "PingTxOp"), (core.Subgraph, "Subgraph"), (CountCondition, "CountCondition")):
        text = f"the first argument of a {what} is the application, fragment or subgraph that it is part of, and no int"
        with pytest.raises(ValueError, match=text):
            kind(5)
    with pytest.raises(TypeError, match="`scheduler` takes a scheduler, and a CountCondition is none"):
        app.scheduler(CountCondition(app, 1))
    with pytest.raises(TypeError, match="a str is no operator"):
        app.add_operator("tx")
    with pytest.raises(TypeError, match="flows connect operators and subgraphs, and a str is neither"):
        app.add_flow(tx, "rx")
    with pytest.raises(TypeError, match=r"'out' is no pair of ports; flows take pairs such as \{\('out', 'in'\)\}"):
        app.add_flow(tx, rx, ("out", "in"))
    with pytest.raises(ValueError, match="the operator `stranger` is part of another application or fragment"):
        app.add_flow(tx, stranger)
    with pytest.raises(TypeError, match="a thread pool executes operators, and a int is none"):
        app.make_thread_pool("pool").add(5)
    with pytest.raises(TypeError, match="the condition of a port is a ConditionType, and a str is none"):
        tx.spec.outputs["out"].condition("none")
    with pytest.raises(RuntimeError, match="the operator has an output `out` already"):
        tx.spec.output("out")


def test_arguments_that_nobody_reads_are_reported(capsys):
    app = Application()
    PingRxOp(app, CountCondition(app, 1), name="rx", inn=3, condition=CountCondition(app, 1))
    assert capsys.readouterr().err == "[warn] operator `rx`: `inn` of its arguments are no parameters in `setup`\n"


def test_a_flow_that_is_added_again_is_the_same(capsys):
    def compose(self):
        tx, rx = PingTxOp(self, CountCondition(self, 1), name="tx"), PingRxOp(self, name="rx")
        for pairs in ({("out", "in")}, {("", "")}):
            self.add_flow(tx, rx, pairs)
        assert len(tx.next_flows) == 1

    run(compose)
    assert lines(capsys) == ["Rx message value: 1"]


def test_an_input_and_an_output_may_have_one_name(capsys):
    class Passes(Operator):
        def setup(self, spec):
            spec.input("image")
            spec.output("image")

        def compute(self, op_input, op_output, context):
            op_output.emit(10 * op_input.receive("image"), "image")

    def compose(self):
        middle = Passes(self, name="middle")
        self.add_flow(PingTxOp(self, CountCondition(self, 1), name="tx"), middle)
        self.add_flow(middle, PingRxOp(self, name="rx"))

    run(compose)
    assert lines(capsys) == ["Rx message value: 10"]


def test_loggers_name_fragments(capsys):
    class Part(core.Fragment):
        def compose(self):
            self.add_flow(PingTxOp(self, CountCondition(self, 1), name="tx"), PingRxOp(self, name="rx"))

    class App(Application):
        def compose(self):
            self.add_data_logger(BasicConsoleLogger(self, log_outputs=False))
            self.add_fragment(Part(self, "part"))

    App().run()
    assert "BasicConsoleLogger[ID:part.rx.in]" in capsys.readouterr().err


def test_conditions_change_while_the_application_runs():
    times = []

    class Hurries(Operator):
        def compute(self, op_input, op_output, context):
            times.append(self.fragment.scheduler().clock.timestamp())
            self.condition("period").recess_period(1_000_000)
            if len(times) == 1:
                self.condition("count").count = -1
            if len(times) == 5:
                self.stop_execution()

    def compose(self):
        period = PeriodicCondition(self, 300_000_000, name="period")
        self.add_operator(Hurries(self, CountCondition(self, 2, name="count"), period, name="op"))

    run(compose, lambda app: GreedyScheduler(app, clock=ManualClock(app)))
    assert len(times) == 5
    # The first pause was chosen before.
    assert [later - earlier for earlier, later in zip(times[1:], times[2:])] == [1_000_000] * 3


@pytest.mark.parametrize(
    "module, name, text",
    [("ping_tx", "PingTxOp", ""), ("holoviz", "HolovizOp", "a visualiser"), ("inference", "InferenceOp", "a GPU")],
)
def test_operators_have_modules(module, name, text):
    place = f"holoscan.operators.{module}"
    assert importlib.import_module(place).__name__ == f"gxe.{place}"
    statement = f"from {place} import {name}"
    if not text:
        found = {}
        exec(statement, found)
        assert found[name] is PingTxOp
        return
    with pytest.raises(ImportError, match=f"`{name}` needs {text}"):
        exec(statement)
    with pytest.raises(ImportError, match=f"`Other` needs {text}"):
        exec(f"from {place} import Other")
    assert not hasattr(importlib.import_module(place), "__wrapped__")


def test_operators_know_their_place(capsys):
    seen = []

    class Looks(Operator):
        def setup(self, spec):
            spec.input("in")

        def compute(self, op_input, op_output, context):
            op_input.receive("in")
            period = self.condition("period")
            assert period.gxf_eid == self.gxf_eid > 0 and period.gxf_context == self.gxf_context > 0
            assert (period.gxf_cid, period.gxf_cname) == (period.id, "period")
            seen.append((self.execution_context is context, period.last_run_timestamp(), period.id, self.id))

    def compose(self):
        self.tx = Sends(self, CountCondition(self, 2), name="tx")
        self.rx = Looks(self, PeriodicCondition(self, 1000, name="period"), name="rx")
        self.add_flow(self.tx, self.rx)
        assert (self.rx.id, self.rx.gxf_eid, self.rx.gxf_context, self.rx.execution_context) == (-1, -1, 0, None)
        assert self.rx.condition("period").last_run_timestamp() == 0

    app = run(compose, lambda app: GreedyScheduler(app, clock=ManualClock(app, initial_timestamp=5)))
    assert [found[:2] for found in seen] == [(True, 5), (True, 1005)]
    assert len({*seen[0][2:], app.tx.id}) == 3 and min(seen[0][2:]) > 0
    assert (app.tx.is_root, app.tx.is_leaf, app.rx.is_root, app.rx.is_leaf) == (True, False, False, True)


def test_components_take_arguments_later(capsys):
    def compose(self):
        count, scheduler = CountCondition(self, 1), self.scheduler()
        count.add_arg(core.Arg("count", 2))
        scheduler.add_arg(core.ArgList([core.Arg("stop_on_deadlock", False)]), max_duration_ms=60_000)
        assert (scheduler.stop_on_deadlock, scheduler.max_duration_ms) == (False, 60_000)
        tx = PingTxOp(self, name="tx")
        tx.add_arg(count, increment=5)
        with pytest.raises(TypeError, match="`add_arg` of a PingTxOp takes no int"):
            tx.add_arg(5)
        self.add_flow(tx, PingRxOp(self, name="rx"))

    run(compose)
    assert lines(capsys) == ["Rx message value: 1", "Rx message value: 6"]


def test_parameters_are_properties():
    app = Application()
    available = MessageAvailableCondition(app, receiver="in", min_size=2)
    assert (available.receiver, available.min_size, available.front_stage_max_size) == ("in", 2, None)
    available.min_size = 3
    assert available.min_size == 3
    several = MultiMessageAvailableCondition(app, receivers=["a", "b"], min_sum=4)
    assert (several.receivers, several.min_sum, several.min_sizes) == (["a", "b"], 4, None)
    assert several.sampling_mode is several.SamplingMode.SUM_OF_ALL
    several.sampling_mode = several.SamplingMode.PER_RECEIVER
    assert several.sampling_mode is several.SamplingMode.PER_RECEIVER
    expiring = ExpiringMessageAvailableCondition(app, 5, 0.5)
    assert (expiring.max_batch_size, expiring.max_delay_ns()) == (5, 500_000_000)
    scheduler = EventBasedScheduler(app, worker_thread_number=3)
    assert (scheduler.worker_thread_number, scheduler.max_duration_ms, scheduler.pin_cores) == (3, -1, [])
    pool = BlockMemoryPool(app, 2, 64, 4)
    assert (pool.storage_type.name, pool.block_size, pool.num_blocks) == ("SYSTEM", 64, 4)


@pytest.mark.parametrize("is_parameter", [False, True])
def test_allocators_give_memory(is_parameter):
    class Allocates(Operator):
        def setup(self, spec):
            if is_parameter:
                spec.param("memory")

        def compute(self, op_input, op_output, context):
            memory = self.memory if is_parameter else self.resource("pool")
            first = memory.allocate(64)
            assert memory.is_available(64)
            second = memory.allocate(64)
            assert first != second and not memory.is_available(64)
            memory.free(first)
            assert memory.is_available(64)
            with pytest.raises(ValueError, match="is no address that `pool` gave"):
                memory.free(first)
            memory.free(second)

    def compose(self):
        self.pool = BlockMemoryPool(self, 2, 64, 2, name="pool")
        self.add_operator(Allocates(self, CountCondition(self, 1), memory=self.pool, name="op"))
        with pytest.raises(RuntimeError, match="`pool` exists while"):
            self.pool.allocate(64)

    run(compose)


def test_programs_move_synthetic_clocks():
    times = []
    with pytest.raises(RuntimeError, match="the clock exists while the application runs"):
        SyntheticClock(Application()).advance_by(5)

    class Moves(Operator):
        def compute(self, op_input, op_output, context):
            clock = self.fragment.scheduler().clock
            clock.advance_by(10)
            clock.advance_to(clock.timestamp() + 5)
            times.append(clock.timestamp())

    run(
        lambda self: self.add_operator(Moves(self, CountCondition(self, 2), name="op")),
        lambda app: GreedyScheduler(app, clock=SyntheticClock(app, initial_timestamp=100)),
    )
    assert times == [115, 130]


def test_metadata_dictionaries_join():
    one, two = core.MetadataDictionary({"a": 1}), core.MetadataDictionary({"a": 2, "b": 3})
    one.insert(two)
    assert one == {"a": 1, "b": 3}
    one.policy = MetadataPolicy.UPDATE
    one.swap(two)
    assert (one, two) == ({"a": 2, "b": 3}, {"a": 1, "b": 3})
    assert (one.policy, two.policy) == (MetadataPolicy.RAISE, MetadataPolicy.UPDATE)


def test_data_loggers_have_modules():
    from holoscan.data_loggers.async_console_logger import AsyncConsoleLogger
    from holoscan.data_loggers.basic_console_logger import (
        BasicConsoleLogger,
        GXFConsoleLogger,
        SimpleTextSerializer,
    )

    package = importlib.import_module("holoscan.data_loggers")
    for found in (AsyncConsoleLogger, BasicConsoleLogger, GXFConsoleLogger, SimpleTextSerializer):
        assert found is getattr(package, found.__name__)


@pytest.mark.parametrize("option", [["--config", "FILE"], ["--config=FILE"]])
def test_the_command_line_names_the_configuration(tmp_path, monkeypatch, option):
    chosen, other = tmp_path / "chosen.yaml", tmp_path / "other.yaml"
    chosen.write_text("tx: {step: 7}\n")
    other.write_text("tx: {step: 9}\n")
    app = Application(["python3", "app.py", *(text.replace("FILE", str(chosen)) for text in option)])
    assert app.options.config_path == str(chosen)
    assert app.kwargs("tx") == {"step": 7}
    app.config(str(other))
    assert app.kwargs("tx") == {"step": 7}
    monkeypatch.setenv("HOLOSCAN_CONFIG_PATH", str(other))
    app.config(str(other))
    assert app.kwargs("tx") == {"step": 7}
    assert Application(["python3", "app.py"]).kwargs("tx") == {"step": 9}


def test_options_of_the_command_line(capsys):
    from holoscan.core import CLIOptions

    texts = ["--driver", "--worker", "--address", "host:1", "--worker-address", "[::1]:2", "--fragments", "a, b"]
    options = Application(["python3", "app.py", *texts, "--own"]).options
    assert vars(options) == {
        "run_driver": True,
        "run_worker": True,
        "driver_address": "host:1",
        "worker_address": "[::1]:2",
        "worker_targets": ["a", "b"],
        "config_path": "",
    }
    own = Application(["python3", "app.py", "--address", "of the program"]).options
    assert vars(own) == vars(CLIOptions())
    options.print()
    assert "worker_targets: a,b" in capsys.readouterr().out


class TakesTwo(Operator):
    declares = staticmethod(lambda spec: None)

    def setup(self, spec):
        spec.input("in1")
        spec.input("in2")
        self.declares(spec)


MULTIPLE = core.ConditionType.MULTI_MESSAGE_AVAILABLE


@pytest.mark.parametrize(
    "declares, conditions, text",
    [
        (
            lambda spec: spec.multi_port_condition(MULTIPLE, port_names=["in1", "in_2"], min_sum=1),
            (),
            "the operator `rx` has no input `in_2`; its inputs: in1, in2",
        ),
        (
            lambda spec: spec.or_combine_port_conditions(("in1", "in_2")),
            (),
            "the operator `rx` has no port `in_2`; its ports: in1, in2",
        ),
        (lambda spec: spec.or_combine_port_conditions("in1"), (), r"a list, and not the text `in1`; write \['in1'\]"),
        (lambda spec: spec.multi_port_condition(MULTIPLE, "in1"), (), "names of ports are a list"),
        (
            lambda spec: None,
            (lambda app: MultiMessageAvailableCondition(app, receivers=["in1", "in_2"], min_sum=1),),
            "the operator `rx` has no input `in_2`; its inputs: in1, in2",
        ),
        (
            lambda spec: None,
            (lambda app: MultiMessageAvailableCondition(app, receivers="in1", min_sum=1),),
            "names of ports are a list",
        ),
        (lambda spec: spec.input("a/b"), (), "`a/b` is no name of a port"),
    ],
)
def test_ports_of_conditions_exist(declares, conditions, text):
    kind = type("Takes", (TakesTwo,), {"declares": staticmethod(declares)})

    def compose(self):
        rx = kind(self, *(make(self) for make in conditions), name="rx")
        for port in ("in1", "in2"):
            self.add_flow(Sends(self, CountCondition(self, 1), name=f"tx_{port}"), rx, {("out", port)})

    with pytest.raises((RuntimeError, TypeError), match=text):
        run(compose)


@pytest.mark.parametrize("is_tracked", [False, True])
def test_a_message_is_sent_as_often_as_wanted(capsys, is_tracked):
    class Packs(Operator):
        message = None

        def setup(self, spec):
            spec.output("out1")
            spec.output("out2")

        def compute(self, op_input, op_output, context):
            if self.message is None:
                self.message = holoscan_gxf.Entity(context)
                self.message.add(np.arange(3)[::-1], "a")
                self.message.add({"width": 3}, "settings")
            self.metadata["count"] = self.metadata.get("count", 0) + 1
            for port in ("out1", "out2"):
                op_output.emit(self.message, port)

    class Unpacks(Prints):
        def compute(self, op_input, op_output, context):
            received = op_input.receive("in")
            print(received["a"].numpy(), received["settings"], dict(self.metadata))

    def compose(self):
        tx = Packs(self, CountCondition(self, 2), name="tx")
        for port in ("out1", "out2"):
            self.add_flow(tx, Unpacks(self, name=f"rx_{port}"), {(port, "in")})

    app = type("App", (Application,), {"compose": compose})()
    if is_tracked:
        app.track()
    app.run()
    assert lines(capsys) == ["[2 1 0] {'width': 3} {'count': 1}"] * 4


def test_operators_may_have_names_of_the_engine(capsys):
    names = ("_scheduler", "_connections", "_thread_pool_p", "_connections_", "__x", "operator __x")

    def compose(self):
        pool = self.make_thread_pool("p", 1)
        source = Sends(self, CountCondition(self, 1), name="a/b")
        for name in names:
            operator = Prints(self, name=name)
            pool.add(operator, True)
            self.add_flow(source, operator)

    run(compose, lambda app: EventBasedScheduler(app, worker_thread_number=1))
    assert sorted(lines(capsys)) == sorted(f"{name} 1" for name in names)


def test_operators_are_made_of_functions_that_return():
    async def later():
        return 1

    async def more():
        yield 1

    for function in (later, more):
        with pytest.raises(TypeError, match=f"no operator of an `async def`, such as `{function.__name__}`"):
            create_op(function, outputs="out")


def test_memory_is_as_large_as_wanted():
    assert resources._shape_of(5) == [5] and resources._shape_of(2**31 - 1) == [2**31 - 1]
    assert resources._shape_of(2**31 + 1) == [2**19 + 1, 4096]


def test_names_are_positional_where_the_sdk_has_them_so():
    app = Application()
    for made in (
        CountCondition(app, 10, "n"),
        BooleanCondition(app, True, "n"),
        AsynchronousCondition(app, "n"),
        PeriodicCondition(app, 10, PeriodicConditionPolicy.MIN_TIME_BETWEEN_TICKS, "n"),
        resources.UnboundedAllocator(app, "n"),
        resources.BlockMemoryPool(app, 0, 8, 1, 0, "n"),
        resources.RealtimeClock(app, 0.0, 1.0, False, "n"),
        resources.ManualClock(app, 0, "n"),
    ):
        assert made.name == "n"
    for policy in ("MinTimeBetweenTicks", "MIN_TIME_BETWEEN_TICKS"):
        assert PeriodicCondition(app, 10, policy)._parameters["policy"] == "MinTimeBetweenTicks"
    with pytest.raises(TypeError, match="is a PeriodicConditionPolicy, and not 'n'; a name is the argument behind it"):
        PeriodicCondition(app, 10, "n")
    with pytest.raises(TypeError, match="is a PeriodicConditionPolicy, and not 1$"):
        PeriodicCondition(app, 10, 1)


def test_durations_and_counts_are_numbers():
    app = Application()
    for duration in (np.float32(0.5), 0.5, 500_000_000, np.int64(500_000_000), Arg("period", 0.5)):
        assert PeriodicCondition(app, duration).recess_period_ns() == 500_000_000
    for duration in (True, np.True_, "10", None):
        with pytest.raises(TypeError, match="a duration is nanoseconds, seconds as a float, or a timedelta, and not"):
            PeriodicCondition(app, duration)
    assert CountCondition(app, Arg("count", np.int32(3))).count == 3
    for count in (True, 2.5, "3"):
        with pytest.raises(TypeError, match="a count is an integer, and not"):
            CountCondition(app, count)
    with pytest.raises(TypeError, match="a RealtimeClock, a ManualClock or a SyntheticClock .*, and no int$"):
        GreedyScheduler(app, clock=5)


def test_tensors_say_where_they_are():
    tensor = core.Tensor.as_tensor(np.zeros((2, 3), np.float32))
    assert isinstance(tensor.device, core.DLDevice)
    assert tensor.device.device_type == core.DLDeviceType.DLCPU
    assert (tensor.device.device_type, tensor.device.device_id) == tensor.__dlpack_device__() == (1, 0)
    assert repr(tensor.device) == "<gxe.DLDevice: type 1, id 0>"
    assert tensor.is_contiguous()
    assert not core.Tensor.as_tensor(np.zeros((2, 3), np.float32).T).is_contiguous()


def test_metadata_has_types():
    metadata = core.MetadataDictionary({"a": 1, "b": "text"})
    assert [metadata.type(key) for key in "ab"] == [int, str]
    with pytest.raises(KeyError):
        metadata.type("c")
