"""Several threads in Python at the same time: with the interpreter's lock they take turns, on
free-threaded Python they do not."""

import gc
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import gxe
import pytest

FREE_THREADED = not getattr(sys, "_is_gil_enabled", lambda: True)()


def at_once(number, call):
    """Calls `call(index)` in threads that begin together; returns the results in order."""
    gate = threading.Barrier(number)

    def work(index):
        gate.wait()
        return call(index)

    with ThreadPoolExecutor(number) as threads:
        return list(threads.map(work, range(number)))


@pytest.mark.skipif(not FREE_THREADED, reason="this Python has an interpreter's lock, or was told to use it")
def test_no_module_brings_the_lock_back():
    pytest.importorskip("numpy")
    modules = "gxe, gxe.holoscan, gxe.as_holoscan, holoscan.core, holoscan.operators, gxf.core, gxf.std"
    program = f"import {modules}, sys; print(sys._is_gil_enabled())"
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, timeout=60
    )
    assert (ended.stdout, ended.returncode) == ("False\n", 0), ended.stderr


@pytest.mark.skipif(not FREE_THREADED, reason="this Python has an interpreter's lock, or was told to use it")
@pytest.mark.parametrize("scheduler", [gxe.MultiThread, gxe.EventBased])
def test_codelets_run_at_the_same_time(run_python, scheduler):
    """Each codelet computes until the other one has begun. No thread that waits lets another go on."""
    ended = run_python(
        f"""
import gxe

begun = [False, False]

def computing(own):
    @gxe.codelet
    def compute(context) -> None:
        begun[own] = True
        tries = 0
        while not begun[1 - own]:
            tries += 1
            if tries > 1_000_000_000:
                raise TimeoutError("the other codelet has not begun")
    return compute

graph = gxe.Graph(scheduler=gxe.{scheduler.__name__}(2))
for own in (0, 1):
    graph.add(computing(own), gxe.Count(1), name=f"compute_{{own}}")
graph.run()
print(begun)
"""
    )
    assert (ended.stdout, ended.returncode) == ("[True, True]\n", 0), ended.stderr


def test_graphs_of_many_threads():
    """Functions, classes, generators and coroutines of graphs that are built and run at once."""
    shared = gxe.zeros([16], "int64")

    def build_and_run(index):
        found = []

        @gxe.codelet
        def numbers(start=0):
            for number in range(start, start + 100):
                yield number

        @gxe.codelet
        async def double(value):
            return value * 2

        class Wrap(gxe.Codelet):
            signal, out = gxe.Input(), gxe.Output()

            def tick(self):
                message = self.out.new_message()
                message.add_object([self.signal.receive(), shared], "object")
                self.out.publish(message)

        @gxe.codelet
        def keep(message) -> None:
            found.append(message.object("object")[0])

        schedulers = (gxe.Greedy(), gxe.MultiThread(2), gxe.EventBased(2))
        graph = gxe.Graph(scheduler=schedulers[index % 3])
        graph.connect(
            graph.add(numbers(start=1000 * index), name="numbers"),
            graph.add(double, name="double"),
            graph.add(Wrap(), name="wrap"),
            graph.add(keep, name="keep"),
        )
        graph.run()
        return found

    for index, found in enumerate(at_once(6, build_and_run)):
        assert found == [2 * number for number in range(1000 * index, 1000 * index + 100)]
    gc.collect()


def test_one_array_however_many_threads_ask():
    np = pytest.importorskip("numpy")
    for _ in range(200):
        tensor = gxe.zeros([4])
        arrays = at_once(4, lambda _index, tensor=tensor: tensor.numpy())
        assert all(array is arrays[0] for array in arrays)
        assert isinstance(arrays[0], np.ndarray)


def test_threads_fill_one_message():
    """Names, numbers, objects and tensors that several threads add to one message are all there."""
    seen = []

    class Sends(gxe.Codelet):
        out = gxe.Output()

        def tick(self):
            message = self.out.new_message()

            def fill(index):
                for number in range(25):
                    name = f"{index}_{number}"
                    message.add_number(number, "int64", f"number_{name}")
                    message.add_object(name, f"object_{name}")
                    message.add_tensor(gxe.zeros([2]), f"tensor_{name}")
                    assert message.number(f"number_{name}") == number
                    assert message.object(f"object_{name}") == name

            at_once(4, fill)
            # A tensor holds its message, which nobody can change then.
            shapes = at_once(4, lambda index: message.tensor(f"tensor_{index}_24").shape)
            assert shapes == [(2,)] * 4
            self.out.publish(message)

    @gxe.codelet
    def keep(message) -> None:
        seen.extend(sorted(name for name, _, _ in message.payloads() if "_" in name))

    graph = gxe.Graph()
    graph.connect(graph.add(Sends(), gxe.Count(1)), graph.add(keep))
    graph.run()
    names = [f"{index}_{number}" for index in range(4) for number in range(25)]
    assert seen == sorted(f"{kind}_{name}" for kind in ("number", "object", "tensor") for name in names)


def test_what_threads_receive_from_one_message():
    """The receivers of one message convert it at once: a tensor, and an object that is collected."""
    np = pytest.importorskip("numpy")

    class Thing:
        def __init__(self, number):
            self.itself, self.number = self, number

    sums = [0] * 4

    @gxe.codelet(outputs=("things", "arrays"))
    def source(context):
        return Thing(context.count), np.full(8, context.count)

    def adding(index):
        @gxe.codelet
        def add(value) -> None:
            sums[index] += value.number if isinstance(value, Thing) else int(value.numpy()[-1])

        return add

    graph = gxe.Graph(scheduler=gxe.EventBased(4))
    node = graph.add(source, gxe.Count(500))
    for index in range(4):
        output = node["things" if index % 2 else "arrays"]
        graph.connect(output, graph.add(adding(index), name=f"add_{index}"))
    graph.run()
    assert sums == [500 * 501 // 2] * 4


def test_one_file_for_many_graphs(tmp_path):
    """Graphs that load a codelet file at once have their codelets; nobody sees half a module."""
    file = tmp_path / "slow_to_load.py"
    file.write_text(
        "import time\ntime.sleep(0.05)\nclass Says:\n    def tick(self):\n        print(end='')\n"
    )
    text = f"""
name: says
components:
- {{name: codelet, type: nvidia::gxf::PyCodeletV0, parameters: {{codelet_name: Says, codelet_file: "{file}"}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 3}}}}
"""

    def load_and_run(_index):
        graph = gxe.Graph(scheduler=gxe.Greedy()).loads(text)
        graph.run()
        return graph.ticks["says"]

    assert at_once(6, load_and_run) == [3] * 6


def test_late_results_of_coroutines_are_no_errors(run_python):
    """A graph that ends while calls of `async def` end on the loop's thread."""
    ended = run_python(
        """
import asyncio, gxe

@gxe.codelet
async def late(value):
    await asyncio.sleep(0.0001 * (value % 7))
    return value

@gxe.codelet
def source(context):
    return context.count

@gxe.codelet
def end(value) -> None:
    pass

for number in range(100):
    graph = gxe.Graph(scheduler=gxe.EventBased(2))
    graph.connect(graph.add(source, gxe.Count(1 + number % 20)), graph.add(late), graph.add(end))
    run = graph.run_async()
    if number % 2:
        run.interrupt()
    run.wait()
print("ended")
""",
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "ended\n", "")
