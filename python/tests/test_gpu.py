"""Tensors on a GPU with PyTorch and CuPy, on the real driver: `GXE_TEST_GPU=1`, as the stage `python` of `gpu.sh`."""

import os
import time

import gxe
import pytest

if "GXE_TEST_GPU" not in os.environ:
    pytest.skip("GXE_TEST_GPU=1 runs the tests that need a GPU", allow_module_level=True)
np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("PyTorch finds no GPU", allow_module_level=True)

COUNT = 40
# A few milliseconds of the device: what does not wait for the kernel behind it is seen.
DELAY = 10_000_000
SCHEDULERS = {
    "greedy": gxe.Greedy,
    "multi_thread": lambda: gxe.MultiThread(3),
    "event_based": lambda: gxe.EventBased(3),
}


def late(value):
    """A tensor of a stream of its own, whose kernels are not done when this returns."""
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(DELAY)
        return gxe.as_tensor(torch.full((256, 512), float(value), device="cuda"))


def doubled_by_torch(tensor):
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(DELAY)
        return gxe.as_tensor(torch.from_dlpack(tensor) * 2)


def doubled_by_cupy(tensor):
    import cupy

    with cupy.cuda.Stream(non_blocking=True):
        return gxe.as_tensor(cupy.from_dlpack(tensor) * cupy.float32(2))


def to_host(graph):
    """An entity that copies tensors to the host."""
    memory = graph.entity("memory").add("nvidia::gxf::UnboundedAllocator", "memory")
    return graph.add("nvidia::gxf::TensorCopier", allocator=memory, mode=1)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("doubled", [doubled_by_torch, doubled_by_cupy])
def test_tensors_stay_on_the_device_until_they_are_copied(doubled, scheduler):
    if doubled is doubled_by_cupy:
        pytest.importorskip("cupy")

    @gxe.codelet
    def source(context):
        return late(context.count)

    got, kept = [], []

    @gxe.codelet
    def stage(tensor):
        assert tensor.storage == "device", tensor
        # Until its work with the tensor is done.
        kept.append(tensor)
        return doubled(tensor)

    @gxe.codelet
    def sink(tensor) -> None:
        array = tensor.numpy()
        got.append((array.min(), array.max()))

    graph = gxe.Graph(scheduler=SCHEDULERS[scheduler]())
    graph.connect(graph.add(source, gxe.Count(COUNT)), graph.add(stage), to_host(graph), graph.add(sink))
    graph.run()
    assert got == [(2.0 * each, 2.0 * each) for each in range(1, COUNT + 1)]


def pictures(scheduler, count, *stages):
    """A graph of extensions that makes pictures of (20, 40, 60) on the device."""
    graph = gxe.Graph(scheduler=scheduler)
    for library in ("libgxf_cuda.so", "libgxf_npp.so"):
        graph.load_extension(library)
    pool = graph.entity("device").add("nvidia::gxf::StreamOrderedAllocator", "device")
    picture = dict(rows=64, columns=128, channels=3, value=[10.0, 20.0, 30.0], pool=pool)
    source = graph.add("nvidia::gxf::NppiSet", gxe.Count(count), **picture)
    product = graph.add("nvidia::gxf::NppiMulC", factor=[2.0, 2.0, 2.0], pool=pool)
    graph.connect(source, product, *(stage(graph) for stage in stages))
    return graph


def test_torch_reads_what_kernels_of_the_graph_wrote():
    got = []

    @gxe.codelet
    def sink(tensors) -> None:
        (tensor,) = tensors.values()
        got.append(torch.from_dlpack(tensor).float().mean(dim=(0, 1)).tolist())

    pictures(gxe.EventBased(2), COUNT, lambda graph: graph.add(sink)).run()
    assert got == [[20.0, 40.0, 60.0]] * COUNT


def test_a_capture_of_torch_stays_valid_beside_the_graph():
    got, done = [], False

    @gxe.codelet
    def sink(tensors) -> None:
        (tensor,) = tensors.values()
        got.append(tensor.numpy()[3, 4].tolist())
        if done:
            graph.interrupt()

    graph = pictures(gxe.EventBased(3), 10_000_000, to_host, lambda graph: graph.add(sink))
    run = graph.run_async()
    held, deadline = torch.zeros(1024, device="cuda"), time.monotonic() + 60
    for count in range(1, 21):
        # Of the mode that forbids all threads what would invalidate the capture.
        captured, before = torch.cuda.CUDAGraph(), len(got)
        with torch.cuda.graph(captured, capture_error_mode="global"):
            held += 1
            while len(got) < before + 20:
                assert time.monotonic() < deadline
                time.sleep(0.001)
        captured.replay()
        assert held.sum().item() == 1024 * count
    done = True
    run.wait()
    assert got == [[20.0, 40.0, 60.0]] * len(got)


def test_torch_uses_a_stream_of_a_pool():
    from gxf.core import Entity, Graph
    from gxf.cuda import CudaStreamPool
    from gxf.python_codelet import CodeletAdapter, PyCodeletV0
    from gxf.std import CountSchedulingTerm, GreedyScheduler, ManualClock, set_clock, set_scheduler

    got = []

    class Adds(CodeletAdapter):
        def tick(self):
            pool = CudaStreamPool.get(self.context(), self.cid(), "pool")
            cid, address = pool.allocate_stream()
            stream = torch.cuda.ExternalStream(address)
            with torch.cuda.stream(stream):
                torch.cuda._sleep(DELAY)
                total = torch.arange(1000, device="cuda").sum()
            stream.synchronize()
            got.append(total.item())
            pool.release_stream(cid)

    graph = Graph("g")
    graph.load_extensions()
    entity = graph.add(Entity("e"))
    entity.add(CudaStreamPool("pool"))
    entity.add(CountSchedulingTerm("count", count=3))
    entity.add(PyCodeletV0("codelet", Adds))
    set_scheduler(graph, GreedyScheduler("scheduler", clock=set_clock(graph, ManualClock("clock"))))
    graph.run()
    graph.destroy()
    assert got == [499_500] * 3
