"""Two graphs that talk through iceoryx2, and strangers: usage two_graphs.py GXE LIBRARIES EXTENSION."""

import ctypes
import os
import pathlib
import re
import signal
import sys
import tempfile
import time

import iceoryx2

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests"))
from graphs import Graphs, ends, libraries, rows, wait_for

GXE, LIBRARIES, EXTENSION = sys.argv[1:]
start = Graphs(GXE, [*libraries(LIBRARIES, "gxf_serialization", "gxf_ucx", "gxf_test", "gxe_math", "gxe_io"), EXTENSION], "--severity", "debug").start
MESSAGES = 2000
# Services of other programs and of other runs of this test do not interfere.
SERVICE = f"test/{os.getpid()}"

HEAD = """default_conditions: true
---
name: shared
components:
- name: service
  type: gxe::iceoryx::IceoryxService
  parameters: {SETTINGS, service_name: "SERVICE"}
- {name: components, type: nvidia::gxf::UcxComponentSerializer, parameters: {allocator: service}}
- name: entities
  type: nvidia::gxf::UcxEntitySerializer
  parameters: {component_serializers: [components]}
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock, stop_on_deadlock: true}}
"""

PUBLISHER = """---
name: publisher
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- type: gxe::iceoryx::IceoryxPublisher
  parameters: {input: in, service: shared/service, entity_serializer: shared/entities, PUBLISH}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: rows/out, target: publisher/in}}
"""

SUBSCRIBER = """---
name: subscriber
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- type: gxe::iceoryx::IceoryxSubscriber
  parameters: {output: out, service: shared/service, entity_serializer: shared/entities, SUBSCRIBE}
"""

ROWS = """---
name: rows
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::math::Signal, parameters: {output: out, rows: 2, messages: MESSAGES, columns: [n = i]}}
PERIOD"""

CSV = """---
name: sink
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {type: gxe::io::CsvSink, parameters: {input: in, address: ROWS.csv}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: subscriber/out, target: sink/in}}
"""

SHAPE = "[4, 512, 512]"

TENSORS = f"""---
name: NAME
components:
- {{name: allocator, type: nvidia::gxf::UnboundedAllocator}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: out, min_size: 1}}}}
- type: nvidia::gxf::test::TensorGenerator
  parameters: {{output: out, allocator: ALLOCATOR, shape: {SHAPE}, number_of_tensors: 2}}
"""

SOURCE = TENSORS.replace("NAME", "rows") + """- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: MESSAGES}}
- type: nvidia::gxf::MemoryAvailableSchedulingTerm
  parameters: {allocator: ALLOCATOR, min_bytes: 1048576}
"""

COMPARATOR = TENSORS.replace("NAME", "own").replace("ALLOCATOR", "allocator") + """---
name: comparator
components:
- {name: expected, type: nvidia::gxf::DoubleBufferReceiver}
- {name: actual, type: nvidia::gxf::DoubleBufferReceiver}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: expected, min_size: 1}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: actual, min_size: 1}}
- type: nvidia::gxf::test::TensorComparator
  parameters: {expected: expected, actual: actual, compare_timestamp: None}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: own/out, target: comparator/expected}}
- {type: nvidia::gxf::Connection, parameters: {source: subscriber/out, target: comparator/actual}}
"""


def fill(text, **words):
    words = {"SETTINGS": "", "PUBLISH": "", "SUBSCRIBE": "", "PERIOD": "", **words}
    for word, value in words.items():
        text = text.replace(word, str(value))
    return text.replace("{, ", "{").replace(", }", "}").replace("SERVICE", SERVICE)


def sender(**words):
    return fill(HEAD + ROWS + PUBLISHER, **words)


def receiver(rows="rows", **words):
    return fill(HEAD + SUBSCRIBER + CSV.replace("ROWS", rows), **words)


def nothing_is_wrong(log):
    assert not re.search("WARN|ERROR", log), log


def everything_arrives(folder):
    """In order, whoever starts first, although buffers are short; both graphs end."""
    for first in ["sender", "receiver"]:
        everything_arrives_from(folder, first)


def everything_arrives_from(folder, first):
    short = "buffer_size: 3, max_samples: 4"
    apps = [("sender", sender(MESSAGES=MESSAGES, SETTINGS=short)), ("receiver", receiver(SETTINGS=short))]
    processes = {}
    for name, app in apps if first == "sender" else reversed(apps):
        processes[name] = start(folder, name, app)
        time.sleep(1)
    for name, process in processes.items():
        nothing_is_wrong(ends(folder, name, process))
    assert rows(folder) == list(range(2 * MESSAGES)), len(rows(folder))


def two_subscribers_get_everything(folder):
    receivers = [start(folder, name, receiver(name)) for name in ["one", "two"]]
    wait_for("subscribers", lambda: all("Scheduling" in (folder / f"{name}.log").read_text() for name in ["one", "two"]))
    time.sleep(0.5)
    nothing_is_wrong(ends(folder, "sender", start(folder, "sender", sender(MESSAGES=MESSAGES))))
    for name, process in zip(["one", "two"], receivers):
        nothing_is_wrong(ends(folder, name, process))
        assert rows(folder, name) == list(range(2 * MESSAGES)), len(rows(folder, name))


def copies(folder, name):
    found = re.search(r"(\d+) tensors .* without a copy, (\d+) with", (folder / f"{name}.log").read_text())
    return tuple(map(int, found.groups()))


def tensors_are_not_copied(folder):
    """Those of the service's memory; the others arrive as well."""
    for allocator, expected in [("shared/service", (80, 0)), ("allocator", (0, 80))]:
        app = fill(HEAD + SUBSCRIBER + COMPARATOR)
        receiving = start(folder, "receiver", app)
        app = fill(HEAD + SOURCE + PUBLISHER, ALLOCATOR=allocator, MESSAGES=40)
        nothing_is_wrong(ends(folder, "sender", start(folder, "sender", app)))
        ends(folder, "receiver", receiving)
        assert copies(folder, "sender") == copies(folder, "receiver") == expected, (
            allocator, copies(folder, "sender"), copies(folder, "receiver"))


def what_others_still_use_is_copied(folder):
    """A second receiver of the tensors in the same graph."""
    receiving = start(folder, "receiver", fill(HEAD + SUBSCRIBER + COMPARATOR))
    comparator = COMPARATOR.replace("subscriber/out", "rows/out")
    app = fill(HEAD + SOURCE + PUBLISHER + comparator, ALLOCATOR="shared/service", MESSAGES=40)
    ends(folder, "sender", start(folder, "sender", app))
    ends(folder, "receiver", receiving)
    passed, copied = copies(folder, "sender")
    assert passed + copied == 80 and copied > 0, (passed, copied)


EVERY = "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 5ms}}\n"


def a_killed_publisher_is_named(folder):
    receiving = start(folder, "receiver", receiver(SUBSCRIBE="on_lost_publisher: fail"))
    sending = start(folder, "sender", sender(MESSAGES=1_000_000, PERIOD=EVERY))
    wait_for("rows", lambda: len(rows(folder)) > 10)
    sending.send_signal(signal.SIGKILL)
    log = ends(folder, "receiver", receiving, 5)
    assert re.search(f"the publisher [0-9a-f]+ of `{SERVICE}` is gone", log), log
    sending.wait()


def a_killed_subscriber_keeps_nobody(folder):
    """Its successor gets what follows, and the graph that waited for it ends."""
    sending = start(folder, "sender", sender(MESSAGES=600, PERIOD=EVERY))
    receiving = start(folder, "receiver", receiver())
    wait_for("rows", lambda: len(rows(folder)) > 10)
    receiving.send_signal(signal.SIGSTOP)
    time.sleep(0.5)
    receiving.send_signal(signal.SIGKILL)
    receiving.wait()
    successor = start(folder, "successor", receiver("successor"))
    ends(folder, "sender", sending)
    ends(folder, "successor", successor)
    got = rows(folder, "successor")
    assert got == list(range(got[0], 1200)) and got[0] % 2 == 0, got


def who_does_not_block_goes_on(folder):
    sending = start(folder, "sender", sender(MESSAGES=400, PERIOD=EVERY, PUBLISH="block: false", SETTINGS="buffer_size: 4"))
    receiving = start(folder, "receiver", receiver(SETTINGS="buffer_size: 4"))
    wait_for("rows", lambda: len(rows(folder)) > 10)
    receiving.send_signal(signal.SIGSTOP)
    time.sleep(0.5)
    receiving.send_signal(signal.SIGCONT)
    ends(folder, "sender", sending)
    log = ends(folder, "receiver", receiving)
    missed = re.search(r"(\d+) samples of .* were missed", log)
    assert missed and len(rows(folder)) + 2 * int(missed[1]) == 800, (log, len(rows(folder)))


def an_interrupt_ends_a_graph_that_waits(folder):
    sending = start(folder, "sender", sender(MESSAGES=1_000_000, PUBLISH="end_time_out: 1"))
    receiving = start(folder, "receiver", receiver())
    wait_for("rows", lambda: len(rows(folder)) > 10)
    receiving.send_signal(signal.SIGSTOP)
    time.sleep(0.5)
    sending.send_signal(signal.SIGINT)
    log = ends(folder, "sender", sending, 130)
    assert "have said that they have everything" in log, log
    receiving.send_signal(signal.SIGCONT)
    receiving.send_signal(signal.SIGINT)
    ends(folder, "receiver", receiving, 130)


class FrameHeader(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_uint16),
        ("wanted", ctypes.c_uint16),
        ("parts", ctypes.c_uint32),
        ("sequence", ctypes.c_uint64),
        ("pieces", ctypes.c_uint64),
        ("header_size", ctypes.c_uint64),
    ]

    @staticmethod
    def type_name():
        return "gxe::iceoryx::FrameHeader"


def strangers_do_no_harm(folder):
    receiving = start(folder, "receiver", receiver())
    wait_for("the graph", lambda: "Scheduling" in (folder / "receiver.log").read_text())
    time.sleep(0.5)
    iceoryx2.set_log_level(iceoryx2.LogLevel.Fatal)
    node = iceoryx2.NodeBuilder.new().create(iceoryx2.ServiceType.Ipc)
    name = iceoryx2.ServiceName.new(SERVICE)
    try:
        node.service_builder(name).publish_subscribe(ctypes.c_uint64).open()
        raise AssertionError("a service of another type was opened")
    except iceoryx2.PublishSubscribeOpenError:
        pass
    builder = node.service_builder(name).publish_subscribe(iceoryx2.Slice[ctypes.c_uint8])
    service = builder.user_header(FrameHeader).open()
    publisher = service.publisher_builder().initial_max_slice_len(4096).create()
    huge = (1 << 64) - 1
    for sequence, (header, size) in enumerate([
        (FrameHeader(), 1),
        (FrameHeader(kind=77), 1),
        (FrameHeader(kind=2), 1),
        (FrameHeader(kind=2, header_size=huge), 100),
        (FrameHeader(kind=2, pieces=huge), 100),
        (FrameHeader(kind=2, pieces=huge // 24, header_size=huge), 100),
        (FrameHeader(kind=2, parts=3, header_size=50), 100),
        (FrameHeader(kind=2, pieces=2, header_size=50), 100),
        (FrameHeader(kind=2, header_size=4096), 4096),
        *[(FrameHeader(kind=1), 64)] * 3,
        (FrameHeader(kind=2, parts=3, header_size=50), 50),
        *[(FrameHeader(kind=1), 64)] * 40,
    ]):
        sample = publisher.loan_slice_uninit(size)
        header.sequence = sequence
        ctypes.memmove(ctypes.addressof(sample.user_header().contents), ctypes.addressof(header), ctypes.sizeof(header))
        sample = sample.assume_init()
        ctypes.memset(sample.payload().data_ptr, 0xFF, size)
        sample.send()
        time.sleep(0.06)
    ends(folder, "sender", start(folder, "sender", sender(MESSAGES=100)))
    publisher.delete()
    log = ends(folder, "receiver", receiving)
    assert f"a message of `{SERVICE}` cannot be read: " in log, log
    assert re.search(r"\d+ messages of .* could not be read", log), log
    assert rows(folder) == list(range(200)), rows(folder)


def wrong_parameters_are_named(folder):
    for settings, status, text in [
        ('service_name: ""', 4, "`service_name` is empty"),
        (f'service_name: "{"long" * 100}"', 4, "is no name"),
        ("max_samples: 1", 3, "`max_samples`: `1` is out of range"),
    ]:
        name = HEAD.replace(', service_name: "SERVICE"', "") if "name" in settings else HEAD
        app = fill(name + ROWS + PUBLISHER, SETTINGS=settings, MESSAGES=1)
        log = ends(folder, "sender", start(folder, "sender", app), status)
        assert text in log, log
    second = PUBLISHER.replace("name: publisher", "name: second").replace("publisher/in", "second/in")
    app = fill(HEAD + ROWS + PUBLISHER + second, MESSAGES=1)
    log = ends(folder, "sender", start(folder, "sender", app), 4)
    assert "has an IceoryxPublisher already; connect both" in log, log
    first = start(folder, "first", receiver(SETTINGS="buffer_size: 4"))
    wait_for("the graph", lambda: "Scheduling" in (folder / "first.log").read_text())
    log = ends(folder, "second", start(folder, "second", receiver(SETTINGS="buffer_size: 8")), 4)
    assert "another graph may have opened it with smaller sizes" in log, log
    first.send_signal(signal.SIGINT)
    ends(folder, "first", first, 130)


for test in [
    everything_arrives,
    two_subscribers_get_everything,
    tensors_are_not_copied,
    what_others_still_use_is_copied,
    a_killed_publisher_is_named,
    a_killed_subscriber_keeps_nobody,
    who_does_not_block_goes_on,
    an_interrupt_ends_a_graph_that_waits,
    strangers_do_no_harm,
    wrong_parameters_are_named,
]:
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        test(pathlib.Path(folder))
        print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
print("ok")
