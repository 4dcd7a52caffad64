"""Two graphs that talk through zenoh, and strangers: usage two_graphs.py GXE LIBRARIES EXTENSION."""

import json
import pathlib
import re
import signal
import sys
import tempfile
import time

import zenoh

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests"))
from graphs import PATIENCE, Graphs, ends, libraries, rows, wait_for

GXE, LIBRARIES, EXTENSION = sys.argv[1:]
start = Graphs(GXE, [*libraries(LIBRARIES, "gxf_serialization", "gxe_math", "gxe_io"), EXTENSION]).start
MESSAGES = 2000

HEAD = """default_conditions: true
---
name: shared
components:
- {name: session, type: gxe::zenoh::ZenohSession, parameters: {SESSION}}
- {name: components, type: nvidia::gxf::StdComponentSerializer, parameters: {allocator: allocator}}
- {name: allocator, type: nvidia::gxf::UnboundedAllocator}
- name: entities
  type: nvidia::gxf::StdEntitySerializer
  parameters: {component_serializers: [components]}
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock, stop_on_deadlock: true}}
"""

SENDER = """---
name: rows
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::math::Signal, parameters: {output: out, rows: 2, messages: MESSAGES, columns: [n = i]}}
PERIOD---
name: publisher
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- type: gxe::zenoh::ZenohPublisher
  parameters: {input: in, session: shared/session, key: test/rows, entity_serializer: shared/entities}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: rows/out, target: publisher/in}}
"""

RECEIVER = """---
name: subscriber
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- type: gxe::zenoh::ZenohSubscriber
  parameters: {output: out, session: shared/session, key: test/*, entity_serializer: shared/entities, MORE}
---
name: sink
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {type: gxe::io::CsvSink, parameters: {input: in, address: rows.csv}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: subscriber/out, target: sink/in}}
"""


def sender(endpoint, messages, period=""):
    session = f"connect: [{endpoint}]"
    text = HEAD.replace("SESSION", session) + SENDER.replace("MESSAGES", str(messages))
    return text.replace("PERIOD", period)


def receiver(endpoint, more=""):
    return HEAD.replace("SESSION", f"listen: [{endpoint}]") + RECEIVER.replace("MORE", more)


def everything_arrives(folder, first):
    """In order, whoever starts first, although queues are short; both graphs end."""
    endpoint = f"unixsock-stream/{folder}/socket"
    apps = [("sender", sender(endpoint, MESSAGES)), ("receiver", receiver(endpoint, "capacity: 2"))]
    processes = {}
    for name, app in apps if first == "sender" else reversed(apps):
        processes[name] = start(folder, name, app)
        time.sleep(1)
    for name, process in processes.items():
        log = ends(folder, name, process)
        # GXF's serializer does not know the end of a stream.
        warnings = re.findall(r"(?:WARN|ERROR).*", log.replace("payload `end_of_stream`", ""))
        assert all("no component serializer supports it" in line for line in warnings), log
    assert rows(folder) == list(range(2 * MESSAGES)), len(rows(folder))


EVERY = "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 10ms}}\n"


def a_killed_publisher_is_named(folder):
    endpoint = "tcp/127.0.0.1:7461"
    receiving = start(folder, "receiver", receiver(endpoint, "on_lost_publisher: fail"))
    sending = start(folder, "sender", sender(endpoint, 1_000_000, EVERY))
    wait_for("rows", lambda: (folder / "rows.csv").exists() and len(rows(folder)) > 10)
    sending.send_signal(signal.SIGKILL)
    log = ends(folder, "receiver", receiving, 5)
    assert re.search(r"the publisher [0-9a-f]+-\d+ of `test/\*` is gone", log), log
    sending.wait()


def strangers_do_no_harm(folder):
    endpoint = "tcp/127.0.0.1:7462"
    receiving = start(folder, "receiver", receiver(endpoint))
    config = zenoh.Config()
    config.insert_json5("connect/endpoints", json.dumps([endpoint]))
    config.insert_json5("scouting/multicast/enabled", "false")
    session = zenoh.open(config)
    wait_for("the graph", lambda: session.declare_publisher("test/rows").matching_status.matching)
    header = bytes(8) + (1).to_bytes(8, "little")
    for data in [b"", b"rubbish", header, bytes(1 << 20), header + b"\xff" * 400]:
        session.put("test/rows", data)
    ends(folder, "sender", start(folder, "sender", sender(endpoint, 100)))
    log = ends(folder, "receiver", receiving)
    assert "a message of `test/*` cannot be read: " in log, log
    assert rows(folder) == list(range(200)), rows(folder)
    session.close()


def wrong_parameters_are_named(folder):
    for session, text in [
        ("listen: [tcp/0.0.0.0:7447]", "`tcp/0.0.0.0:7447` is no endpoint on this host"),
        ("connect: [rubbish]", "`rubbish` is no endpoint on this host"),
        ("config_file: none.json5", "`none.json5` cannot be read"),
    ]:
        app = HEAD.replace("SESSION", session) + SENDER.replace("MESSAGES", "1").replace("PERIOD", "")
        process = start(folder, "sender", app)
        process.wait(PATIENCE)
        log = (folder / "sender.log").read_text()
        assert process.returncode == 4 and text in log, (process.returncode, log)


for test in [
    lambda folder: everything_arrives(folder, "sender"),
    lambda folder: everything_arrives(folder, "receiver"),
    a_killed_publisher_is_named,
    strangers_do_no_harm,
    wrong_parameters_are_named,
]:
    with tempfile.TemporaryDirectory() as folder:
        test(pathlib.Path(folder))
print("ok")
