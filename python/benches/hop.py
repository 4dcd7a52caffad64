"""What a hop through a codelet in Python costs: the difference between long and short chains, and a
tensor's views. Medians of rounds of CPU time, so that other programs count little; one worker.

    PYTHONPATH=… python3 python/benches/hop.py
"""

import statistics
import time

import gxe

COUNT = 20_000
SHORT, LONG = 1, 11


@gxe.codelet
def source(context):
    return context.count


@gxe.codelet
def forward(value):
    return value


@gxe.codelet
def sink(value) -> None:
    pass


class Forward(gxe.Codelet):
    signal = gxe.Input()
    out = gxe.Output()

    def tick(self):
        self.out.publish(self.signal.receive())


def run(length, make):
    graph = gxe.Graph()
    nodes = [graph.add(source, gxe.Count(COUNT))]
    nodes += [graph.add(make(), name=f"forward_{index}") for index in range(length)]
    graph.connect(*nodes, graph.add(sink))
    graph.activate()
    begin = time.process_time()
    graph.run()
    return time.process_time() - begin


def hop(make, rounds=7):
    found = [(run(LONG, make) - run(SHORT, make)) / COUNT / (LONG - SHORT) for _ in range(rounds)]
    return statistics.median(found) * 1e9


def each(call, number=20_000, rounds=9):
    found = []
    for _ in range(rounds):
        begin = time.process_time()
        for _ in range(number):
            call()
        found.append((time.process_time() - begin) / number)
    return statistics.median(found) * 1e9


def first_views(call, number=5_000, rounds=9):
    """Of tensors that have no view yet."""
    found = []
    for _ in range(rounds):
        tensors = [gxe.zeros([4]) for _ in range(number)]
        begin = time.process_time()
        for tensor in tensors:
            call(tensor)
        found.append((time.process_time() - begin) / number)
    return statistics.median(found) * 1e9


if __name__ == "__main__":
    print(f"hop through a function  {hop(lambda: forward()):8.0f} ns")
    print(f"hop through a class     {hop(Forward):8.0f} ns")
    try:
        import numpy
    except ImportError:
        print("no views: NumPy is not installed")
    else:
        tensor, array = gxe.zeros([4]), numpy.zeros(4)
        print(f"tensor.numpy(), first   {first_views(gxe.Tensor.numpy):8.0f} ns")
        print(f"tensor.numpy(), again   {each(tensor.numpy):8.0f} ns")
        print(f"numpy.from_dlpack       {each(lambda: numpy.from_dlpack(tensor)):8.0f} ns")
        print(f"gxe.as_tensor(array)    {each(lambda: gxe.as_tensor(array)):8.0f} ns")
