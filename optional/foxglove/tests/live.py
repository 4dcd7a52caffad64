"""Runs a graph with FoxgloveServer, and is its client: usage live.py GXE LIBRARIES EXTENSION."""

import asyncio
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import websockets

GXE, LIBRARIES, EXTENSION = sys.argv[1:]
PATIENCE = 60

APP = """default_conditions: true
---
name: rows
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::math::Signal, parameters: {output: out, rows: 2, messages: 100000, columns: [n = i]}}
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 10ms}}
---
name: integers
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::PingTx, parameters: {signal: out, clock: scheduler/clock}}
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 10ms}}
---
name: view
components:
- {name: rows, type: nvidia::gxf::DoubleBufferReceiver}
- {name: integers, type: nvidia::gxf::DoubleBufferReceiver}
- type: gxe::foxglove::FoxgloveServer
  parameters: {receivers: [rows, integers], ADDRESS}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: rows/out, target: view/rows}}
- {type: nvidia::gxf::Connection, parameters: {source: integers/out, target: view/integers}}
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
"""


def start(folder, parameters):
    (folder / "app.yaml").write_text(APP.replace("ADDRESS", parameters))
    libraries = ["libgxf_sample.so", "libgxe_math.so"]
    paths = [str(pathlib.Path(LIBRARIES) / name) for name in libraries] + [EXTENSION]
    (folder / "manifest.yaml").write_text("extensions:\n" + "".join(f"- {path}\n" for path in paths))
    command = [GXE, "--app", "app.yaml", "--manifest", "manifest.yaml"]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


async def look(address):
    """Subscribes to every channel until each has sent two messages."""
    channels, messages = {}, {}
    async with websockets.connect(address, subprotocols=["foxglove.sdk.v1"]) as socket:
        while len(messages) < 2 or any(len(seen) < 2 for seen in messages.values()):
            data = await socket.recv()
            if isinstance(data, str):
                said = json.loads(data)
                if said["op"] == "advertise":
                    new = {channel["id"]: channel for channel in said["channels"]}
                    channels.update(new)
                    wanted = [{"id": id, "channelId": id} for id in new]
                    await socket.send(json.dumps({"op": "subscribe", "subscriptions": wanted}))
            elif data[0] == 1:
                subscription, time = struct.unpack_from("<IQ", data, 1)
                messages.setdefault(subscription, []).append((time, data[13:]))
    return {channel["topic"]: (channel, messages[id]) for id, channel in channels.items()}


def shows_numbers_and_tensors(folder):
    run = start(folder, "address: '127.0.0.1:0'")
    try:
        for line in run.stdout:
            if found := re.search(r"Foxglove connects to (ws://127\.0\.0\.1:\d+)", line):
                break
        else:
            raise AssertionError("the server did not say its address")
        seen = asyncio.run(asyncio.wait_for(look(found[1]), PATIENCE))
    finally:
        run.terminate()
        run.communicate(timeout=PATIENCE)
    schemas = {channel["schemaName"]: (channel, data) for channel, data in seen.values()}
    assert set(schemas) == {"gxe.Number", "gxe.Tensor"}, seen
    channel, data = schemas["gxe.Number"]
    assert channel["encoding"] == "json" and channel["topic"].startswith("/integers"), channel
    first, second = (json.loads(message)["value"] for _, message in data[:2])
    assert second == first + 1, data
    channel, data = schemas["gxe.Tensor"]
    assert channel["encoding"] == "protobuf" and channel["topic"].startswith("/rows"), channel
    assert b"double" in data[0][1] or b"float" in data[0][1], data
    assert data[0][0] < data[1][0], data


def refuses(folder, parameters, text):
    run = start(folder, parameters)
    try:
        said, _ = run.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        run.kill()
        raise
    assert run.returncode != 0 and text in said, said


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    shows_numbers_and_tensors(folder)
    refuses(folder, "address: nowhere", "`address` is `nowhere`, which is no address with a port, such as 127.0.0.1:8765")
    refuses(folder, "backlog: 0", "`backlog` is 0, but must be 1 to 65536")
    refuses(folder, "topics: [one]", "there are 2 `receivers` and 1 `topics`")
print("Foxglove: numbers and tensors arrive, wrong parameters are refused")
