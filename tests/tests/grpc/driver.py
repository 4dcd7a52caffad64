"""A driver that ends the worker which registers. Arguments: its port, and the worker's."""

import json
import sys
import threading
from concurrent import futures

import grpc


def fields(message):
    """The strings of a message, with the numbers of their fields."""
    position = 0

    def number():
        nonlocal position
        value = shift = 0
        while True:
            byte = message[position]
            position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    found = []
    while position < len(message):
        key = number()
        assert key & 7 == 2, key
        length = number()
        found.append((key >> 3, message[position : position + length].decode()))
        position += length
    return found


def text(number, value):
    value = value.encode()
    return bytes([number << 3 | 2, len(value)]) + value


registered = threading.Event()
asked = []


def answer(message, context):
    asked.append(fields(message))
    registered.set()
    return text(1, "")


class Hub(grpc.GenericRpcHandler):
    def service(self, details):
        if details.method == "/gxf.ServiceHub/SendRequest":
            return grpc.unary_unary_rpc_method_handler(answer)


server = grpc.server(futures.ThreadPoolExecutor(2), handlers=[Hub()])
assert server.add_insecure_port(f"127.0.0.1:{sys.argv[1]}")
server.start()
assert registered.wait(60), "no worker has registered"
(_, service), (_, resource), (_, payload) = asked[0]
segments = [segment["segment_name"] for segment in json.loads(payload)["segment_info_list"]]
print(service, resource, segments)
channel = grpc.insecure_channel(f"127.0.0.1:{sys.argv[2]}")
send = channel.unary_unary("/gxf.ServiceHub/SendRequest")
send(text(1, "GraphWorker") + text(2, "StopWorker") + text(2, "placeholder"), timeout=20)
server.stop(None)
