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


def test_a_capsule_says_whether_the_tensor_is_a_copy():
    import ctypes

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]

    def flags(**keywords):
        capsule = tensor.__dlpack__(max_version=(1, 0), **keywords)
        # Behind the version, the context and the deleter.
        return ctypes.c_uint64.from_address(pointer(capsule, b"dltensor_versioned") + 24).value

    tensor = gxe.zeros([2])
    assert [flags(), flags(copy=False), flags(copy=True)] == [0, 0, 2]
    # Not by DLPack, whose form in NumPy before 2.1 knows nothing of read-only memory.
    tensor = gxe.as_tensor(np.frombuffer(bytes(4), np.uint8))
    assert [flags(), flags(copy=True)] == [1, 2]


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


def test_buffers_without_strides():
    try:
        memoryview(gxe.zeros(1))
    except TypeError:
        pytest.skip("this wheel is for Python 3.9 and 3.10, which have no buffers in the stable ABI")
    tensor = gxe.as_tensor((ctypes.c_int * 3)(1, 2, 3))
    assert (tensor.dtype, tensor.strides) == ("int32", (4,)) and tensor.numpy().tolist() == [1, 2, 3]
    tensor = gxe.as_tensor((ctypes.c_double * 2 * 3)((1, 2), (3, 4), (5, 6)))
    assert tensor.strides == (16, 8) and tensor.numpy().tolist() == [[1, 2], [3, 4], [5, 6]]
    assert gxe.as_tensor(ctypes.c_short(7)).numpy().tolist() == [7]


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


def test_arrays_that_run_backwards_are_copied_when_they_are_sent():
    frame = np.arange(12, dtype="uint8").reshape(2, 2, 3)
    for value in (frame[:, :, ::-1], frame[::-1], {"image": frame[::-1, ::-1]}):
        found = []
        chain(lambda n: value, found.append, 1)
        got, expected = (found[0]["image"], value["image"]) if isinstance(value, dict) else (found[0], value)
        assert np.array_equal(got.numpy(), expected)
    with pytest.raises(gxe.GxfError, match="a stride of -6 elements; copy first"):
        gxe.as_tensor(frame[::-1])


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.array(["a", "b"]),
        lambda: np.array(["2026-01-01"], "M8[D]"),
        lambda: np.array([1, "x"], object),
        lambda: np.zeros(2, [("a", "i4")]),
        lambda: np.array([1, 2], ">i4"),
        lambda: np.array([1, 2], "g"),
        lambda: np.zeros((1,) * 9),
        lambda: np.ma.array([1, 2, 3], mask=[0, 1, 0]),
        lambda: {"names": np.array(["a"])},
    ],
)
def test_other_arrays_travel_as_objects(make):
    value = make()
    found = []
    chain(lambda n: value, found.append, 1)
    assert found[0] is value


def test_what_a_tensor_of_an_array_is():
    flags, number = np.array([True, False]), np.array(3.5)
    tensor = gxe.as_tensor(flags)
    assert tensor.dtype == "uint8" and np.shares_memory(tensor.numpy(), flags)
    assert gxe.as_tensor(number).shape == (1,)
    with pytest.raises(TypeError, match="a tensor has no mask"):
        gxe.as_tensor(np.ma.array([1, 2], mask=[0, 1]))


def test_shapes_and_types_of_new_tensors():
    for dtype in ("float64", float, np.float64, np.dtype("float64"), "<f8"):
        assert gxe.zeros((2, 3), dtype).dtype == gxe.shared((2, 3), dtype).dtype == "float64"
    assert gxe.zeros(3).shape == gxe.shared(3).shape == (3,)
    with pytest.raises(ValueError, match="up to 2147483647 elements, not 1099511627776"):
        gxe.zeros((2**40,))
    with pytest.raises(TypeError, match="`>f4` is not one of"):
        gxe.zeros(2, np.dtype(">f4"))


def test_a_scalar_is_one_element():
    for tensor in (gxe.zeros(()), gxe.shared(()), gxe.as_tensor(np.float32(0))):
        assert tensor.shape == (1,) and tensor.numpy().tolist() == tensor.copy().numpy().tolist() == [0]
        assert tensor.tobytes() == bytes(4) and np.from_dlpack(tensor).tolist() == [0]


@pytest.mark.parametrize("strides", [(), (4, 4)])
def test_an_array_has_as_many_strides_as_dimensions(strides):
    numbers = np.arange(6, dtype="int32")

    class Strange:
        __array_interface__ = {**numbers.__array_interface__, "strides": strides}

    with pytest.raises(ValueError, match=f"as many strides as dimensions, and not {len(strides)} for 1"):
        gxe.as_tensor(Strange())


def test_parameters_of_numpy_and_complex_numbers(test_extension):
    graph = gxe.Graph()
    graph.load_extension(test_extension)
    component = graph.entity("entity").add("nvidia::gxf::test::TestGxfParameterSetFromYamlNode", "all")
    for key, value, expected in (
        ("double", np.float64(1.5), 1.5),
        ("double", np.float32(1.5), 1.5),
        ("string", np.str_("text"), "text"),
        ("vector_double", [np.float64(1.5)], [1.5]),
        ("vector_double", np.linspace(0, 1, 3), [0, 0.5, 1]),
        ("vector_int32", np.array([1]), [1]),
        ("complex64", 1 - 2j, 1 - 2j),
        ("complex128", np.complex128(-1e-30 + 2j), -1e-30 + 2j),
    ):
        component[key] = value
        assert component[key] == expected
        component[key] = component[key]


def test_the_text_of_a_message_names_its_payloads():
    messages = []

    class Source(gxe.Codelet):
        out = gxe.Output(condition=False)

        def tick(self):
            message = self.out.new_message()
            message.add_tensor(np.zeros(2), "values")
            message.add_object(1)
            messages.append(repr(message))

    graph = gxe.Graph()
    graph.add(Source, gxe.Count(1))
    graph.run()
    assert messages == ["<gxe.Message {values: nvidia::gxf::Tensor, nvidia::gxf::PyData}>"]


def through_message(fill, read):
    """What `read` finds in a message that another codelet filled."""
    found = []

    @gxe.codelet
    def source(context):
        message = context.new_message()
        fill(message)
        return message

    @gxe.codelet
    def sink(message) -> None:
        found.append(read(message))

    graph = gxe.Graph()
    graph.load_extension("libgxf_multimedia.so")
    graph.connect(graph.add(source, gxe.Count(1)), graph.add(sink))
    graph.run()
    return found[0]


def test_video_frames_are_not_copied():
    image = np.arange(2 * 5 * 3, dtype="uint8").reshape(2, 5, 3)
    gray = np.arange(12, dtype="uint16").reshape(3, 4)[:, :3]

    def fill(message):
        message.add_video(image, "RGB", name="color")
        message.add_video(gray, "GRAY16", name="gray")
        message.add_video(image[:, :, ::-1], "BGR", name="copied")

    message = through_message(fill, lambda message: message)
    frame = message.video("color")
    assert (frame.format, frame.width, frame.height) == ("RGB", 5, 2)
    assert repr(frame) == "<gxe.VideoFrame: RGB of 5 x 2 pixels>"
    view = frame.planes["RGB"].numpy()
    assert np.array_equal(view, image) and np.shares_memory(view, image) and not view.flags.writeable
    assert message.video().format == "RGB"
    view = message.video("gray").planes["gray"].numpy()
    assert np.array_equal(view, gray) and np.shares_memory(view, gray)
    assert np.array_equal(message.video("copied").planes["BGR"].numpy(), image[:, :, ::-1])
    kept = message.video("color").planes["RGB"]
    del message, frame
    gc.collect()
    assert np.array_equal(kept.numpy(), image)


def test_frames_need_an_extension(run_python):
    ended = run_python(
        """
import gxe

@gxe.codelet
def source(context) -> None:
    context.new_message().add_video(gxe.zeros((1, 1, 3), "uint8"), "RGB")

graph = gxe.Graph()
graph.add(source, gxe.Count(1))
try:
    graph.run()
except gxe.GxfError as error:
    print(error.__cause__)
"""
    )
    assert 'need an extension: `graph.load_extension("libgxf_multimedia.so")`' in ended.stdout, ended.stderr


def test_planes_become_a_frame():
    bright, color = np.arange(15, dtype="uint8").reshape(3, 5), np.arange(12, dtype="uint8").reshape(2, 3, 2)
    frame = through_message(lambda m: m.add_video([bright, color], "NV12"), lambda m: m.video())
    assert (frame.format, frame.width, frame.height, list(frame.planes)) == ("NV12", 5, 3, ["Y", "UV"])
    assert np.array_equal(frame.planes["Y"].numpy(), bright)
    assert np.array_equal(frame.planes["UV"].numpy(), color)


@pytest.mark.parametrize(
    ["image", "format", "text"],
    [
        (np.zeros((2, 2), "uint8"), "NV12", "made of a list of its planes Y, UV"),
        ([np.zeros((2, 2), "uint8")], "NV12", "1 planes for a NV12 frame, which has 2"),
        ([np.zeros((2, 2), "uint8")] * 2, "NV12", r"the plane UV of this NV12 frame has the shape \[1, 1, 2\]"),
        (np.zeros((2, 2, 4), "uint8"), "RGB", "does not hold a frame of the format RGB"),
        (np.zeros((2, 2, 3), "uint16"), "RGB", "does not hold a frame"),
        (np.zeros(2, "uint8"), "GRAY", "does not hold a frame"),
        (np.zeros((2, 2, 3), "uint8"), "rgb", "`rgb` is no video format; those are YUV420, "),
    ],
)
def test_what_is_no_frame(image, format, text):
    with pytest.raises(gxe.GxfError, match=text):
        through_message(lambda m: m.add_video(image, format), lambda m: m.video())


def test_audio_is_not_copied():
    sound = np.arange(8, dtype="float32").reshape(4, 2)
    mono = np.arange(6, dtype="int16")

    def fill(message):
        message.add_audio(sound, 48000, name="stereo")
        message.add_audio(sound.T.copy(), 44100, interleaved=False, name="planar")
        message.add_audio(mono[::2], 8000, name="mono")

    message = through_message(fill, lambda message: message)
    found = message.audio("stereo")
    assert (found.format, found.interleaved, found.channels, found.samples) == ("F32LE", True, 2, 4)
    assert found.sampling_rate == 48000
    assert np.array_equal(found.data.numpy(), sound) and np.shares_memory(found.data.numpy(), sound)
    planar = message.audio("planar")
    assert (planar.interleaved, planar.channels, planar.samples) == (False, 2, 4)
    assert np.array_equal(planar.data.numpy(), sound.T)
    found = message.audio("mono")
    assert found.format == "S16LE" and found.data.numpy().tolist() == [[0], [2], [4]]
    assert [kind for _, kind, _ in message.payloads()][:1] == ["nvidia::gxf::AudioBuffer"]
    with pytest.raises(gxe.GxfError, match="samples are int16 or float32, and not float64"):
        through_message(lambda m: m.add_audio(np.zeros(2), 1), lambda m: m.audio())
