"""What two codelets that compute in Python gain from a second worker: on free-threaded Python about
twice, else nothing, and with `process=True` about twice everywhere. Medians of rounds in turn.

    PYTHONPATH=… python3 python/benches/two_cores.py
"""

import statistics
import sys
import time

import gxe

TICKS = 20


@gxe.codelet
def source(context):
    return context.count


def compute(value):
    total = 0
    for number in range(400_000):
        total += number ^ value
    return total


@gxe.codelet
def sink(value) -> None:
    pass


def run(workers, process):
    graph = gxe.Graph(scheduler=gxe.EventBased(workers))
    for index in range(2):
        graph.connect(
            graph.add(source, gxe.Count(TICKS), name=f"source_{index}"),
            graph.add(gxe.codelet(compute, process=process), name=f"compute_{index}"),
            graph.add(sink, name=f"sink_{index}"),
        )
    graph.activate()
    begin = time.perf_counter()
    graph.run()
    return time.perf_counter() - begin


def gain(process=False, rounds=9):
    return statistics.median(run(1, process) / run(2, process) for _ in range(rounds))


if __name__ == "__main__":
    locked = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(f"Python {sys.version.split()[0]}, {'with' if locked else 'without'} the interpreter's lock")
    print(f"two workers, in this process  {gain():5.2f} x")
    print(f"two workers, process=True     {gain(True):5.2f} x")
