"""Asks a driver whose server is a GrpcServer. Arguments: its port."""

import sys

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc


def text(number, value):
    """A field of a message: a string shorter than 128 bytes."""
    value = value.encode()
    return bytes([number << 3 | 2, len(value)]) + value


def request(service, *params):
    return text(1, service) + b"".join(text(2, param) for param in params)


channel = grpc.insecure_channel(f"127.0.0.1:{sys.argv[1]}")
send = channel.unary_unary("/gxf.ServiceHub/SendRequest")


def failure(call):
    try:
        call()
    except grpc.RpcError as error:
        return error
    raise AssertionError("it did not fail")


def code(call):
    return failure(call).code().name


def code_and_text(call):
    error = failure(call)
    return f"{error.code().name} {error.details()}"


answer = send(request("ping"), timeout=20)
assert answer[:2] == bytes([1 << 3 | 2, 4]), answer
print("ping:", answer[2:].decode())
print("unknown service:", code_and_text(lambda: send(request("Nobody", "x"), timeout=20)))
print("no parameter:", code_and_text(lambda: send(request("GraphDriver"), timeout=20)))
print("bad action:", code(lambda: send(request("GraphDriver", "RegisterGraphWorker", "{"), timeout=20)))
print("unknown method:", code(lambda: channel.unary_unary("/gxf.ServiceHub/Dance")(b"", timeout=20)))

health = health_pb2_grpc.HealthStub(channel)
name = health_pb2.HealthCheckResponse.ServingStatus.Name
asked = health_pb2.HealthCheckRequest
print("health:", name(health.Check(asked(), timeout=20).status))
print("health of GraphDriver:", name(health.Check(asked(service="GraphDriver"), timeout=20).status))
print("health of Nobody:", code(lambda: health.Check(asked(service="Nobody"), timeout=20)))
for service, label in [("", "watch"), ("Nobody", "watch of Nobody")]:
    watch = health.Watch(asked(service=service), timeout=20)
    print(f"{label}:", name(next(watch).status))
    watch.cancel()


def large():
    size = 20 << 20
    length = bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14 & 0x7F | 0x80, size >> 21])
    return bytes([1 << 3 | 2]) + length + b"x" * size


print("large:", code(lambda: send(large(), timeout=20)))
