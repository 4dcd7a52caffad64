"""Codelets in processes of their own."""

import gc
import multiprocessing
import os
import signal

import pytest

np = pytest.importorskip("numpy")

import gxe  # noqa: E402


@gxe.codelet(process=True)
def where(number):
    return number, os.getpid()


@gxe.codelet(process=True)
def answer_with(tensor):
    """Answers with what it got and with an array of its own."""
    return {"same": tensor, "new": np.arange(6, dtype="int16").reshape(2, 3)}


@gxe.codelet(process=True)
def columns(array, factor=2):
    return {"every": np.asarray(array), "strided": (np.asarray(array) * factor)[:, ::2]}


@gxe.codelet(process=True)
def fails(number):
    raise ValueError(f"no {number}")


@gxe.codelet(process=True)
def leaves(number) -> None:
    os._exit(7)


@gxe.codelet(process=True)
def is_killed(number) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@gxe.codelet(process=True)
def holds(value):
    return [value["list"][0], type(value["array"]).__name__, value["array"].sum()]


@gxe.codelet(process=True)
def returns(value):
    return value


@gxe.codelet(process=True)
def difference(first, second):
    return first - second


def through(codelet, *values):
    """What a codelet answers to values."""
    got = []

    @gxe.codelet
    def send(context):
        return values[context.count - 1]

    @gxe.codelet
    def keep(value) -> None:
        got.append(value)

    graph = gxe.Graph()
    first = graph.add(send, gxe.Count(len(values)))
    node = graph.add(codelet)
    graph.connect(first, node)
    if "out" in codelet.outputs:
        graph.connect(node, graph.add(keep))
    graph.run()
    return got


def test_values_go_to_another_process_and_back():
    found = through(where, 1, 2, 3)
    assert [number for number, _ in found] == [1, 2, 3]
    assert len({process for _, process in found} | {os.getpid()}) == 2


def test_shared_tensors_are_not_copied():
    tensor = gxe.shared((2, 2), "float64")
    view = tensor.numpy()
    view[:] = 5
    (answer,) = through(answer_with, tensor)
    # The memory went there and came back.
    assert (answer["same"].numpy() == 5).all()
    view[0, 0] = 9
    assert answer["same"].numpy()[0, 0] == 9
    assert answer["new"].numpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    assert answer["new"].dtype == "int16"


def test_other_arrays_are_copied_into_shared_memory():
    source = np.arange(12, dtype="float32").reshape(3, 4)
    (answer,) = through(columns(factor=10), source.T)
    assert np.array_equal(answer["every"].numpy(), source.T)
    assert np.array_equal(answer["strided"].numpy(), (source.T * 10)[:, ::2])


def test_arrays_within_objects_stay_arrays():
    assert through(holds, {"list": ["x"], "array": np.ones(3)}) == [["x", "ndarray", 3.0]]


def test_arrays_that_no_tensor_can_be_stay_what_they_are():
    for value in (np.array(1.5), np.array([1, 2], "g"), np.array([True]), np.zeros((1,) * 9)):
        (got,) = through(returns, value)
        assert got.dtype == value.dtype and got.shape == value.shape and np.array_equal(got, value)


def test_a_value_for_the_first_argument():
    assert through(difference(first=10), 1, 2) == [9, 8]


def test_descriptors_and_processes_end():
    def count(messages):
        through(answer_with, *(gxe.zeros((4,), "float64") for _ in range(messages)))
        gc.collect()
        return len(os.listdir("/proc/self/fd"))

    before = count(1)
    assert count(50) <= before
    assert not multiprocessing.active_children()


def test_an_exception_of_the_process_is_the_cause():
    with pytest.raises(gxe.GxfError) as raised:
        through(fails, 4)
    cause = raised.value.__cause__
    assert isinstance(cause, ValueError)
    assert str(cause) == "no 4"
    assert "in fails" in str(cause.__cause__)


def test_the_end_of_the_process_is_an_error():
    with pytest.raises(gxe.GxfError) as raised:
        through(leaves, 1)
    assert str(raised.value.__cause__) == "the process of the codelet `leaves` ended with exit status 7"
    with pytest.raises(gxe.GxfError) as raised:
        through(is_killed, 4)
    text = f"the process of the codelet `is_killed` was ended by signal 9 ({signal.strsignal(9)})"
    assert str(raised.value.__cause__) == text


def test_what_has_no_process():
    with pytest.raises(TypeError, match="has to be a function of values"):

        @gxe.codelet(process=True)
        def sends():
            yield 1

    with pytest.raises(TypeError, match="is a class; process=True is for functions"):

        @gxe.codelet(process=True)
        class Sends(gxe.Codelet):
            pass

    @gxe.codelet(process=True)
    def local(number):
        return number

    with pytest.raises(gxe.GxfError) as raised:
        through(local, 1)
    assert "has to be at the top of a file" in str(raised.value.__cause__)


def test_a_program_without_a_guard_is_told(run_python):
    text = """
import gxe

@gxe.codelet
def count(context):
    return context.count

@gxe.codelet(process=True)
def double(number):
    return 2 * number

@gxe.codelet
def show(number) -> None:
    print(number)

def main():
    graph = gxe.Graph()
    node = graph.add(double)
    graph.connect(graph.add(count, gxe.Count(2)), node)
    graph.connect(node, graph.add(show))
    graph.run()

"""
    ended = run_python(text + "if __name__ == '__main__':\n    main()\n")
    assert ended.stdout == "2\n4\n", ended.stderr
    ended = run_python(text + "main()\n")
    assert ended.returncode == 1
    assert "needs `if __name__ == '__main__':` around its start" in ended.stderr
