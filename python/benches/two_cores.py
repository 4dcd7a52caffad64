"""What two codelets that compute in Python gain from a second worker, beside what two threads gain
without gxe. On free-threaded Python that is nearly twice, else nothing, but with `process=True` nearly
twice everywhere. Medians of rounds in turn, and the best ones: on machines that others use, the second
processor is not always there.

    PYTHONPATH=… python3 python/benches/two_cores.py
"""

import statistics
import sys
import threading
import time

import gxe

TICKS = 20


@gxe.codelet
def source(context):
    return context.count


def compute(value):
    total = 0
    for number in range(100_000):
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


def run_threads(number):
    """The same work without gxe."""

    def work():
        for value in range(TICKS * 2 // number):
            compute(value)

    threads = [threading.Thread(target=work) for _ in range(number)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begin


if __name__ == "__main__":
    locked = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(f"Python {sys.version.split()[0]}, {'with' if locked else 'without'} the interpreter's lock")
    ways = {
        "two workers, in this process": lambda number: run(number, False),
        "two workers, process=True": lambda number: run(number, True),
        "two threads, without gxe": run_threads,
    }
    times = {way: [] for way in ways}
    for _ in range(41):
        for way, call in ways.items():
            times[way].append((call(1), call(2)))
    for way, pairs in times.items():
        median = statistics.median(one / two for one, two in pairs)
        best = min(one for one, _ in pairs) / min(two for _, two in pairs)
        print(f"{way:30} {median:5.2f} x, shortest by shortest {best:5.2f} x")
