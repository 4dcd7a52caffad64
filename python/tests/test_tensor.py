import array
import ctypes
import gc
import hashlib
import random
import sys
import weakref

import gxe
import pytest

np = pytest.importorskip("numpy")


def test_numpy_views_share_memory():
    tensor = gxe.zeros([2, 3], "float64")
    view = tensor.numpy()
    assert view is tensor.numpy()
    view[1, 2] = 5
    assert np.from_dlpack(tensor)[1, 2] == 5
    assert np.asarray(tensor)[1, 2] == 5
    assert tensor.shape == (2, 3) and tensor.strides == (24, 8) and tensor.dtype == "float64"


@pytest.mark.parametrize(
    "dtype",
    "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split(),
)
def test_every_type_both_ways(dtype):
    source = np.arange(12).astype(dtype).reshape(3, 4)
    tensor = gxe.as_tensor(source)
    assert tensor.dtype == dtype
    for back in (tensor.numpy(), np.asarray(tensor), np.from_dlpack(tensor)):
        assert np.array_equal(back, source)
        assert np.shares_memory(back, source)


def test_strided_and_read_only_arrays():
    source = np.arange(24).reshape(4, 6)[:, ::2]
    tensor = gxe.as_tensor(source)
    assert np.array_equal(tensor.numpy(), source) and np.shares_memory(tensor.numpy(), source)
    fixed = np.arange(3)
    fixed.setflags(write=False)
    tensor = gxe.as_tensor(fixed)
    assert tensor.readonly and not tensor.numpy().flags.writeable
    with pytest.raises(BufferError):
        tensor.__dlpack__()
    copy = tensor.copy()
    copy.numpy()[0] = 9
    assert fixed[0] == 0 and tensor.tobytes() == fixed.tobytes()


def test_what_is_no_array():
    with pytest.raises(TypeError, match="neither `__dlpack__` nor"):
        gxe.as_tensor({"a": 1})
    with pytest.raises((BufferError, gxe.GxfError)):
        gxe.as_tensor(np.arange(3)[::-1])
    with pytest.raises(TypeError, match="is not one of"):
        gxe.zeros([1], "float128")
    with pytest.raises(gxe.GxfError):
        gxe.zeros([-1])


def test_a_capsule_is_taken_once():
    capsule = gxe.zeros([2]).__dlpack__(max_version=(1, 0))

    class Once:
        def __dlpack__(self, **keywords):
            return capsule

    gxe.from_dlpack(Once())
    with pytest.raises(BufferError, match="was taken"):
        gxe.from_dlpack(Once())


has_buffers = hasattr(gxe.Tensor, "__buffer__") or sys.version_info >= (3, 11)


def test_buffers():
    tensor = gxe.zeros([2, 2], "int32")
    try:
        view = memoryview(tensor)
    except TypeError:
        pytest.skip("this wheel is for Python 3.9 and 3.10, which have no buffers in the stable ABI")
    view[1, 1] = 7
    assert tensor.numpy()[1, 1] == 7 and view.format == "i" and view.shape == (2, 2)
    source = array.array("d", [1, 2, 3])
    shared = gxe.as_tensor(source)
    source[0] = 5
    assert shared.numpy()[0] == 5
    with pytest.raises(BufferError):
        source.append(4)
    del shared
    gc.collect()
    source.append(4)


class Request(ctypes.Structure):
    """A `Py_buffer`, to ask for one with any flags."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("buf", "obj")),
        *((name, ctypes.c_ssize_t) for name in ("len", "itemsize")),
        *((name, ctypes.c_int) for name in ("readonly", "ndim")),
        *((name, ctypes.c_void_p) for name in ("format", "shape", "strides", "suboffsets", "internal")),
    ]

    def granted(self, tensor, flags):
        """Whether a tensor grants it."""
        try:
            ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(tensor), ctypes.byref(self), flags)
        except BufferError:
            return False
        ctypes.pythonapi.PyBuffer_Release(ctypes.byref(self))
        return True


# As in Python's header: nothing, a shape, strides, and by rows, by columns, or either without gaps.
SIMPLE, ND, STRIDES, BY_ROWS, BY_COLUMNS, EITHER = 0, 0x8, 0x18, 0x38, 0x58, 0x98


def test_buffers_have_strides():
    numbers = np.arange(12, dtype=np.int32).reshape(3, 4)
    try:
        memoryview(gxe.as_tensor(numbers))
    except TypeError:
        pytest.skip("this wheel is for Python 3.9 and 3.10, which have no buffers in the stable ABI")
    expected = {
        "by rows": (numbers, {SIMPLE, ND, STRIDES, BY_ROWS, EITHER}),
        "by columns": (numbers.T, {STRIDES, BY_COLUMNS, EITHER}),
        "with gaps": (numbers[:, ::2], {STRIDES}),
    }
    for name, (source, wanted) in expected.items():
        tensor = gxe.as_tensor(source)
        view = memoryview(tensor)
        assert view.strides == source.strides and view.tolist() == source.tolist(), name
        assert bytes(tensor) == source.tobytes(), name
        flags = (SIMPLE, ND, STRIDES, BY_ROWS, BY_COLUMNS, EITHER)
        assert {each for each in flags if Request().granted(tensor, each)} == wanted, name
    with pytest.raises(BufferError, match="side by side"):
        hashlib.sha256(gxe.as_tensor(numbers.T))
    assert hashlib.sha256(gxe.as_tensor(numbers)).digest() == hashlib.sha256(numbers.tobytes()).digest()


def test_memory_lives_as_long_as_its_users():
    freed = []

    class Kept(np.ndarray):
        pass

    source = np.arange(8).view(Kept)
    weakref.finalize(source, freed.append, True)
    tensor = gxe.as_tensor(source)
    del source
    gc.collect()
    view = tensor.numpy()
    del tensor
    gc.collect()
    assert view.sum() == 28 and not freed
    del view
    gc.collect()
    assert freed


def chain(send, receive, count):
    @gxe.codelet
    def source(context):
        return send(context.count)

    @gxe.codelet
    def sink(value) -> None:
        receive(value)

    graph = gxe.Graph()
    graph.connect(graph.add(source, gxe.Count(count)), graph.add(sink))
    graph.run()


def test_tensors_in_messages_are_not_copied():
    sent = np.arange(4.0)
    found = []
    chain(lambda n: sent, found.append, 1)
    assert isinstance(found[0], gxe.Tensor) and found[0].readonly
    assert np.shares_memory(found[0].numpy(), sent)
    found.clear()
    chain(lambda n: {"a": sent, "b": sent}, found.append, 1)
    assert sorted(found[0]) == ["a", "b"]


def test_messages():
    seen = []

    class Sends(gxe.Codelet):
        out = gxe.Output()

        def tick(self):
            message = self.out.new_message()
            message.add_number(3, "int32", "number")
            message.add_object("text", "object")
            message.add_tensor(np.ones(2), "tensor")
            message.set_timestamp(5, 6)
            self.out.publish(message)

    @gxe.codelet
    def sink(message) -> None:
        seen.append((message.number("number"), message.object("object"), message.acqtime))
        seen.append([name for name, _, _ in message.payloads()])
        assert message.tensor("tensor").numpy().sum() == 2
        with pytest.raises(gxe.GxfError, match="no payload `none`"):
            message.tensor("none")
        with pytest.raises(KeyError):
            message.number("none")

    graph = gxe.Graph()
    graph.connect(graph.add(Sends(), gxe.Count(1)), graph.add(sink))
    graph.run()
    assert seen[0] == (3, "text", 5)
    assert seen[1] == ["number", "object", "tensor", "timestamp"]


def memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


class Payload:
    pass


@pytest.mark.parametrize(
    "send", [lambda n: Payload(), lambda n: np.zeros(256), lambda n: {"a": np.zeros(256)}, lambda n: n]
)
def test_a_million_messages_leak_nothing(send):
    count = 250_000  # four kinds, a million together
    chain(send, lambda value: None, 20_000)
    gc.collect()
    before = memory()
    chain(send, lambda value: None, count)
    gc.collect()
    # A leak of one object of 16 bytes a message would be 4 MB.
    assert memory() - before < 3_000_000


def test_exceptions_leak_nothing():
    def fail(value):
        raise ValueError(value)

    def attempt():
        with pytest.raises(gxe.GxfError):
            chain(lambda n: np.zeros(1000), fail, 1)

    # Python without the interpreter's lock collects later, and takes more memory at first.
    for _ in range(6):
        before = memory()
        for _ in range(500):
            attempt()
        gc.collect()
        # A leak of the arrays alone would be 4 MB each time.
        grown = memory() - before
        if grown < 3_000_000:
            break
    assert grown < 3_000_000


def test_lifetimes_under_random_collection():
    random.seed(2026)
    kept = []
    # NumPy before 2.1 takes no read-only tensors by DLPack.
    versioned = tuple(map(int, np.__version__.split(".")[:2])) >= (2, 1)
    by_dlpack = np.from_dlpack if versioned else np.asarray

    def receive(value):
        kept.append(random.choice((value, value.numpy(), by_dlpack(value), value.numpy()[1:])))
        if len(kept) > 50:
            del kept[random.randrange(len(kept))]
        if random.random() < 0.01:
            gc.collect()

    def send(n):
        return np.full(16, n) if n % 2 else gxe.as_tensor(np.full(16, n))

    chain(send, receive, 3000)
    for value in kept:
        array_of = np.asarray(value)
        assert (array_of == array_of[0]).all()


VARIABLE = """
name: model
components:
- {name: weights, type: gxe::Variable, parameters: {size: 24}}
- {name: other, type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 2, block_size: 8, num_blocks: 1}}
"""


def test_a_variable_has_the_memory_of_an_array():
    graph = gxe.Graph().loads(VARIABLE)
    weights = graph["model"]["weights"]
    with pytest.raises(gxe.GxfError, match="the memory has 16 bytes, and the variable 24"):
        weights.bind(np.zeros(2))
    with pytest.raises(ValueError, match="gaps"):
        weights.bind(np.zeros(6)[::2])
    with pytest.raises(gxe.GxfError, match="no gxe::Variable"):
        graph["model"]["other"].read()
    values = np.array([1.0, 2.0, 3.0])
    users = sys.getrefcount(values)
    weights.bind(values)
    values[2] = 5
    assert np.frombuffer(weights.read()).tolist() == [1, 2, 5]
    # An active graph uses it, too, and it stays the program's.
    graph.activate()
    values[0] = 7
    assert np.frombuffer(weights.read()).tolist() == [7, 2, 5]
    graph.deactivate()
    weights.bind(np.zeros(3))
    gc.collect()
    assert sys.getrefcount(values) == users
    assert weights.read() == bytes(24)


def test_a_variable_is_zero_at_first():
    graph = gxe.Graph().loads(VARIABLE)
    with pytest.raises(gxe.GxfError):
        graph["model"]["weights"].read()
    graph.activate()
    assert graph["model"]["weights"].read() == bytes(24)
    graph.deactivate()
