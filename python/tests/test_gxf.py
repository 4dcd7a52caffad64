import gc
import logging
import os
import shutil
import subprocess
import sys
import sysconfig

import pytest

pytest.importorskip("numpy")
core = pytest.importorskip("gxf.core")

import numpy as np  # noqa: E402
from gxf.core import Component, Entity, EntityGroup, Graph, MessageEntity  # noqa: E402
from gxf.python_codelet import (  # noqa: E402
    CodeletAdapter,
    PyCodeletV0,
    PyComputeEntity,
    PyData,
)
import gxf.core  # noqa: E402
from gxf.cuda import CudaStreamId  # noqa: E402
from gxf.multimedia import VideoBuffer  # noqa: E402
from gxf.sample import Components as sample  # noqa: E402
from gxf.std import (  # noqa: E402
    Allocator,
    Clock,
    ComputeEntity,
    Receiver,
    StandardGraph,
    Tensor,
    Timestamp,
    Transmitter,
    connect,
    scheduling_terms_pybind,
    set_clock,
    set_scheduler,
    tensor_pybind,
    vault_pybind,
)
from gxf.std import Components as std  # noqa: E402

received = []


class PyPingTx(CodeletAdapter):
    def start(self):
        self.params = self.get_params()
        self.tx = Transmitter.get(self.context(), self.cid(), "tx")

    def tick(self):
        message = MessageEntity(self.context())
        PyData.add_to_entity(message, {"count": self.get_execution_count(), **self.params})
        Timestamp.add_to_entity(message, 7, 8, "stamp")
        self.tx.publish(message, 5)


class PyPingRx(CodeletAdapter):
    def start(self):
        self.rx = Receiver.get(self.context(), self.cid(), "rx")

    def tick(self):
        message = self.rx.receive()
        assert Timestamp.get_from_entity(message, "stamp") == (7, 8)
        received.append(PyData.get_from_entity(message))
        assert not self.rx.receive()


class TensorTx(CodeletAdapter):
    def start(self):
        self.allocator = tensor_pybind  # any attribute survives until stop
        self.tx = Transmitter.get(self.context(), self.cid(), "tx")

    def tick(self):
        message = MessageEntity(self.context())
        Tensor.add_to_entity(message, Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)), "a")
        self.tx.publish(message)


class TensorRx(CodeletAdapter):
    def tick(self):
        message = self.rx.receive()
        tensor = Tensor.get_from_entity(message, "a")
        received.append(np.array(tensor).sum())
        assert tensor.shape() == [2, 3]


def test_functions_fail_by_name():
    context = core.context_create()
    assert isinstance(context, int)
    with pytest.raises(ValueError, match="^GXF_CONTEXT_INVALID$"):
        core.graph_interrupt(0)
    with pytest.raises(ValueError, match="^GXF_INVALID_EXECUTION_SEQUENCE$"):
        core.graph_interrupt(context)
    with pytest.raises(ValueError, match="^GXF_ENTITY_NOT_FOUND$"):
        core.entity_find(context, "none")
    with pytest.raises(ValueError, match="^GXF_FILE_NOT_FOUND$"):
        core.graph_load_file(context, "none.yaml")
    core.context_destroy(context)
    with pytest.raises(ValueError, match="^GXF_CONTEXT_INVALID$"):
        core.context_destroy(context)


def component(context, kind="DoubleBufferReceiver", name="rx"):
    eid = core.entity_create(context, core.gxf_entity_create_info(f"entity of {name}", 1))
    return core.component_add(context, eid, core.component_type_id(context, f"nvidia::gxf::{kind}"), name)


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda c, cid: core.gxf_set_severity(c, 77), "GXF_ARGUMENT_OUT_OF_RANGE"),
        (lambda c, cid: MessageEntity(0), "GXF_CONTEXT_INVALID"),
        (lambda c, cid: core.parameter_set_uint64(c, cid, "capacity", "x"), "GXF_PARAMETER_INVALID_TYPE"),
        (lambda c, cid: core.parameter_set_int32(c, cid, "capacity", None), "GXF_PARAMETER_INVALID_TYPE"),
        (lambda c, cid: core.parameter_set_int64(c, cid, "capacity", 1.5), "GXF_PARAMETER_INVALID_TYPE"),
        (lambda c, cid: core.parameter_set_float64(c, cid, "capacity", "1"), "GXF_PARAMETER_INVALID_TYPE"),
        (lambda c, cid: core.parameter_set_str(c, cid, "capacity", 3), "GXF_PARAMETER_INVALID_TYPE"),
        (lambda c, cid: core.parameter_set_path(c, cid, "capacity", 3), "GXF_PARAMETER_INVALID_TYPE"),
        (lambda c, cid: core.parameter_set_1d_int32_vector(c, cid, "capacity", None, 0), "GXF_PARAMETER_INVALID_TYPE"),
        (lambda c, cid: core.parameter_set_1d_int64_vector(c, cid, "capacity", ["x"], 1), "GXF_PARAMETER_INVALID_TYPE"),
        (lambda c, cid: core.parameter_set_2d_float64_vector(c, cid, "capacity", [1], 1, 1), "GXF_PARAMETER_INVALID_TYPE"),
        (lambda c, cid: core.parameter_get_str(c, cid, "capacity"), "GXF_PARAMETER_INVALID_TYPE"),
        (lambda c, cid: core.parameter_get_bool(c, cid, "capacity"), "GXF_PARAMETER_INVALID_TYPE"),
        (lambda c, cid: core.parameter_get_int64(c, cid, "capacity"), "GXF_PARAMETER_INVALID_TYPE"),
        (lambda c, cid: core.parameter_get_1d_uint64_vector(c, cid, "capacity"), "GXF_PARAMETER_INVALID_TYPE"),
        (lambda c, cid: core.parameter_set_bool(c, cid, "capacity", True), "GXF_PARAMETER_INVALID_TYPE"),
        (lambda c, cid: core.parameter_set_str(c, cid, "capacity", "3"), "GXF_PARAMETER_INVALID_TYPE"),
        (lambda c, cid: core.parameter_set_int32(c, cid, "capacity", 3), "GXF_PARAMETER_INVALID_TYPE"),
        (lambda c, cid: core.parameter_set_1d_uint64_vector(c, cid, "capacity", [3], 1), "GXF_PARAMETER_INVALID_TYPE"),
        (lambda c, cid: gxf.core.parameter_get(c, 9999, "", "capacity"), "GXF_ENTITY_COMPONENT_NOT_FOUND"),
        (lambda c, cid: gxf.core.parameter_set(c, 9999, "", "capacity", 1), "GXF_ENTITY_COMPONENT_NOT_FOUND"),
        (lambda c, cid: Tensor(np.arange(3)[::-1]), "GXF_INVALID_DATA_FORMAT"),
        (lambda c, cid: Tensor.as_tensor(np.zeros((1,) * 9)), "GXF_INVALID_DATA_FORMAT"),
        (lambda c, cid: scheduling_terms_pybind.AsynchronousSchedulingTerm.get(c, cid, "none"), "GXF_.*NOT_FOUND"),
    ],
)
def test_every_failure_is_a_value_error_by_name(call, text):
    context = core.context_create()
    with pytest.raises(ValueError, match=f"^{text}$"):
        call(context, component(context))
    core.context_destroy(context)


def test_states_and_shapes_fail_by_name():
    context = core.context_create()
    term = component(context, "AsynchronousSchedulingTerm", "term")
    event = scheduling_terms_pybind.AsynchronousSchedulingTerm.get(context, term, "term")
    with pytest.raises(ValueError, match="^GXF_INVALID_ENUM$"):
        event.set_event_state(99)
    host, kind = tensor_pybind.MemoryStorageType.kHost, tensor_pybind.PrimitiveType.kInt8
    for shape in ([2, -1], [1] * 9):
        with pytest.raises(ValueError, match="^GXF_ARGUMENT_OUT_OF_RANGE$"):
            Tensor().reshape_custom(tensor_pybind.Shape(shape), kind, 1, [0], host, None)
    sender = Transmitter.get(context, component(context, "DoubleBufferTransmitter", "tx"), "tx")
    with pytest.raises(TypeError, match="publish takes a MessageEntity, and got a NoneType"):
        sender.publish(None)
    core.context_destroy(context)


def test_handles_lead_to_components_of_graphs():
    def built(**parameters):
        graph = Graph("g")
        entity = graph.add(Entity("e"))
        entity.add(std.MultiMessageAvailableSchedulingTerm("term", **parameters))
        graph._build()

    loose = std.DoubleBufferReceiver("loose")
    text = "the parameter `receivers` of e/term names /loose, which is in no graph"
    for receivers in (loose, [loose]):
        with pytest.raises(ValueError, match=text):
            built(receivers=receivers)
    with pytest.raises(ValueError, match="the parameter `receivers` of e/term has a str among components"):
        built(receivers=["x", loose])
    with pytest.raises(ValueError, match="^GXF_PARAMETER_PARSER_ERROR$"):
        built(min_size="many")


def test_entities_and_parameters_by_id():
    context = core.context_create()
    eid = core.entity_create(context, core.gxf_entity_create_info("one", 1))
    assert core.entity_find(context, "one") == eid
    assert core.entity_get_name(context, eid) == "one"
    assert core.entity_get_status(context, eid) == 0
    tid = core.component_type_id(context, "nvidia::gxf::DoubleBufferReceiver")
    assert core.component_type_name(context, tid) == "nvidia::gxf::DoubleBufferReceiver"
    cid = core.component_add(context, eid, tid, "rx")
    assert core.component_find(context, eid, tid, component_name="rx") == [cid]
    assert core.component_find(context, eid, component_name="none") == []
    core.parameter_set_uint64(context, cid, "capacity", 3)
    assert core.parameter_get_uint64(context, cid, "capacity") == 3
    info = core.get_param_info(context, "nvidia::gxf::DoubleBufferReceiver", "capacity")
    assert info["gxf_parameter_type"] == "GXF_PARAMETER_TYPE_UINT64"
    (extension, *_) = core.get_extension_list(context)
    assert core.get_extension_info(context, extension)["name"]
    assert tid in core.get_component_list(context, extension)
    assert core.tid_null().hash1 == 0
    core.context_destroy(context)


@pytest.mark.parametrize(
    "key, given, wanted",
    [
        ("vector_int32", "[1, 2]", [1, 2]),
        ("vector_string", ["a", "b: c", 'd"e\n'], ["a", "b: c", 'd"e\n']),
        ("vector_double", (np.float64(1.5), 2), [1.5, 2.0]),
        ("string", "[x", "[x"),
        ("bool", "true", True),
        ("double", np.float64(0.1), 0.1),
        ("int8", np.int8(3), 3),
        ("uint64", 2**64 - 1, 2**64 - 1),
        ("complex64", 1 - 2j, 1 - 2j),
        ("vector_int64", np.array([1, 2]), [1, 2]),
    ],
)
def test_values_of_parameters(key, given, wanted, test_extension):
    graph = Graph("g")
    graph.load_extensions(extension_filenames=[test_extension])
    entity = graph.add(Entity("e"))
    comp = entity.add(Component("nvidia::gxf::test::TestGxfParameterSetFromYamlNode", "c", **{key: given}))
    graph._build()
    assert gxf.core.parameter_get(graph.context, comp.cid, "", key) == wanted
    graph.destroy()


def test_names_of_types():
    assert core.get_gxf_primitive_type(np.dtype("int8")).endswith("::kInt8")
    assert core.get_gxf_primitive_type(np.dtype("uint16")).endswith("::kUInt16")
    assert core.get_gxf_primitive_type(np.complex64).endswith("::kCustom")


def standard():
    graph = Graph("test")
    graph.load_extensions()
    clock = set_clock(graph, std.ManualClock("clock"))
    set_scheduler(graph, std.GreedyScheduler("scheduler", clock=clock, max_duration_ms=10000))
    return graph


def ping(graph, tx, rx, **params):
    sender = graph.add(ComputeEntity("tx_entity", count=3))
    queue = sender.add(std.DoubleBufferTransmitter("tx", capacity=1))
    sender.add(std.DownstreamReceptiveSchedulingTerm("room", transmitter=queue, min_size=1))
    sender.add(PyCodeletV0("codelet", tx, **params))
    receiver = graph.add(Entity("rx_entity"))
    target = receiver.add(std.DoubleBufferReceiver("rx", capacity=1))
    receiver.add(std.MessageAvailableSchedulingTerm("mast", receiver=target, min_size=1))
    receiver.add(PyCodeletV0("codelet", rx))
    connect(sender.tx, receiver.rx)
    return sender, receiver


def test_a_graph_with_python_codelets():
    received.clear()
    graph = standard()
    sender, receiver = ping(graph, PyPingTx, PyPingRx, word="hello")
    graph.run()
    assert received == [{"count": n, "word": "hello"} for n in (1, 2, 3)]
    # The sender's term ended it; the receiver waits.
    assert [core.entity_get_status(graph.context, entity.eid) for entity in (sender, receiver)] == [0, 5]
    assert repr(receiver.rx) == "rx_entity/rx"
    graph.destroy()


def test_python_compute_entities_bind_queues():
    received.clear()
    graph = standard()
    sender = graph.add(ComputeEntity("source", count=2))
    queue = sender.add(std.DoubleBufferTransmitter("tx"))
    sender.add(std.DownstreamReceptiveSchedulingTerm("room", transmitter=queue, min_size=1))
    sender.add(PyCodeletV0("codelet", TensorTx))
    sink = graph.add(PyComputeEntity("sink", count=2))
    sink.add_codelet("codelet", TensorRx(), rxs=["rx"])
    connect(sender.tx, sink.rx)
    graph.run()
    assert received == [15.0, 15.0]
    graph.destroy()


def test_ports_that_codelets_name():
    class Tx(CodeletAdapter):
        def __init__(self):
            super().__init__()
            self.txs = ["out"]

        def tick(self):
            message = MessageEntity(self.context())
            PyData.add_to_entity(message, self.txs)
            self.out.publish(message)

    class Rx(CodeletAdapter):
        def __init__(self):
            self.rxs.append("input")

        def tick(self):
            received.append(PyData.get_from_entity(self.input.receive()))

    received.clear()
    graph = standard()
    tx, rx = graph.add(PyComputeEntity("tx", count=1)), graph.add(PyComputeEntity("rx", count=1))
    tx.add_codelet("codelet", Tx())
    rx.add_codelet("codelet", Rx())
    connect(tx.out, rx.input)
    graph.run()
    graph.destroy()
    assert received == [["out"]]


def test_a_standard_graph_of_native_codelets():
    sample = pytest.importorskip("gxf.sample.Components")
    graph = StandardGraph("ping")
    graph.load_extensions()
    tx = graph.add(ComputeEntity("tx", count=5))
    tx.add_codelet(sample.PingTx("ping"))
    rx = graph.add(ComputeEntity("rx"))
    rx.add_codelet(sample.PingRx("ping"))
    graph.connect(tx.signal, rx.signal)
    graph.run_async()
    graph.wait()
    graph.destroy()


def test_a_failure_is_logged_and_ends_the_program(caplog):
    class Fails(CodeletAdapter):
        def tick(self):
            raise RuntimeError("broken")

    graph = standard()
    entity = graph.add(Entity("faulty"))
    entity.add(PyCodeletV0("codelet", Fails))
    with caplog.at_level(logging.INFO, logger="Core"), pytest.raises(SystemExit):
        graph.run()
    text = caplog.text
    assert "==== GXF Python Exception Handler ====" in text
    assert "Caught exception in run: ValueError: GXF_FAILURE" in text
    assert "==== Exception Handler Backtrace ====" in text


def test_nodes():
    graph = Graph("outer")
    inner = graph.add(Graph("inner"))
    assert graph.inner is inner and inner.is_subgraph and inner.parent is graph
    entity = inner.add(Entity("e"))
    assert entity.qualified_name == "inner-e"
    with pytest.raises(RuntimeError):
        graph.add(Graph())
    with pytest.raises(RuntimeError):
        graph.add(42)
    comp = entity.add(std.DoubleBufferReceiver("rx"))
    inner.make_visible("port", comp)
    assert inner.get("port") is comp
    with pytest.raises(RuntimeError):
        inner.make_visible("port", comp)
    with pytest.raises(ValueError):
        inner.update_alias("none", comp)
    with pytest.raises(ValueError):
        comp.set_param("none", 1)
    loose = Entity("loose")
    with pytest.raises(RuntimeError):
        _ = loose.eid
    with pytest.raises(AssertionError):
        connect(Component("nvidia::gxf::DoubleBufferTransmitter", "a"), comp)
    with pytest.raises(RuntimeError):
        graph.set_severity(12345)
    group = EntityGroup("group")
    assert group.add(entity) is entity


def test_tensors():
    array = np.arange(6, dtype=np.int16).reshape(2, 3)
    tensor = Tensor(array)
    assert np.array_equal(np.from_dlpack(tensor), array)
    assert tensor.element_type() == tensor_pybind.PrimitiveType.kInt16
    description = tensor.get_tensor_description()
    assert description.strides == [6, 2] and description.shape.size() == 6
    plain = tensor_pybind.TensorDescription(
        "t", tensor_pybind.MemoryStorageType.kHost, tensor_pybind.Shape([2, 3]),
        tensor_pybind.PrimitiveType.kFloat32, 4,
    )
    assert plain.strides == [0, 0]
    with pytest.raises(ValueError, match="Tensor.as_tensor"):
        Tensor([1, 2])
    (_, size, kind, rank, dims, strides) = tensor.get_tensor_info()
    assert (size, kind, rank, dims, strides) == (12, "int16", 2, [2, 3], [6, 2])


def test_reshaped_tensors_have_strides():
    system, int16 = tensor_pybind.MemoryStorageType.kSystem, tensor_pybind.PrimitiveType.kInt16
    tensor, shape = Tensor(), tensor_pybind.Shape([2, 2])
    tensor.reshape_custom(shape, int16, 2, [8, 2], system, None)
    assert tensor.get_tensor_info()[5] == [8, 2]
    np.asarray(tensor)[:] = 7
    described = tensor_pybind.TensorDescription("t", system, shape, int16, 2, [2, 6])
    tensor.reshape(described, None)
    assert tensor.get_tensor_description().strides == [2, 6]
    described.strides = [0, 0]
    tensor.reshape(described, None)
    assert tensor.get_tensor_description().strides == [4, 2]
    custom = tensor_pybind.PrimitiveType.kCustom
    tensor.reshape_custom(tensor_pybind.Shape([4]), custom, 12, [12], system, None)
    assert tensor.get_tensor_info() == (None, 48, "custom", 1, [4], [12])
    for size, strides in ((12, [12, 12]), (0, [12]), (12, [-12])):
        with pytest.raises(ValueError, match="^GXF_ARGUMENT_"):
            tensor.reshape_custom(tensor_pybind.Shape([4]), custom, size, strides, system, None)


def test_vaults():
    graph = standard()
    sender = graph.add(ComputeEntity("source", count=2))
    queue = sender.add(std.DoubleBufferTransmitter("tx"))
    sender.add(std.DownstreamReceptiveSchedulingTerm("room", transmitter=queue, min_size=1))
    sender.add(PyCodeletV0("codelet", TensorTx))
    sink = graph.add(Entity("vault"))
    target = sink.add(std.DoubleBufferReceiver("rx"))
    sink.add(std.MessageAvailableSchedulingTerm("mast", receiver=target, min_size=1))
    vault = sink.add(std.Vault("vault", source=target, max_waiting_count=5, drop_waiting=False))
    connect(sender.tx, sink.rx)
    graph.run_async()
    eids = vault_pybind.store_blocking(graph.context, vault.cid, 2)
    assert len(eids) == 2
    tensor = tensor_pybind.get_from_entity_context(graph.context, eids[0], "a")
    assert tensor.shape[0] == 2
    vault_pybind.free(graph.context, vault.cid, eids)
    assert vault_pybind.store_blocking_for(graph.context, vault.cid, 1, 1_000_000) == []
    graph.wait()
    graph.destroy()


def test_a_vault_keeps_the_messages_of_a_call_that_gets_too_few():
    graph = standard()
    sender = graph.add(ComputeEntity("source", count=3))
    queue = sender.add(std.DoubleBufferTransmitter("tx"))
    sender.add(std.DownstreamReceptiveSchedulingTerm("room", transmitter=queue, min_size=1))
    sender.add(PyCodeletV0("codelet", TensorTx))
    sink = graph.add(Entity("vault"))
    target = sink.add(std.DoubleBufferReceiver("rx"))
    sink.add(std.MessageAvailableSchedulingTerm("mast", receiver=target, min_size=1))
    vault = sink.add(std.Vault("vault", source=target, max_waiting_count=5, drop_waiting=False))
    connect(sender.tx, sink.rx)
    graph.run_async()
    first = vault_pybind.store_blocking(graph.context, vault.cid, 1)
    assert vault_pybind.store_blocking_for(graph.context, vault.cid, 3, 300_000_000) == []
    second = vault_pybind.store_blocking_for(graph.context, vault.cid, 1, 0)
    third = vault_pybind.store_blocking_for(graph.context, vault.cid, 1, 0)
    assert len({*first, *second, *third}) == 3
    vault_pybind.free(graph.context, vault.cid, first + second + third)
    assert vault_pybind.store_blocking_for(graph.context, vault.cid, 4, 1_000_000) == []
    graph.wait()
    graph.destroy()
    assert not vault_pybind._waiting


def test_video_frames_are_copies():
    context = core.context_create()
    cid = component(context, "UnboundedAllocator", "memory")
    core.graph_activate(context)
    memory = Allocator.get(context, cid, "memory")
    frame = VideoBuffer(np.zeros((4, 6, 3), np.uint8), memory, tensor_pybind.MemoryStorageType.kSystem)
    assert frame.get_info()[1:] == (72, "uint8", [4, 6, 3], [18, 3, 1])
    core.graph_deactivate(context)
    core.context_destroy(context)


def test_messages_name_streams():
    context = core.context_create()
    message = MessageEntity(context)
    with pytest.raises(ValueError, match="^GXF_ENTITY_COMPONENT_NOT_FOUND$"):
        CudaStreamId.get_from_entity(message)
    CudaStreamId.add_to_entity(message, "stream").stream_cid = 7
    assert CudaStreamId.get_from_entity(message, "stream").stream_cid == 7
    del message
    core.context_destroy(context)


def test_pools_of_streams(run_python, tmp_path):
    import gxe

    library = (gxe._life.LIBRARIES / "libgxf_cuda.so").resolve().parent / "libcuda_stand_in.so"
    if not library.exists():
        pytest.skip("there is no CUDA driver for tests")
    shutil.copy(library, tmp_path / "libcuda.so.1")
    ended = run_python(
        """
from gxf.core import Entity, Graph
from gxf.cuda import CudaStreamPool
from gxf.python_codelet import CodeletAdapter, PyCodeletV0
from gxf.std import CountSchedulingTerm, GreedyScheduler, ManualClock, set_clock, set_scheduler

class Takes(CodeletAdapter):
    def tick(self):
        pool = CudaStreamPool.get(self.context(), self.cid(), "pool")
        one, other = pool.allocate_stream(), pool.allocate_stream()
        print(all((*one, *other)), one[0] != other[0], one[1] != other[1])
        for cid, _ in (one, other):
            pool.release_stream(cid)

graph = Graph("g")
graph.load_extensions()
entity = graph.add(Entity("e"))
entity.add(CudaStreamPool("pool"))
entity.add(CountSchedulingTerm("count", count=1))
entity.add(PyCodeletV0("codelet", Takes))
set_scheduler(graph, GreedyScheduler("scheduler", clock=set_clock(graph, ManualClock("clock"))))
graph.run()
graph.destroy()
""",
        environment={"LD_LIBRARY_PATH": str(tmp_path), "CUDA_STAND_IN_REPORT": str(tmp_path / "report")},
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.split() == ["True"] * 3


def test_graphs_describe_types():
    graph = Graph("g")
    extension = graph.get_extension_list()[0]
    assert graph.get_extension_info(extension)["name"] == "StandardExtension"
    types = {graph.get_component_info(kind)["type_name"]: kind for kind in graph.get_component_list(extension)}
    count = types["nvidia::gxf::CountSchedulingTerm"]
    assert graph.get_param_list(count) == ["count"]
    assert graph.get_param_info(count, "count")["gxf_parameter_type"] == "GXF_PARAMETER_TYPE_INT64"
    graph.destroy()


def test_clocks_by_name():
    times = []

    class Times(CodeletAdapter):
        def start(self):
            self.clock = Clock.get(self.context(), self.cid(), "_clock/clock")

        def tick(self):
            times.append(self.clock.timestamp())

    graph = standard()
    entity = graph.add(ComputeEntity("timed", count=2, recess_period="1ms"))
    entity.add(PyCodeletV0("codelet", Times))
    graph.run()
    assert len(times) == 2 and times[1] - times[0] == 1_000_000
    graph.destroy()


def test_importing_needs_no_gpu():
    import gxf.cuda  # noqa: F401
    import gxf.ipc.grpc  # noqa: F401
    import gxf.ipc.http  # noqa: F401
    import gxf.multimedia  # noqa: F401
    import gxf.network  # noqa: F401
    import gxf.serialization  # noqa: F401
    import gxf.ucx  # noqa: F401


def test_everything_is_in_the_package_itself(run_python):
    found = {}
    exec("from gxf.std import *", found)
    assert {"RealtimeClock", "GreedyScheduler", "Tensor", "Transmitter", "connect"} <= set(found)
    # By the name of the module, too.
    ended = run_python("import gxf.std as std\nassert std.vault_pybind.store_blocking is std.store_blocking")
    assert ended.returncode == 0, ended.stderr
    # A component in a script, and the term of a running graph in a codelet.
    term = found["CountSchedulingTerm"]
    assert term("cst", count=3).params == {"count": 3}
    context = core.context_create()
    entity = core.entity_create(context, core.gxf_entity_create_info("one", 1))
    cid = core.component_add(context, entity, core.component_type_id(context, term.gxf_native_type), "cst")
    assert type(term.get(context, cid, "cst")).__name__ == "CountSchedulingTerm"
    core.context_destroy(context)


CODELETS = """
from gxf.core import Graph
from gxf.python_codelet import CodeletAdapter, PyCodeletV0
from gxf.sample import PingTx
from gxf.std import *
from gxf.std import GreedyScheduler, StandardGraph, vault_pybind
from gxf.std.Components import CountSchedulingTerm

class Says(CodeletAdapter):
    def tick(self):
        print("tick", self.get_execution_count(), self.get_params()["a"])
        try:
            PingTx("ping")
        except RuntimeError as error:
            print(error)
"""

APP = """
name: says
components:
- type: nvidia::gxf::CountSchedulingTerm
  parameters: {{count: 1}}
- type: nvidia::gxf::PyCodeletV0
  parameters: {{codelet_name: Says, codelet_file: {file}, codelet_params: {{a: 1}}}}
---
components:
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- type: nvidia::gxf::GreedyScheduler
  parameters: {{clock: clock}}
"""


def test_files_of_codelets_run_under_plain_gxe(tmp_path, program):
    import gxe

    if not program.exists():
        pytest.skip("the program gxe is not built")
    if not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        pytest.skip("this Python has no shared library")
    file, app, manifest = (tmp_path / name for name in ("codelets.py", "app.yaml", "manifest.yaml"))
    file.write_text(CODELETS)
    app.write_text(APP.format(file=file))
    manifest.write_text("extensions: [gxf/python_codelet/libgxf_python_codelet.so]\n")
    libraries = str(gxe._life.LIBRARIES)
    environment = {**os.environ, "GXE_PYTHON": sys.executable, "LD_LIBRARY_PATH": libraries}
    command = [str(program), "--app", str(app), "--manifest", str(manifest)]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert ended.returncode == 0, ended.stderr
    said = [line for line in ended.stdout.splitlines() if "INFO" not in line]
    assert said[0] == "tick 1 1"
    assert said[1].startswith("a PingTx cannot be made here: this process is gxe")


def test_a_component_keeps_its_codelet_class():
    def made():
        class Once(CodeletAdapter):
            def tick(self):
                received.append(type(self).__name__)

        return PyCodeletV0("codelet", codelet=Once)

    received.clear()
    graph = standard()
    entity = graph.add(ComputeEntity("one", count=1))
    entity.add(made())
    gc.collect()
    graph.run()
    assert received == ["Once"]


@pytest.mark.parametrize("crash", ["ctypes.string_at(0)", "os.abort()", "os.kill(os.getpid(), 11)"])
def test_a_fatal_signal_is_reported_and_ends_the_program(run_python, crash):
    ended = run_python(f"import ctypes, os\nfrom gxf.core import Graph\nGraph()\nGraph()\n{crash}\n")
    signal = "6 (SIGABRT)" if "abort" in crash else "11 (SIGSEGV)"
    lines = ended.stderr.splitlines()
    assert ended.returncode == 1 and lines[:3] == [
        "==== GXF Python Crash Handler ====",
        f"Caught signal {signal}",
        "==== Crash Handler Backtrace ====",
    ]
    assert 'program.py", line 5 in <module>' in ended.stderr


def test_any_value_is_the_text_of_a_text_parameter():
    graph = Graph("g")
    comp = graph.add(Entity("e")).add(Component("nvidia::gxf::JobStatistics", "c", json_file_path=5))
    graph._build()
    assert gxf.core.parameter_get(graph.context, comp.cid, "", "json_file_path") == "5"
    graph.destroy()


INNER = """
name: tx
components:
- {name: signal, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: ping, type: nvidia::gxf::PingTx, parameters: {signal: signal}}
- {name: ticks, type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 3}}
- {name: memory, type: nvidia::gxf::MemoryAvailableSchedulingTerm, parameters: {allocator: prerequisites/pool, min_bytes: 4}}
---
interfaces:
- {name: out, target: tx/signal}
- {name: number, target: tx/ticks}
"""


def with_subgraph(folder, **parameters):
    (folder / "inner.yaml").write_text(INNER)
    graph = standard()
    outer = graph.add(Entity("outer"))
    parameters.setdefault("prerequisites", {"pool": outer.add(std.UnboundedAllocator("pool"))})
    outer.add(std.UnboundedAllocator("other"))
    inner = graph.add(Entity("inner"))
    inner.add(std.Subgraph("subgraph", location=str(folder / "inner.yaml"), **parameters))
    receiver = graph.add(Entity("rx"))
    queue = receiver.add(std.DoubleBufferReceiver("signal"))
    receiver.add(std.MessageAvailableSchedulingTerm("mast", receiver=queue, min_size=1))
    receiver.add(sample.PingRx("ping", signal=queue))
    graph.add(Entity("link")).add(std.Connection("link", source="inner/out", target=queue))
    return graph


def inner_value(graph, name, key):
    eid = core.entity_find(graph.context, "inner.tx")
    (cid,) = core.component_find(graph.context, eid, component_name=name)
    return gxf.core.parameter_get(graph.context, cid, "", key)


@pytest.mark.parametrize(
    "target, key, value, wanted",
    [
        ("tx/ticks", "count", 5, 5),
        # An interface of the file, and the only component with a name.
        ("number", "count", "6", 6),
        ("memory", "min_bytes", 7, 7),
    ],
)
def test_subgraphs_are_loaded_and_overridden(tmp_path, target, key, value, wanted):
    graph = with_subgraph(tmp_path, override_params={target: {key: value}})
    graph.run()
    assert inner_value(graph, "memory" if target == "memory" else "ticks", key) == wanted
    graph.destroy()


def test_subgraphs_take_handles(tmp_path):
    graph = with_subgraph(tmp_path, prerequisites={"pool": "outer/pool"})
    subgraph = graph.inner.subgraph
    subgraph.set_param("override_params", {"tx/memory": {"allocator": graph.outer.other}})
    graph.save(tmp_path / "saved.yaml")
    assert inner_value(graph, "memory", "allocator") == graph.outer.other.cid
    # What is saved has the entities of the subgraph in its place.
    assert "name: inner.tx" in (tmp_path / "saved.yaml").read_text()
    assert "Subgraph" not in (tmp_path / "saved.yaml").read_text()
    graph.run()
    graph.destroy()


@pytest.mark.parametrize(
    "overrides, text",
    [
        ({"tx/none": {"count": 1}}, "^GXF_ENTITY_COMPONENT_NOT_FOUND$"),
        ({"none": {"count": 1}}, "^GXF_ENTITY_COMPONENT_NOT_FOUND$"),
        ({"none/ticks": {"count": 1}}, "^GXF_ENTITY_NOT_FOUND$"),
        ({"tx/ticks": {"cuont": 1}}, "Invalid parameter `cuont` for component tx/ticks of inner/subgraph"),
        ({"tx/ticks": {"count": "x"}}, "^GXF_PARAMETER_PARSER_ERROR$"),
    ],
)
def test_mistakes_in_overrides_of_subgraphs(tmp_path, overrides, text):
    graph = with_subgraph(tmp_path, override_params=overrides)
    with pytest.raises(ValueError, match=text):
        graph._build()
    graph.destroy()


def test_a_graph_that_was_destroyed_is_built_again():
    received.clear()
    graph = standard()
    sender, _ = ping(graph, PyPingTx, PyPingRx, word="hello")
    graph.run()
    graph.destroy()
    sender.cst.set_param("count", 1)
    graph.load_extensions()
    graph.run()
    assert [message["count"] for message in received] == [1, 2, 3, 1]
    graph.destroy()


@pytest.mark.parametrize("storage", [0, 2])
def test_arrays_are_copied_into_the_memory_that_a_pool_has(storage):
    context = core.context_create()
    eid = core.entity_create(context, core.gxf_entity_create_info("pools", 1))
    pool = core.component_add(context, eid, core.component_type_id(context, "nvidia::gxf::BlockMemoryPool"), "pool")
    for key, value in (("storage_type", storage), ("block_size", 64), ("num_blocks", 1)):
        gxf.core.parameter_set(context, pool, "", key, value)
    core.entity_activate(context, eid)
    allocator = Allocator.get(context, pool, "pool")
    message = MessageEntity(context)
    Tensor.add_np_array_as_tensor_to_entity(message, "a", np.arange(6, dtype=np.float32).reshape(2, 3), allocator)
    tensor = Tensor.get_from_entity(message, "a")
    assert (int(tensor.storage_type()), np.array(tensor).sum()) == (storage, 15)
    with pytest.raises(ValueError, match="^GXF_"):
        Tensor.add_np_array_as_tensor_to_entity(message, "b", np.zeros(100), allocator)
    core.context_destroy(context)
