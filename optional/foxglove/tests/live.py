"""Runs graphs with FoxgloveServer, and is its client: usage live.py GXE LIBRARIES EXTENSION."""

import asyncio
import json
import pathlib
import struct
import sys
import tempfile

import websockets

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests"))
from viewed import PATIENCE, Viewed, said

ADDRESS = r"Foxglove connects to (ws://127\.0\.0\.1:\d+)"
PROTOCOL = ["foxglove.sdk.v1"]


async def subscribe(socket, said):
    """Subscribes to what was advertised. Returns it by number."""
    new = {channel["id"]: channel for channel in said["channels"]}
    wanted = [{"id": id, "channelId": id} for id in new]
    await socket.send(json.dumps({"op": "subscribe", "subscriptions": wanted}))
    return new


async def look(address, topics):
    """Subscribes to all channels, until each has sent its number of messages."""
    channels, messages = {}, {}
    async with websockets.connect(address, subprotocols=PROTOCOL) as socket:
        number = {}
        while any(number.get(topic, -1) < wanted for topic, wanted in topics.items()):
            data = await socket.recv()
            if isinstance(data, str):
                text = json.loads(data)
                if text["op"] == "advertise":
                    channels.update(await subscribe(socket, text))
            elif data[0] == 1:
                subscription, time = struct.unpack_from("<IQ", data, 1)
                messages.setdefault(subscription, []).append((time, data[13:]))
            number = {channel["topic"]: len(messages.get(id, [])) for id, channel in channels.items()}
    return {channel["topic"]: (channel, messages.get(id, [])) for id, channel in channels.items()}


def shows_what_it_gets(viewed):
    # The texts come once, so who subscribes late misses them; their channel is there.
    topics = {"/rows/n": 2, "/blocks/n": 2, "/integers/Integer": 2, "/lines/text": 0, "/pictures/image": 1}
    run = viewed.start("address: '127.0.0.1:0'", 100000, "10ms")
    try:
        address = said(run, ADDRESS)
        seen = asyncio.run(asyncio.wait_for(look(address, topics), PATIENCE))
        # A second graph cannot have the same address.
        place = address.removeprefix("ws://")
        viewed.refuses(f"address: '{place}'", f"cannot listen on {place}: ")
    finally:
        run.terminate()
        viewed.ended(run)
    schemas = {topic: (seen[topic][0]["schemaName"], seen[topic][0]["encoding"]) for topic in topics}
    assert schemas == {
        "/rows/n": ("gxe.Tensor", "protobuf"),
        "/blocks/n": ("gxe.Tensor", "protobuf"),
        "/integers/Integer": ("gxe.Number", "json"),
        "/lines/text": ("foxglove.Log", "protobuf"),
        "/pictures/image": ("foxglove.RawImage", "protobuf"),
    }, schemas
    first, second = (json.loads(data)["value"] for _, data in seen["/integers/Integer"][1][:2])
    assert second == first + 1, seen
    (earlier, tensor), (later, _) = seen["/rows/n"][1][:2]
    assert b"double" in tensor or b"float" in tensor, tensor
    assert earlier < later, seen
    picture = seen["/pictures/image"][1][0][1]
    assert b"rgb8" in picture and bytes((200, 100, 50)) * 32 * 24 in picture, picture[:100]


async def never_read(address, wait):
    """Subscribes to all channels and reads nothing any more, while the graph runs to its end."""
    async with websockets.connect(address, subprotocols=PROTOCOL, max_queue=1) as socket:
        known = 0
        while known < 3:
            text = await socket.recv()
            if isinstance(text, str) and json.loads(text)["op"] == "advertise":
                known += len(await subscribe(socket, json.loads(text)))
        socket.transport.pause_reading()
        return await asyncio.get_running_loop().run_in_executor(None, wait)


def waits_for_no_client(viewed):
    run = viewed.start("address: '127.0.0.1:0', backlog: 4", 20000, "100us")
    status, text = asyncio.run(never_read(said(run, ADDRESS), lambda: viewed.ended(run)))
    assert status == 0, text


with tempfile.TemporaryDirectory() as folder:
    viewed = Viewed(*sys.argv[1:], "gxe::foxglove::FoxgloveServer", folder)
    shows_what_it_gets(viewed)
    waits_for_no_client(viewed)
    viewed.refuses("address: nowhere", "`address` is `nowhere`, which is no address with a port, such as 127.0.0.1:8765")
    viewed.refuses("backlog: 0", "`backlog` is 0, but must be 1 to 65536")
    viewed.refuses("topics: [one]", "there are 5 `receivers` and 1 `topics`")
print("Foxglove: numbers, tensors, texts and pictures arrive, no client holds the graph up, wrong parameters are refused")
