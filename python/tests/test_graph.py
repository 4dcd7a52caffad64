import asyncio
import gc
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
import weakref

import gxe
import pytest


@gxe.codelet
def count(context):
    return context.count


@gxe.codelet
def double(number):
    return 2 * number


def collector():
    found = []

    @gxe.codelet
    def put(value) -> None:
        found.append(value)

    return found, put


def run_chain(*codelets, count_to=3, **options):
    graph = gxe.Graph(**options)
    nodes = [graph.add(codelets[0], gxe.Count(count_to))]
    nodes += [graph.add(codelet) for codelet in codelets[1:]]
    graph.connect(*nodes)
    graph.run()
    return graph


def test_functions_exchange_objects():
    found, put = collector()
    graph = run_chain(count, double, put, count_to=10)
    assert found == [2 * n for n in range(1, 11)]
    assert graph.ticks == {"count": 10, "double": 10, "put": 10}
    assert graph.check() == []


@pytest.mark.parametrize("scheduler", [gxe.Greedy, gxe.MultiThread, gxe.EventBased])
def test_every_scheduler(scheduler):
    found, put = collector()
    run_chain(count, double, put, count_to=50, scheduler=scheduler())
    assert found == [2 * n for n in range(1, 51)]


def test_a_graph_runs_again():
    found, put = collector()
    graph = run_chain(count, put)
    graph.run()
    assert found == [1, 2, 3, 1, 2, 3]


def test_a_function_with_several_ports():
    found, put = collector()

    @gxe.codelet(outputs=("low", "high"))
    def split(number):
        return (number, None) if number < 3 else {"high": number}

    rest, put_rest = collector()
    graph = gxe.Graph()
    source, parts = graph.add(count, gxe.Count(4)), graph.add(split)
    graph.connect(source, parts)
    graph.connect(parts["low"], graph.add(put))
    graph.connect(parts["high"], graph.add(put_rest, name="rest"))
    graph.run()
    assert (found, rest) == ([1, 2], [3, 4])


def test_parameters_of_functions():
    @gxe.codelet
    def scaled(number, factor=1):
        return number * factor

    found, put = collector()
    run_chain(count, scaled(factor=5), put)
    assert found == [5, 10, 15]
    with pytest.raises(TypeError, match="did you mean `factor`"):
        scaled(facto=2)
    assert scaled(3) == 3


def test_generators_end_their_entity():
    @gxe.codelet
    def letters():
        yield from "abc"

    @gxe.codelet(inputs="letter", outputs="word")
    def joined():
        word, letter = "", (yield)
        while True:
            word += letter
            letter = yield word

    found, put = collector()
    graph = gxe.Graph()
    graph.connect(graph.add(letters), graph.add(joined), graph.add(put))
    graph.run()
    assert found == ["a", "ab", "abc"]


def test_what_a_generator_yields_before_the_first_value_has_a_tick_of_its_own():
    @gxe.codelet(inputs="number", outputs="sum")
    def sums():
        total = 0
        while True:
            total += yield total

    found, put = collector()
    graph = gxe.Graph()
    node = graph.add(sums)
    graph.connect(graph.add(count, gxe.Count(4)), node, graph.add(put))
    graph.run()
    assert found == [0, 1, 3, 6, 10]
    assert graph.ticks[node.name] == 5


def test_asynchronous_functions_overlap_and_keep_the_order():
    running, most = 0, 0

    @gxe.codelet
    async def slow(number):
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.02 if number % 2 else 0.001)
        running -= 1
        return number

    found, put = collector()
    run_chain(count, slow, put, count_to=20)
    assert found == list(range(1, 21))
    assert most > 1


def test_a_class_with_ports_and_parameters():
    calls = []

    class Threshold(gxe.Codelet):
        signal = gxe.Input()
        result = gxe.Output()
        limit = gxe.Parameter(1)

        def start(self):
            calls.append("start")

        def tick(self):
            value = self.signal.receive()
            if value > self.limit:
                self.result.publish(value)

        def stop(self):
            calls.append("stop")

    found, put = collector()
    run_chain(count, Threshold(limit=2), put, count_to=4)
    assert (found, calls) == ([3, 4], ["start", "stop"])
    with pytest.raises(TypeError, match="did you mean `limit`"):
        Threshold(limt=2)


@pytest.mark.parametrize("stage", ["start", "tick", "stop"])
def test_an_exception_is_the_cause(stage):
    class Fails(gxe.Codelet):
        def tick(self):
            pass

    def fail(self):
        raise KeyError("lost")

    setattr(Fails, stage, fail)
    graph = gxe.Graph()
    graph.add(Fails(), gxe.Count(2), name="faulty")
    with pytest.raises(gxe.GxfError) as caught:
        graph.run()
    error = caught.value
    assert (error.code, error.entity, error.component) == ("GXF_FAILURE", "faulty", "codelet")
    assert error.stage == stage
    assert isinstance(error.__cause__, KeyError)
    assert error.__cause__.__traceback__ is not None


class Stumbles:
    """A condition that fails in one of its methods."""

    def __init__(self, method):
        self.method = method

    def fail(self, method):
        if method == self.method:
            raise KeyError(method)

    def check(self, now):
        self.fail("check")
        return 1

    def on_execute(self, now):
        self.fail("on_execute")

    def update_state(self, now):
        self.fail("update_state")


@pytest.mark.parametrize("method", ["check", "on_execute", "update_state"])
def test_an_exception_of_a_condition_is_the_cause(method):
    from gxe import _codelets

    condition = Stumbles(method)
    graph = gxe.Graph()
    node = graph.add(gxe.codelet(lambda: None), gxe.Count(3), name="faulty")
    entity = graph[node.name]
    term = entity.add("gxe::PythonSchedulingTerm", "term", condition_name="term")
    _codelets.register(graph._owned, term, condition)
    with pytest.raises(gxe.GxfError) as caught:
        graph.run()
    assert isinstance(caught.value.__cause__, KeyError)
    assert caught.value.__cause__.args == (method,)


@pytest.mark.parametrize("answer", [None, "ready", 7, True, 1.5, 3, (3, None), (1, "now"), (1, 2, 3)])
def test_a_wrong_answer_of_a_condition_names_it(answer):
    class Answers:
        def check(self, now):
            return answer

    graph = gxe.Graph()
    graph.add(gxe.codelet(lambda: None), gxe.Count(3), Answers(), name="faulty")
    text = re.escape(f"`check` of the condition `Answers` of the entity `faulty` answered {answer!r}; expected is a state")
    with pytest.raises(gxe.GxfError, match=text) as caught:
        graph.run()
    assert caught.value.entity == "faulty"
    assert isinstance(caught.value.__cause__, TypeError)


def test_a_graph_that_is_gone_leaves_nothing_with_its_functions():
    from gxe import _codelets

    show = gxe.codelet(lambda number: None)
    gc.collect()
    known = len(_codelets._registrations)
    for _ in range(20):
        graph = gxe.Graph()
        graph.connect(graph.add(count, gxe.Count(2)), graph.add(show))
        graph.run()
    del graph
    gc.collect()
    assert len(_codelets._registrations) == known


def test_exceptions_of_other_kinds_of_codelets_are_the_cause():
    def created(context):
        raise KeyError("lost")

    @gxe.codelet
    def generates(context):
        yield 1
        raise KeyError("lost")

    @gxe.codelet
    async def waits(context):
        await asyncio.sleep(0)
        raise KeyError("lost")

    for fails in (gxe.codelet(created), generates, waits):
        graph = gxe.Graph()
        graph.add(fails, gxe.Count(3))
        with pytest.raises(gxe.GxfError) as caught:
            graph.run()
        assert isinstance(caught.value.__cause__, KeyError), fails.name


def test_a_storm_of_interrupts():
    rounds = random.Random(2026)
    for _ in range(60):
        graph = gxe.Graph(scheduler=rounds.choice((None, gxe.EventBased(2), gxe.MultiThread(2))))
        node = graph.add(gxe.codelet(lambda context: context.count))
        graph.connect(node, graph.add(gxe.codelet(lambda value: None)))
        run = graph.run_async()

        def interrupt(pause):
            time.sleep(pause)
            try:
                run.interrupt()
            except gxe.GxfError as error:
                # Another one was faster.
                assert error.code == "GXF_INVALID_EXECUTION_SEQUENCE"

        threads = [threading.Thread(target=interrupt, args=(rounds.random() / 100,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        run.wait()
        for thread in threads:
            thread.join()


def test_an_exception_with_a_code_keeps_it():
    @gxe.codelet
    def full() -> None:
        raise gxe.GxfError("no room", code="GXF_OUT_OF_MEMORY")

    graph = gxe.Graph()
    graph.add(full)
    with pytest.raises(gxe.GxfError, match="no room") as caught:
        graph.run()
    assert caught.value.code == "GXF_OUT_OF_MEMORY"


def test_all_mistakes_of_a_file_are_in_one_exception():
    text = """
components:
- type: nvidia::gxf::PinTx
- type: nvidia::gxf::CountSchedulingTerm
  parameters: {count: many}
"""
    with pytest.raises(gxe.GxfError) as caught:
        gxe.Graph().loads(text)
    assert "PinTx" in str(caught.value) and "many" in str(caught.value)


def test_native_codelets():
    found, put = collector()
    graph = gxe.Graph()
    graph.load_extension(gxe._life.LIBRARIES / "libgxf_sample.so")
    graph.connect(graph.add("nvidia::gxf::PingTx", gxe.Count(3)), graph.add(put))
    graph.run()
    assert found == [0, 1, 2]
    with pytest.raises(gxe.GxfError, match="PingTx"):
        graph.add("nvidia::gxf::PingTxx")
    with pytest.raises(TypeError, match="has no parameter"):
        graph.add("nvidia::gxf::PingTx", sgnal=1)


def test_statistics_and_trace():
    found, put = collector()
    graph = gxe.Graph(statistics=True)
    graph.connect(graph.add(count, gxe.Count(5)), graph.add(put))
    trace = graph.trace()
    with trace:
        graph.run()
    assert graph.statistics["entities"][0]["ticks"] == 5
    assert any(event.get("name") for event in trace.events)
    assert "<table>" in graph._repr_html_()


def test_pictures_and_yaml(program):
    if not program.exists():
        pytest.skip("the program gxe is not built")
    graph = gxe.Graph()
    graph.connect(graph.add(count, gxe.Count(1)), graph.add(double), graph.add(double, name="twice"))
    assert "<svg" in graph._repr_svg_()
    assert "PyCodeletV0" in graph.to_yaml()
    with pytest.raises(ValueError, match="none of svg"):
        graph.draw("png")


def test_inspect_lists_types():
    extensions = gxe.inspect(gxe._life.LIBRARIES / "libgxf_sample.so")
    names = [kind["name"] for extension in extensions for kind in extension["types"]]
    assert "nvidia::gxf::PingTx" in names and "nvidia::gxf::GreedyScheduler" in names


def test_mistakes_in_composing():
    graph = gxe.Graph()
    source, sink = graph.add(count), graph.add(double)
    with pytest.raises(KeyError, match="its ports: number, out"):
        sink["nmber"]
    with pytest.raises(ValueError, match="does not receive"):
        graph.connect(source, source["out"])
    with pytest.raises(ValueError, match="already"):
        graph.add(count, name="count")
    with pytest.raises(TypeError, match="is no codelet"):
        graph.add(42)
    with pytest.raises(ValueError, match="`cam/left` is no name of an entity"):
        graph.add(count, name="cam/left")
    with pytest.raises(TypeError, match="the name of an entity is a text, and not 5"):
        graph.add(count, name=5)
    for scheduler in (gxe.Greedy, "greedy"):
        with pytest.raises(TypeError, match=r"is no scheduler; give gxe.Greedy\(\)"):
            gxe.Graph(scheduler=scheduler)
    with pytest.raises(TypeError, match="takes 1 values and has 2"):
        gxe.codelet(lambda x: x, inputs=("a", "b"))


def test_await_and_interrupt():
    @gxe.codelet
    def endless(context):
        return context.count

    async def main():
        graph = gxe.Graph()
        graph.add(endless, gxe.Periodic("1ms"))
        run = graph.run_async()
        await asyncio.sleep(0.05)
        run.interrupt()
        await run
        return graph.ticks["endless"]

    assert asyncio.run(main()) > 1


def test_threads_call_in_while_the_graph_runs():
    class Waits(gxe.Codelet):
        def start(self):
            self.asynchronous("event").event_state = 2

        def tick(self):
            found.append(self.context.count)
            self.asynchronous("event").event_state = 2 if len(found) < 50 else 4

    found = []
    codelet = Waits()
    graph = gxe.Graph(scheduler=gxe.EventBased(2))
    graph.add(codelet, gxe.Asynchronous("event"))

    def poke():
        while run._ended is False and len(found) < 50:
            try:
                codelet.asynchronous("event").event_state = 3
            except (AttributeError, gxe.GxfError):
                pass
            time.sleep(0.0005)

    run = graph.run_async()
    threads = [threading.Thread(target=poke) for _ in range(3)]
    for thread in threads:
        thread.start()
    run.wait()
    for thread in threads:
        thread.join()
    assert len(found) >= 50


def test_conditions_in_python():
    class Twice:
        def __init__(self):
            self.left = 2

        def check(self, now):
            return 1 if self.left else 0

        def on_execute(self, now):
            self.left -= 1

    found = []

    @gxe.codelet
    def note(context) -> None:
        found.append(context.count)

    graph = gxe.Graph()
    graph.add(note, Twice(), name="note")
    with pytest.raises(TypeError, match="is no condition"):
        graph.add(note, 5, name="other")
    graph.run()
    assert found == [1, 2]


ENDLESS = """
import gxe, sys
@gxe.codelet
def tick(context) -> None:
    if context.count == 1:
        print("ticks", flush=True)
graph = gxe.Graph(scheduler=gxe.{scheduler}())
graph.add(tick, gxe.Periodic("1ms"))
try:
    graph.run()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("scheduler", ["Greedy", "EventBased"])
def test_ctrl_c_ends_a_run(tmp_path, scheduler):
    import subprocess
    import sys

    path = tmp_path / "endless.py"
    path.write_text(ENDLESS.format(scheduler=scheduler))
    for _ in range(3):
        # A shell's background jobs ignore SIGINT, and so would what they start.
        process = subprocess.Popen(
            [sys.executable, str(path)],
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        assert process.stdout.readline() == "ticks\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[0] == "interrupted\n"
        assert process.returncode == 0


def test_the_program_ends_while_a_graph_runs(run_python):
    text = """
import gxe, time
@gxe.codelet
def tick(context):
    return [context.count]
@gxe.codelet
def put(x) -> None: pass
graph = gxe.Graph(scheduler=gxe.EventBased(2))
graph.connect(graph.add(tick), graph.add(put))
run = graph.run_async()
time.sleep(0.05)
print("end")
"""
    ended = run_python(text)
    assert (ended.returncode, ended.stdout) == (0, "end\n"), ended.stderr


@pytest.mark.parametrize("work", ["graph.run()", "while True: graph.run()", "graph.run_async().wait()"])
def test_the_program_ends_while_a_daemon_thread_runs_a_graph(run_python, work):
    ended = run_python(f"""
import gxe, threading
started = threading.Event()
@gxe.codelet
def tick(context):
    started.set()
graph = gxe.Graph()
graph.add(tick)
def run():
    {work}
threading.Thread(target=run, daemon=True).start()
started.wait()
print("end")
""")
    assert (ended.returncode, ended.stdout) == (0, "end\n"), ended.stderr


def test_no_run_begins_at_the_end_of_a_program(run_python):
    ended = run_python("""
import gxe
@gxe.codelet
def tick(context): pass
graph = gxe.Graph()
graph.add(tick)
gxe._gxe.refuse_runs()
for call in (gxe.Graph, graph.run, graph.run_async, graph.activate):
    try:
        call()
    except RuntimeError as error:
        print(error)
""")
    assert ended.stdout == 4 * "the interpreter ends, and gxe with it\n", ended.stderr


def test_a_dropped_run_executes_nothing_more(run_python):
    ended = run_python("""
import gc, gxe
print("program", flush=True)
@gxe.codelet
def tick(context):
    pass
@gxe.codelet
class Hidden:
    def __init__(self, name): pass
    def tick(self): pass
class Never:
    def check(self, now): return 0
for _ in range(20):
    graph = gxe.Graph()
    graph.add(tick)
    graph.add(Hidden("one"), Never())
    graph.run_async()
    del graph
    gc.collect()
""")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "program\n", "")


def test_parameters_that_are_texts_take_texts(tmp_path):
    component = gxe.Graph().entity("entity").add("nvidia::gxf::JobStatistics", "jobs")
    for value in (None, True, 5, 1j, ["a", "b"], {"a": "b"}):
        with pytest.raises(gxe.GxfError, match=f"`json_file_path` takes text, and no `{type(value).__name__}`"):
            component["json_file_path"] = value
    for value in ("~", tmp_path):
        component["json_file_path"] = value
        assert component["json_file_path"] == str(value)


def test_a_forked_child_is_told(run_python):
    text = """
import gxe, os, sys
graph = gxe.Graph()
child = os.fork()
if child == 0:
    try:
        gxe.Graph()
    except RuntimeError as error:
        print(error, flush=True)
    os._exit(0)
os.waitpid(child, 0)
gxe.Graph()
"""
    ended = run_python(text)
    assert ended.returncode == 0, ended.stderr
    assert "forked" in ended.stdout


def test_importing_needs_no_numpy(run_python):
    text = """
import sys
sys.modules["numpy"] = None
import gxe
t = gxe.zeros([2, 3])
assert t.shape == (2, 3)
try:
    t.numpy()
except ImportError as error:
    print(error)
"""
    ended = run_python(text)
    assert "needs NumPy" in ended.stdout, ended.stderr


CODELETS = """
import gxe
@gxe.codelet
def count(context, step=1):
    return context.count * step
@gxe.codelet
def show(number) -> None:
    print("number", number)
class Plain:
    def start(self): print("start")
    def tick(self): print("tick")
    def stop(self): print("stop")
"""

APP = """
name: source
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- type: nvidia::gxf::CountSchedulingTerm
  parameters: {{count: 2}}
- type: nvidia::gxf::PyCodeletV0
  parameters: {{codelet_name: count, codelet_file: {file}, codelet_params: {{step: 10}}}}
---
name: sink
components:
- {{name: number, type: nvidia::gxf::DoubleBufferReceiver}}
- type: nvidia::gxf::MessageAvailableSchedulingTerm
  parameters: {{receiver: number, min_size: 1}}
- type: nvidia::gxf::PyCodeletV0
  parameters: {{codelet_name: {sink}, codelet_file: {file}}}
---
name: plain
components:
- type: nvidia::gxf::CountSchedulingTerm
  parameters: {{count: 1}}
- type: nvidia::gxf::PyCodeletV0
  parameters: {{codelet_name: Plain, codelet_file: {file}}}
---
components:
- type: nvidia::gxf::Connection
  parameters: {{source: source/out, target: sink/number}}
---
components:
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- type: nvidia::gxf::GreedyScheduler
  parameters: {{clock: clock}}
"""


@pytest.mark.parametrize("sink", ["show", "shw"])
def test_yaml_with_python_codelets_under_plain_gxe(tmp_path, program, sink):
    import os
    import subprocess
    import sys
    import sysconfig

    if not program.exists():
        pytest.skip("the program gxe is not built")
    if not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        pytest.skip("this Python has no shared library")
    file = tmp_path / "codelets.py"
    file.write_text(CODELETS)
    app = tmp_path / "app.yaml"
    app.write_text(APP.format(file=file, sink=sink))
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text("extensions: [gxf/python_codelet/libgxf_python_codelet.so]\n")
    libraries = str(gxe._life.LIBRARIES)
    environment = {**os.environ, "GXE_PYTHON": sys.executable, "LD_LIBRARY_PATH": libraries}
    command = [str(program), "--app", str(app), "--manifest", str(manifest)]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    if sink == "show":
        assert ended.returncode == 0, ended.stderr
        lines = [line for line in ended.stdout.splitlines() if "INFO" not in line]
        assert lines == ["start", "number 10", "tick", "number 20", "stop"]
    else:
        assert ended.returncode != 0
        assert "did you mean `show`" in ended.stdout + ended.stderr
    environment["GXE_PYTHON"] = "/nowhere/python3"
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert "set GXE_PYTHON" in ended.stdout + ended.stderr


def test_a_message_is_shared_by_threads_and_by_what_they_convert(run_python):
    """A conversion that uses the message again, and lets other threads use it, does not hang."""
    ended = run_python(
        """
import gxe, threading

class Sender(gxe.Codelet):
    out = gxe.Output(condition=False)

    def tick(self):
        message, done = self.out.new_message(), []

        class Number:
            def __init__(self, value):
                self.value = value

            def __float__(self):
                # Another thread takes its turn in the middle of the conversion.
                thread = threading.Thread(target=lambda: done.append(len(message.payloads())))
                thread.start()
                thread.join()
                return float(self.value + len(message.payloads()))

        for index in range(20):
            message.add_number(Number(index), "float64", f"n{index}")
        assert [message.number(f"n{index}") for index in range(20)] == list(range(0, 40, 2))
        print(done)

graph = gxe.Graph()
graph.add(Sender(), gxe.Count(1))
graph.run()
"""
    )
    assert (ended.returncode, ended.stdout) == (0, f"{list(range(20))}\n"), ended.stderr


def test_classes_inherit_ports_which_work_only_in_a_run():
    class Sends(gxe.Codelet):
        out = gxe.Output()

        def tick(self):
            self.out.publish(self.context.count)

    class Passes(Sends):
        signal = gxe.Input()

        def tick(self):
            self.out.publish(10 * self.signal.receive())

    passes, found = Passes(), []

    @gxe.codelet
    def keep(value) -> None:
        found.append(value)

    with pytest.raises(RuntimeError, match="the port `signal` works only in the calls of a running codelet"):
        passes.signal.receive()
    with pytest.raises(RuntimeError, match="the port `out` works only in the calls of a running codelet"):
        passes.out.publish(1)
    graph = gxe.Graph()
    graph.connect(graph.add(Sends(), gxe.Count(2)), graph.add(passes), graph.add(keep))
    graph.run()
    assert found == [10, 20]


@pytest.mark.parametrize("add", [gxe.Graph.add, lambda graph, type: graph.entity("one").add(type)])
def test_an_unknown_type_says_which_library_has_it(add):
    with pytest.raises(gxe.GxfError, match="`nvidia::gxf::PingTx`; load `libgxf_sample.so`, which contains this name"):
        add(gxe.Graph(), "nvidia::gxf::PingTx")
    with pytest.raises(gxe.GxfError, match="did you mean `nvidia::gxf::GreedyScheduler`"):
        add(gxe.Graph(), "nvidia::gxf::GreedySchedule")


def test_a_plain_function_with_parameters_is_no_codelet():
    with pytest.raises(TypeError, match="neither does @gxe.codelet decorate it"):
        gxe.Graph().add(len, limit=1)


def arrives(value):
    """What a codelet gets of what another one returns."""
    got = []
    send = gxe.codelet(lambda context: value)
    take = gxe.codelet(lambda value: got.append(value))
    graph = gxe.Graph()
    graph.connect(graph.add(send, gxe.Count(1)), graph.add(take))
    graph.run()
    return got[0]


def test_what_no_tensor_can_be_stays_what_it_is():
    np = pytest.importorskip("numpy")
    mask = arrives(np.arange(4) > 1)
    assert isinstance(mask, np.ndarray) and mask.dtype == bool
    assert np.arange(10, 14)[mask].tolist() == [12, 13]
    total = arrives(np.arange(4).sum())
    assert isinstance(total, np.int64) and total + 1 == 7
    scalar = arrives(np.array(3.5))
    assert isinstance(scalar, np.ndarray) and scalar.shape == ()
    both = arrives({"mask": np.ones(2, bool), "values": np.ones(2)})
    assert both["mask"].dtype == bool and isinstance(both["values"], np.ndarray)
    assert isinstance(arrives(np.arange(4)), gxe.Tensor)


def test_ends_of_connections_are_checked_at_once():
    graph = gxe.Graph()
    one = graph.add(gxe.codelet(lambda context: 1), gxe.Count(1), name="one")
    two = graph.add(gxe.codelet(lambda value: None), name="two")
    for wrong, error, text in [
        ("twwo", ValueError, "`twwo` is no end of a connection; texts are `entity/queue`"),
        ("two/", ValueError, "`two/` is no end of a connection"),
        (2, TypeError, "a `int` is no end of a connection; connect nodes, ports or components"),
    ]:
        with pytest.raises(error, match=text):
            graph.connect(one, wrong)
    graph.connect(one, two)
    graph.run()
    assert graph.ticks["two"] == 1


def test_a_codelet_does_not_wait_for_its_own_run():
    runs = []

    @gxe.codelet
    def waits() -> None:
        while not runs:
            time.sleep(0.001)
        runs[0].wait()

    graph = gxe.Graph()
    graph.add(waits, gxe.Count(2))
    runs.append(graph.run_async())
    with pytest.raises(gxe.GxfError, match="wait is not possible from within the graph"):
        runs[0].wait()


def test_a_second_ctrl_c_leaves_a_run_that_hangs(tmp_path):
    path = tmp_path / "hangs.py"
    path.write_text(
        "import gxe, time\n"
        "@gxe.codelet\n"
        "def stuck(context) -> None:\n"
        "    print('ticks', flush=True)\n"
        "    while True: time.sleep(0.01)\n"
        "graph = gxe.Graph()\n"
        "graph.add(stuck, gxe.Count(1), name='sticks')\n"
        "try:\n"
        "    graph.run()\n"
        "except KeyboardInterrupt:\n"
        "    print('left')\n"
    )
    import subprocess
    import sys

    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    default = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    process = subprocess.Popen([sys.executable, str(path)], **pipes, preexec_fn=default)
    assert process.stdout.readline() == "ticks\n"
    process.send_signal(signal.SIGINT)
    assert "still not stopped after 1 s; `sticks` is in tick of `" in process.stderr.readline()
    assert process.stderr.readline() == "gxe: press Ctrl-C again to leave it\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60) == ("left\n", "")
    assert process.returncode == 130


def test_a_run_that_is_refused_leaves_the_other_alone():
    @gxe.codelet
    def tick() -> None:
        time.sleep(0.001)

    graph = gxe.Graph()
    graph.add(tick)
    run = graph.run_async()
    for again in (graph.run, graph.run_async):
        with pytest.raises(gxe.GxfError, match="not possible"):
            again()
        assert graph.status["state"] == "running"
    # A slow machine may not have begun.
    while not graph.ticks["tick"]:
        time.sleep(0.001)
    run.interrupt()
    run.wait()


@pytest.mark.parametrize(
    "end", ["raise SystemExit(4)", "raise asyncio.CancelledError", "asyncio.current_task().cancel(); await asyncio.sleep(1)"]
)
def test_an_asynchronous_function_may_end_with_any_exception(run_python, end):
    ended = run_python(
        f"""
import asyncio, gxe

@gxe.codelet
def count(context):
    return context.count

@gxe.codelet
async def broken(number):
    await asyncio.sleep(0.001)
    {end}

@gxe.codelet
async def same(number):
    asyncio.get_running_loop().stop()
    asyncio.get_running_loop().call_soon(exit)
    await asyncio.sleep(0.001)
    return number

@gxe.codelet
def show(number) -> None:
    print(number)

def run(function):
    graph = gxe.Graph()
    graph.connect(graph.add(count, gxe.Count(2)), graph.add(function), graph.add(show))
    graph.run()

try:
    run(broken)
except gxe.GxfError as error:
    print(error.entity, error.stage, type(error.__cause__).__name__)
# The loop belongs to later graphs, too.
run(same)
""",
        timeout=30,
    )
    name = "SystemExit" if "System" in end else "CancelledError"
    assert ended.stdout.split("\n") == [f"broken tick {name}", "1", "2", ""], ended.stderr


def test_components_of_another_graph_are_refused():
    graph, other = gxe.Graph(), gxe.Graph()
    entity = graph.entity("own")
    queue = entity.add("nvidia::gxf::DoubleBufferReceiver", "queue")
    term = entity.add("nvidia::gxf::MessageAvailableSchedulingTerm", "term")
    foreign = other.entity("other").add("nvidia::gxf::DoubleBufferReceiver", "queue")
    with pytest.raises(ValueError, match="`other/queue` belongs to another graph"):
        term["receiver"] = foreign
    with pytest.raises(ValueError, match="another graph"):
        entity.add("nvidia::gxf::OrSchedulingTermCombiner", "or", terms=[term, foreign])
    with pytest.raises(ValueError, match="another graph"):
        graph.connect(queue, foreign)


def test_an_instance_is_in_one_entity_of_a_graph():
    class Source(gxe.Codelet):
        out = gxe.Output()

        def tick(self):
            self.out.publish(1)

    source = Source()
    graph = gxe.Graph()
    graph.add(source, name="first")
    with pytest.raises(ValueError, match="`first` has this `Source` already"):
        graph.add(source, name="second")
    assert list(graph.nodes) == ["first"]


def test_a_file_names_an_instance_once(run_python):
    ended = run_python(
        """
import gxe

class Source(gxe.Codelet):
    def tick(self):
        pass

source = Source()
entity = '''
name: {name}
components:
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}}
- {type: nvidia::gxf::PyCodeletV0, parameters: {codelet_name: source}}
---
'''
for names in ("first",), ("first", "second"):
    graph = gxe.Graph(scheduler=gxe.Greedy())
    graph.loads("".join(entity.replace("{name}", name) for name in names))
    for _ in range(2):
        try:
            graph.run()
            print("ran")
        except gxe.GxfError as error:
            print(error.entity, error.__cause__)
"""
    )
    refused = "second the entity `first` has this `Source` already; its ports can be those of one entity only"
    assert ended.stdout.split("\n") == ["ran", "ran", refused, refused, ""], ended.stderr


def test_an_input_that_gets_a_value_is_no_input():
    @gxe.codelet
    def add(first, second):
        return first + second

    @gxe.codelet(inputs=("first", "second"))
    def stated(first, second):
        return first + second

    @gxe.codelet
    def letters(text):
        yield from text

    @gxe.codelet
    async def later(first, second):
        return first + second

    @gxe.codelet
    def keywords(first, **others):
        return first, others

    for codelet, values, expected in (
        (add, {"first": 10}, [11, 12]),
        (add, {"second": 10}, [11, 12]),
        (stated, {"first": 10}, [11, 12]),
        (later, {"first": 10}, [11, 12]),
        (keywords, {"more": 1}, [(1, {"more": 1}), (2, {"more": 1})]),
    ):
        found, put = collector()
        graph = gxe.Graph()
        graph.connect(graph.add(count, gxe.Count(2)), graph.add(codelet, **values), graph.add(put))
        graph.run()
        assert found == expected
    found, put = collector()
    graph = gxe.Graph()
    graph.connect(graph.add(letters, text="ab"), graph.add(put))
    graph.run()
    assert found == ["a", "b"]


def test_unknown_parameters_are_refused():
    entity = gxe.Graph().entity("entity")
    with pytest.raises(TypeError, match="no parameter `cuont`; did you mean `count`"):
        entity.add("nvidia::gxf::CountSchedulingTerm", "term", count=1, cuont=3)
    assert entity.components == []


def test_a_codelet_that_never_returns_does_not_keep_the_program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        """
import gxe, threading, time

begun = threading.Event()

@gxe.codelet
def hang() -> None:
    begun.set()
    while True:
        time.sleep(1)

graph = gxe.Graph()
graph.add(hang)
graph.run_async()
begun.wait()
print("end", flush=True)
"""
    )
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    default = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    with subprocess.Popen([sys.executable, str(path)], **pipes, preexec_fn=default) as process:
        assert process.stdout.readline() == "end\n"
        lines = [process.stderr.readline(), process.stderr.readline()]
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
    assert "`hang` is in tick" in lines[0] and "press Ctrl-C to leave" in lines[1]


def test_a_graph_that_is_dropped_while_it_runs_says_so():
    begun = threading.Event()

    @gxe.codelet
    def tick() -> None:
        begun.set()
        time.sleep(0.001)

    graph = gxe.Graph()
    graph.add(tick)
    graph.run_async()
    begun.wait()
    with pytest.warns(ResourceWarning, match="dropped while it ran"):
        del graph
        gc.collect()


def test_only_the_main_interpreter_runs_graphs(run_python):
    ended = run_python(
        """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
lines = [
    f"import sys; sys.path[:] = {sys.path!r}",
    "try:",
    "    import gxe",
    "except ImportError as error:",
    "    print('refused:', error)",
]
text = chr(10).join(lines)
other = interpreters.create()
run = getattr(interpreters, "run_string", None) or interpreters.exec
run(other, text)
if sys.argv[1] == "after":
    import gxe
    run(other, text)
print("end")
""",
        "after",
        timeout=30,
    )
    lines = ended.stdout.split("\n")
    assert lines[0].startswith("refused:") and lines[1].startswith("refused:"), ended.stdout + ended.stderr
    assert lines[2:] == ["end", ""] and ended.returncode == 0


def test_values_that_are_refused_say_what_was_expected(run_python):
    with pytest.raises(TypeError, match="a capacity is a number, or .* not '3'"):
        gxe.Graph().add(count, capacity="3")
    for severity in (-1, 99, "loud"):
        with pytest.raises(ValueError, match=f"{severity}"):
            gxe.set_severity(severity)
    ended = run_python(
        """
import builtins, gxe

class Late:
    def __del__(self):
        try:
            gxe.Graph()
        except RuntimeError as error:
            print(error)

builtins.late = Late()
"""
    )
    assert ended.stdout == "the interpreter ends, and gxe with it\n", ended.stderr


def test_all_mistakes_of_parameters_and_missing_files_are_in_one_exception(tmp_path):
    with pytest.raises(gxe.GxfError) as raised:
        gxe.load(tmp_path / "first.yaml", tmp_path / "second.yaml")
    assert str(raised.value).count("there is no file") == 2 and raised.value.code == "GXF_FILE_NOT_FOUND"
    text = "name: e\ncomponents:\n- {name: c, type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}}\n"
    graph = gxe.Graph()
    with pytest.raises(gxe.GxfError) as raised:
        graph.loads(text, parameters={"e/c/count": "x", "zz": 2})
    for part in ("expected a 64-bit integer", "expected 3 names"):
        assert part in str(raised.value)
    assert graph.entities == []


def test_errors_name_entity_and_component():
    def place(call):
        with pytest.raises(gxe.GxfError) as raised:
            call()
        return raised.value.entity, raised.value.component, raised.value.stage

    graph = gxe.Graph()
    entity = graph.entity("entity")
    pool = entity.add("nvidia::gxf::BlockMemoryPool", "pool", storage_type=77, block_size=32, num_blocks=1)
    assert place(graph.run) == ("entity", "pool", "activate")

    def set_block_size():
        pool["block_size"] = "many"

    assert place(set_block_size) == ("entity", "pool", None)
    assert place(lambda: pool["nothing"]) == ("entity", "pool", None)


def test_an_asynchronous_source_sends_as_often_as_it_ticks():
    @gxe.codelet
    async def source(context):
        return context.entity

    found, put = collector()
    graph = gxe.Graph()
    graph.connect(graph.add(source, gxe.Count(3)), graph.add(put))
    for run in (1, 2):
        graph.run()
        assert found == ["source"] * 3 * run


def test_ports_of_a_class_have_their_capacities():
    class Batch(gxe.Codelet):
        values = gxe.Input(capacity=4, min_size=2)
        sums = gxe.Output(capacity=8)

        def tick(self):
            self.sums.publish(self.values.receive() + self.values.receive())

    graph = gxe.Graph()
    batch, other = graph.add(Batch()), graph.add(Batch(), capacity={"values": 6})
    graph.connect(graph.add(count, gxe.Count(4)), batch["values"])
    got = []
    graph.connect(batch, graph.add(gxe.codelet(lambda value: got.append(value))))
    assert (graph["Batch"]["values"]["capacity"], graph["Batch"]["sums"]["capacity"]) == (4, 8)
    assert (graph["Batch_2"]["values"]["capacity"], graph["Batch_2"]["sums"]["capacity"]) == (6, 8)
    assert other.name == "Batch_2"
    graph.run()
    assert got == [3, 7]


def test_asynchronous_generators_take_messages_one_by_one():
    @gxe.codelet(inputs="number", outputs="sum")
    async def sums():
        total = 0
        number = yield "first"
        while total < 6:
            await asyncio.sleep(0.001)
            total += number
            number = yield total

    got = []
    graph = gxe.Graph()
    # All messages arrive before the first sum is there.
    node = graph.add(sums, capacity=8)
    graph.connect(graph.add(count, gxe.Count(5)), node, graph.add(gxe.codelet(lambda value: got.append(value))))
    graph.run()
    assert got == ["first", 1, 3, 6]


@pytest.mark.parametrize("is_generator", [False, True])
def test_asynchronous_codelets_have_several_inputs(is_generator):
    @gxe.codelet
    async def product(left, right):
        return left * right

    @gxe.codelet(inputs=("left", "right"))
    async def products():
        left, right = yield
        while True:
            left, right = yield left * right

    got = []
    graph = gxe.Graph()
    node = graph.add(products if is_generator else product)
    graph.connect(graph.add(count, gxe.Count(3)), node["left"])
    graph.connect(graph.add(count, gxe.Count(3)), node["right"])
    graph.connect(node, graph.add(gxe.codelet(lambda value: got.append(value))))
    graph.run()
    assert got == [1, 4, 9]


UNKNOWN = """name: tx
components:
- name: signal
  type: nvidia::gxf::DoubleBufferTransmitter
- type: nvidia::gxf::CountSchedulingTerm
  parameters: {cuont: 4}
"""


def test_unknown_parameters_of_files_are_warnings(tmp_path):
    path = tmp_path / "app.yaml"
    path.write_text(UNKNOWN)
    text = r"app.yaml:6:16: `nvidia::gxf::CountSchedulingTerm` has no parameter `cuont`; did you mean `count`\?"
    with pytest.warns(gxe.GxfWarning, match=text) as found:
        gxe.load(path)
    assert [warning.filename for warning in found] == [__file__]
    with pytest.warns(gxe.GxfWarning, match="did you mean `count`"):
        gxe.Graph().loads(UNKNOWN)
    (finding,) = [found for found in gxe.check(path) if found["rule"] == "load-warning"]
    assert finding["line"] == 6


SAVED = """
import gxe

@gxe.codelet
def number(context, step=1):
    return step * context.count

class Show(gxe.Codelet):
    value = gxe.Input()
    label = gxe.Parameter("none")

    def tick(self):
        print(self.label, self.value.receive())

if __name__ == "__main__":
    graph = gxe.Graph("saved")
    graph.connect(graph.add(number(step=10), gxe.Count(2)), graph.add(Show(label="got")))
    graph.save(__file__ + ".yaml")
"""


def test_another_program_executes_a_saved_graph(run_python, tmp_path, program):
    ended = run_python(SAVED)
    assert (ended.stdout, ended.stderr) == ("", "")
    app = tmp_path / "program.py.yaml"
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text("extensions:\n- libgxf_python_codelet.so\n")
    ended = subprocess.run(
        [program, "--app", app, "--manifest", manifest],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "GXE_PYTHON": sys.executable},
    )
    assert "got 10\ngot 20\n" in ended.stdout, ended.stderr
    found = gxe.load(app)
    found.run()
    assert found.ticks == {"Show": 2, "number": 2}


def test_a_saved_graph_names_codelets_that_only_this_program_has():
    class Wrong(gxe.Codelet):
        def tick(self):
            pass

    class Never:
        def check(self, now):
            return 0

    graph = gxe.Graph()
    graph.add(count, gxe.Count(1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f"codelet_file: \"{__file__}\"" in graph.to_yaml()
    for codelet, conditions, text in (
        (gxe.codelet(lambda: 1), (), "`one`: `<lambda>` is not at the top of a file"),
        (Wrong(), (), "`one`: `Wrong` is not at the top of a file"),
        (count, (Never(),), "the condition in Python of the entity `one`"),
        (double(number=object()), (), "`one`: its parameter `number` has the type `object`"),
    ):
        graph = gxe.Graph()
        graph.add(codelet, *conditions, name="one")
        with pytest.warns(gxe.GxfWarning, match=text):
            graph.to_yaml()


def test_codelets_do_not_outlive_their_program():
    class Held:
        pass

    def once():
        held, graph = Held(), gxe.Graph()

        @gxe.codelet
        def of_a_closure():
            return held

        graph.add(of_a_closure, gxe.Count(2))
        graph.run()
        return weakref.ref(held), weakref.ref(graph)

    references = once()
    gc.collect()
    assert [reference() for reference in references] == [None, None]


def test_pictures_of_files_know_codelets_in_python(tmp_path):
    path = tmp_path / "app.yaml"
    path.write_text("name: one\ncomponents:\n- type: nvidia::gxf::PyCodeletV0\n  parameters: {codelet_name: a}\n")
    assert "unknown" not in gxe.graph(path, format="mermaid")
    with pytest.raises(gxe.GxfError, match="nowhere.yaml") as raised:
        gxe.graph("nowhere.yaml")
    assert raised.value.code == "GXF_FILE_NOT_FOUND"


def test_pictures_of_files_use_the_manifest_beside_them(tmp_path):
    path = tmp_path / "app.yaml"
    path.write_text("name: one\ncomponents:\n- type: nvidia::gxf::HelloWorld\n")
    unknown = gxe.graph(path)
    for name in ("manifest.yaml", "app.manifest.yaml", "app_manifest.yaml"):
        manifest = tmp_path / name
        manifest.write_text("extensions: [libgxf_sample.so]\n")
        drawn = gxe.graph(path)
        assert drawn != unknown and drawn == gxe.graph(path, manifest=manifest)
        manifest.unlink()


@pytest.mark.parametrize("name", ["robot/arm", "長" * 200])
def test_graphs_of_any_name_have_pictures(name):
    graph = gxe.Graph(name)
    graph.add(count, gxe.Count(1))
    assert "<svg" in graph._repr_svg_()


def test_periods_are_those_of_the_engine():
    for period in ("1min", "1 min", "2HZ"):
        graph = gxe.Graph()
        graph.add(count, gxe.Periodic(period), gxe.Count(1))
        graph.activate()
    graph = gxe.Graph()
    graph.add(count, gxe.Periodic("often"))
    with pytest.raises(gxe.GxfError, match="entity `count`.*`recess_period`: `often` is not"):
        graph.activate()


ONE_CODELET = """
name: one
components:
- type: nvidia::gxf::PyCodeletV0
  parameters:
    codelet_file: {file}
    codelet_name: {name}
    codelet_params: {parameters}
- type: {term}
---
components:
- name: clock
  type: nvidia::gxf::RealtimeClock
- type: nvidia::gxf::GreedyScheduler
  parameters: {{clock: clock}}
"""


def one_codelet(file, name, parameters="", term="nvidia::gxf::CountSchedulingTerm\n  parameters: {count: 2}"):
    """The text of an app with one codelet, which ticks twice."""
    return ONE_CODELET.format(file=file, name=name, parameters=parameters, term=term)


def test_the_parameters_of_a_codelet_may_be_empty(tmp_path):
    file = tmp_path / "codelets.py"
    file.write_text("import gxe\n\n@gxe.codelet\ndef nothing() -> None:\n    pass\n")
    for empty in ("", "~", "{}"):
        graph = gxe.Graph().loads(one_codelet(file, "nothing", empty))
        graph.run()
        assert graph.ticks == {"one": 2}


@pytest.mark.parametrize(
    "text", ["18446744073709551615", "-9223372036854775809", "0xFFFFFFFFFFFFFFFFFF", "1" * 60, "-0o7", "+5", "9" * 400]
)
def test_integers_of_parameters_are_of_any_size(tmp_path, capsys, text):
    assert gxe._gxe.parse_yaml(f"[{text}, {{a: {text}}}, '{text}']") == [int(text, 0), {"a": int(text, 0)}, text]
    file = tmp_path / "integers.py"
    file.write_text("import gxe\n\n@gxe.codelet\ndef say(number) -> None:\n    print(number)\n")
    gxe.Graph().loads(one_codelet(file, "say", f"{{number: {text}}}")).run()
    assert capsys.readouterr().out == f"{int(text, 0)}\n" * 2


def test_what_only_looks_like_an_integer():
    assert gxe._gxe.parse_yaml("[017, 1.5, 1_000, 0x, +, !ms 5]") == [15, 1.5, "1_000", "0x", "+", 5_000_000]


IMPORTS = """
import gxe, helper_of_codelets
from package_of_codelets import part

@gxe.codelet
def say() -> None:
    print(helper_of_codelets.number, part.number, flush=True)
"""


def imported_by_codelets(folder, first, second):
    (folder / "helper_of_codelets.py").write_text(f"number = {first}\n")
    (folder / "package_of_codelets").mkdir(exist_ok=True)
    (folder / "package_of_codelets/part.py").write_text(f"number = {second}\n")


def test_what_codelet_files_import_is_loaded_anew(tmp_path, capsys):
    file = tmp_path / "imports.py"
    file.write_text(IMPORTS)
    for first, second in ((1, 1), (2, 1), (2, 1), (2, 3)):
        imported_by_codelets(tmp_path, first, second)
        gxe.Graph().loads(one_codelet(file, "say")).run()
        assert capsys.readouterr().out == f"{first} {second}\n" * 2


def test_a_run_of_watch_starts_again_with_what_codelet_files_import(tmp_path, program):
    import sysconfig

    if not program.exists() or not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        pytest.skip("the program gxe is not built, or this Python has no shared library")
    (tmp_path / "imports.py").write_text(IMPORTS)
    imported_by_codelets(tmp_path, 1, 1)
    term = "nvidia::gxf::PeriodicSchedulingTerm\n  parameters: {recess_period: 5ms}"
    (tmp_path / "app.yaml").write_text(one_codelet(tmp_path / "imports.py", "say", term=term))
    (tmp_path / "manifest.yaml").write_text("extensions: [gxf/python_codelet/libgxf_python_codelet.so]\n")
    environment = {**os.environ, "GXE_PYTHON": sys.executable, "LD_LIBRARY_PATH": str(gxe._life.LIBRARIES)}
    command = [program, "--app", tmp_path / "app.yaml", "--manifest", tmp_path / "manifest.yaml", "--watch"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdout=pipe, text=True) as running:
        assert running.stdout is not None
        timer = threading.Timer(60, running.kill)
        timer.start()
        assert any(line == "1 1\n" for line in running.stdout)
        imported_by_codelets(tmp_path, 2, 1)
        assert any(line == "2 1\n" for line in running.stdout)
        running.send_signal(signal.SIGINT)
        running.stdout.read()
        timer.cancel()


def test_a_program_may_be_in_any_folder(tmp_path):
    text = "\n".join(
        (
            "import gxe, warnings",
            "@gxe.codelet",
            "def count(context): return context.count",
            "@gxe.codelet",
            "def show(number) -> None: print(number)",
            "graph = gxe.Graph()",
            "graph.connect(graph.add(count, gxe.Count(1)), graph.add(show))",
            "graph.run()",
            "with warnings.catch_warnings(record=True) as found: graph.to_yaml()",
            "print(len(found), any('is not UTF-8' in str(each.message) for each in found))",
        )
    )
    for name, environment, warned in (
        (b"lat\xe9", {}, "2 True"),
        ("é".encode(), {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, "0 False"),
    ):
        folder = os.path.join(os.fsencode(tmp_path), name)
        os.mkdir(folder)
        file = os.path.join(folder, b"program.py")
        with open(file, "w") as program:
            program.write(text)
        command = [sys.executable, file]
        variables = {**os.environ, **environment}
        ended = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=60)
        assert ended.stdout == f"1\n{warned}\n", ended.stderr


class TakesValue(gxe.Codelet):
    value = gxe.Input()

    def tick(self):
        print(self.value.receive())


class SendsValue(TakesValue):
    value = gxe.Output()

    def tick(self):
        self.value.publish(1)


def test_ports_have_different_names():
    def same(value):
        return value

    for ports, text in (
        ({"inputs": "value", "outputs": "value"}, "`same` has two ports `value`; inputs and outputs have different names"),
        ({"outputs": ("a", "a"), "inputs": "value"}, "`same` has two ports `a`"),
        ({"inputs": "a/b"}, "`a/b` is no name of a port of `same`: it is empty or has a slash"),
    ):
        with pytest.raises(ValueError, match=text):
            gxe.Graph().add(gxe.codelet(same, **ports))
    node = gxe.Graph().add(SendsValue)
    assert (node.inputs, node.outputs) == ((), ("value",))


@pytest.mark.parametrize("capacity", [0, -3, True, {"number": 0}, {"number": True}])
def test_capacities_are_checked_when_they_are_stated(capacity):
    with pytest.raises(ValueError, match="the capacity of the port `number` of `codelet` is .*, and must be a number"):
        gxe.Graph().add(gxe.codelet(lambda number: number), name="codelet", capacity=capacity)


@pytest.mark.parametrize(
    "kind, text",
    [("scheduler", "`-1` is out of range"), ("connection", "there is no entity `nobody`"), ("node", "found `\"x\"`|found `x`")],
)
def test_a_graph_that_cannot_be_composed_says_so_each_time(kind, text):
    @gxe.codelet
    def source(context):
        return context.count

    graph = gxe.Graph(scheduler=gxe.EventBased(-1) if kind == "scheduler" else None)
    count = gxe.Condition("nvidia::gxf::CountSchedulingTerm", "", count="x" if kind == "node" else 1)
    node = graph.add(source, count)
    if kind == "connection":
        graph.connect(node, "nobody/queue")
    for attempt in (graph.run, graph.check, graph.to_yaml, graph._repr_svg_, lambda: graph["source"], graph.run_async):
        with pytest.raises(gxe.GxfError, match=text):
            attempt()


@pytest.mark.parametrize("kind", ["array", "named", "listed"])
def test_arrays_with_larger_dimensions_than_tensors_travel_as_they_are(kind):
    np = pytest.importorskip("numpy")
    large = np.broadcast_to(np.uint8(1), (1, 2**31))
    value = {"array": large, "named": {"a": large}, "listed": [large]}[kind]
    got = []

    @gxe.codelet
    def source(context):
        return value

    graph = gxe.Graph()
    graph.connect(graph.add(source, gxe.Count(1)), graph.add(gxe.codelet(got.append, inputs="value", outputs=())))
    graph.run()
    assert got[0] is value


def on_workers(files):
    """The text of an app with a codelet of each file, which all start at the same time."""
    entity = """---
name: e{number}
components:
- {{name: codelet, type: nvidia::gxf::PyCodeletV0, parameters: {{codelet_name: Tick, codelet_file: {file}}}}}
- {{name: term, type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 1}}}}
"""
    scheduler = """---
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::EventBasedScheduler, parameters: {clock: clock, worker_thread_number: 8}}
"""
    return "".join(entity.format(number=number, file=file) for number, file in enumerate(files)) + scheduler


def test_workers_execute_a_codelet_file_once(tmp_path, capsys):
    file = tmp_path / "executed_once.py"
    lines = (
        "import time",
        "print('executed', flush=True)",
        "time.sleep(0.2)",
        "SHARED = []",
        "class Tick:",
        "    def tick(self):",
        "        SHARED.append(self)",
        "    def stop(self):",
        "        print(len(SHARED), flush=True)",
    )
    file.write_text("\n".join(lines))
    gxe.Graph().loads(on_workers([file] * 4)).run()
    first, *counts = capsys.readouterr().out.splitlines()
    assert first == "executed" and "executed" not in counts and counts[-1] == "4"


def test_workers_load_codelet_files_that_import_others(tmp_path):
    files = []
    for number in range(16):
        names = [f"helper_{number}_{part}_of_many" for part in range(6)]
        for name in names:
            (tmp_path / f"{name}.py").write_text("x = 1\n")
        files.append(tmp_path / f"codelet_{number}_of_many.py")
        files[-1].write_text("".join(f"import {name}\n" for name in names) + "class Tick:\n    def tick(self): pass\n")
    for _ in range(6):
        gxe.Graph().loads(on_workers(files)).run()
        # Loaded anew by the next run.
        for file in tmp_path.iterdir():
            if file.suffix == ".py":
                os.utime(file, ns=(1, file.stat().st_mtime_ns + 1_000_000))


def test_a_codelet_file_may_wait_for_a_thread_that_loads_another(run_python, tmp_path):
    (tmp_path / "inner.py").write_text("class Tick:\n    def tick(self): print('inner', flush=True)\n")
    (tmp_path / "outer.py").write_text(
        "import threading, gxe\n"
        f"graph = gxe.Graph().loads({on_workers([tmp_path / 'inner.py'])!r})\n"
        "thread = threading.Thread(target=graph.run)\n"
        "thread.start()\n"
        "thread.join()\n"
        "class Tick:\n    def tick(self): print('outer', flush=True)\n"
    )
    ended = run_python(f"import gxe\ngxe.Graph().loads({on_workers([tmp_path / 'outer.py'])!r}).run()")
    assert (ended.returncode, ended.stdout) == (0, "inner\nouter\n"), ended.stderr


def test_codelet_files_leave_modules_of_their_names_alone(tmp_path, capsys):
    # One that is imported already, and one that nobody has imported yet.
    import queue  # noqa: F401

    sys.modules.pop("wave", None)
    lines = (
        "import pickle",
        "class Value: pass",
        "class Tick:",
        "    def tick(self):",
        "        from concurrent.futures import ThreadPoolExecutor",
        "        print(ThreadPoolExecutor(1).submit(lambda: 3).result(), Value.__module__ == __name__, flush=True)",
        "        assert type(pickle.loads(pickle.dumps(Value()))) is Value",
    )
    for name in ("queue", "wave"):
        file = tmp_path / f"{name}.py"
        for more in ("", "\n# Edited.\n"):
            file.write_text("\n".join(lines) + more)
            gxe.Graph().loads(one_codelet(file, "Tick")).run()
            assert capsys.readouterr().out == "3 True\n" * 2
            assert getattr(sys.modules.get(name), "__file__", "") != str(file)


def chain(count, change, show):
    """The text of an app with the codelets of these names, of a file each, behind each other."""
    codelet = "{{type: nvidia::gxf::PyCodeletV0, parameters: {{codelet_name: {name}, codelet_file: {file}}}}}"
    receives = """
- {{name: {queue}, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: {queue}, min_size: 1}}}}"""
    counts = "\n- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}}"
    sends = "\n- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}"
    text = ""
    for name, file, ports in (
        ("count", count, counts + sends),
        ("change", change, receives.format(queue="number") + sends),
        ("show", show, receives.format(queue="value")),
    ):
        text += f"---\nname: {name}\ncomponents:\n- {codelet.format(name=name, file=file)}{ports}\n"
    return text + """---
components:
- {type: nvidia::gxf::Connection, parameters: {source: count/out, target: change/number}}
- {type: nvidia::gxf::Connection, parameters: {source: change/out, target: show/value}}
---
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
"""


def test_a_process_executes_the_function_of_its_own_file(tmp_path, run_python):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same_name.py").write_text(
            "import gxe\n"
            "class Value:\n"
            "    def __init__(self, text): self.text = text\n"
            "@gxe.codelet\ndef count(context): return context.count\n"
            f"@gxe.codelet(process=True)\ndef change(number): return Value(f'{name}{{number}}')\n"
            "@gxe.codelet\ndef show(value) -> None: print(value.text, type(value) is Value, flush=True)\n"
        )
    a, b = (tmp_path / name / "same_name.py" for name in "ab")
    runs = "".join(f"    gxe.Graph().loads({chain(*order)!r}).run()\n" for order in ((a, b, b), (b, a, a)))
    ended = run_python(f"import gxe\nif __name__ == '__main__':\n{runs}")
    assert (ended.returncode, ended.stdout) == (0, "b1 True\na1 True\n"), ended.stderr


def test_a_run_ends_after_the_calls_that_it_cancels():
    ended, begun = [], threading.Event()

    async def ends_slowly(name):
        try:
            begun.set()
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.1)
            ended.append(name)

    @gxe.codelet
    async def call(number):
        await ends_slowly("call")

    @gxe.codelet
    async def source(context):
        yield 1
        await ends_slowly("source")

    @gxe.codelet
    async def waits(context):
        try:
            while True:
                yield 1
        finally:
            await asyncio.sleep(0.1)
            ended.append("waits")

    @gxe.codelet
    def show(number) -> None:
        pass

    for codelet, term in ((call, None), (source, None), (waits, gxe.Count(1))):
        ended.clear()
        begun.clear()
        graph = gxe.Graph()
        if codelet is call:
            graph.connect(graph.add(gxe.codelet(lambda context: 1), gxe.Count(1)), graph.add(call))
        else:
            graph.connect(graph.add(codelet, *([term] if term else [])), graph.add(show))
        run = graph.run_async()
        if codelet is not waits:
            assert begun.wait(60)
            run.interrupt()
        run.wait()
        assert ended == [codelet.name]


def test_a_run_does_not_wait_for_calls_that_go_on(monkeypatch):
    monkeypatch.setattr(gxe._codelets._Asynchronous, "PATIENCE", 0.05)
    begun, released, ended = threading.Event(), threading.Event(), threading.Event()

    @gxe.codelet
    async def stays(context):
        begun.set()
        while not released.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                pass
        ended.set()

    graph = gxe.Graph()
    graph.add(stays)
    run = graph.run_async()
    assert begun.wait(60)
    time.sleep(0.05)
    run.interrupt()
    run.wait()
    assert not ended.is_set()
    released.set()
    assert ended.wait(60)


def test_the_cause_is_the_exception_that_ended_the_run():
    """Also after others that a controller repeated, and before one of `stop`."""
    values = iter([KeyError("repeated"), 2])

    @gxe.codelet
    def repeated(context):
        value = next(values)
        if isinstance(value, Exception):
            raise value
        return value

    class Fails(gxe.Codelet):
        number = gxe.Input()

        def tick(self):
            raise ValueError("in tick")

        def stop(self):
            raise IndexError("in stop")

    graph = gxe.Graph()
    graph.load_extension(gxe._life.LIBRARIES / "libgxf_behavior_tree.so")
    name = "nvidia::gxf::EntityCountFailureRepeatController"
    source = graph.add(repeated, gxe.Count(5), gxe.Allocator(name, "controller", max_repeat_count=3))
    graph.connect(source, graph.add(Fails()))
    with pytest.raises(gxe.GxfError, match="in tick") as caught:
        graph.run()
    assert isinstance(caught.value.__cause__, ValueError)
    assert next(values, None) is None


def test_exceptions_that_a_controller_repeated_do_not_outlive_their_graph():
    class Value:
        pass

    alive = []

    @gxe.codelet
    def fails_once(context):
        if alive:
            return
        value = Value()
        alive.append(weakref.ref(value))
        raise KeyError(value)

    graph = gxe.Graph()
    graph.load_extension(gxe._life.LIBRARIES / "libgxf_behavior_tree.so")
    name = "nvidia::gxf::EntityCountFailureRepeatController"
    graph.add(fails_once, gxe.Count(3), gxe.Allocator(name, "controller", max_repeat_count=3))
    graph.run()
    del graph
    gc.collect()
    assert alive[0]() is None


def test_processes_of_codelets_under_plain_gxe_have_the_python_that_was_asked(tmp_path, program):
    import sysconfig

    if not program.exists() or not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        pytest.skip("the program gxe is not built, or this Python has no shared library")
    (tmp_path / "bin").mkdir()
    wrong = tmp_path / "bin/python3"
    wrong.write_text("#!/bin/sh\nexit 3\n")
    wrong.chmod(0o755)
    file = tmp_path / "asks_process.py"
    file.write_text(
        "import gxe, sys\n"
        "@gxe.codelet\ndef count(context): return context.count\n"
        "@gxe.codelet(process=True)\ndef change(number): return sys.executable\n"
        "@gxe.codelet\ndef show(value) -> None: print(value, sys.executable, flush=True)\n"
    )
    (tmp_path / "app.yaml").write_text(chain(file, file, file))
    (tmp_path / "manifest.yaml").write_text("extensions: [gxf/python_codelet/libgxf_python_codelet.so]\n")
    environment = {
        **os.environ,
        "GXE_PYTHON": sys.executable,
        "LD_LIBRARY_PATH": str(gxe._life.LIBRARIES),
        "PATH": f"{wrong.parent}:{os.environ['PATH']}",
    }
    command = [program, "--app", tmp_path / "app.yaml", "--manifest", tmp_path / "manifest.yaml"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert f"{sys.executable} {sys.executable}" in ended.stdout.splitlines(), ended.stdout + ended.stderr
