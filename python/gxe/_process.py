"""Codelets in processes of their own, and tensors in memory that processes share."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import inspect
import io
import math
import mmap
import multiprocessing
import os
import pickle
import signal
import socket
import struct
import sys
import traceback
import weakref
from collections.abc import Callable
from typing import Any, NoReturn

from . import _gxe
from ._bound import bound

# In front of each message: bytes of its pickle, and number of its tensors.
_HEADER = struct.Struct("<QI")
#: The most descriptors that Linux passes with one message.
_MOST = 253

#: Shared memory of this process by address.
_blocks: weakref.WeakValueDictionary[int, _Block] = weakref.WeakValueDictionary()


class _Block:
    """Memory that other processes can map, as an array of bytes of some element type."""

    def __init__(self, fd: int, shape: tuple[int, ...], typestr: str, read_only: bool = False) -> None:
        self.fd = fd
        self._map = mmap.mmap(fd, 0)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self.__array_interface__ = {
            "shape": shape,
            "typestr": typestr,
            "data": (self.address, read_only),
            "version": 3,
        }
        _blocks[self.address] = self

    def __del__(self) -> None:
        if not sys.is_finalizing():
            os.close(self.fd)

    def holds(self, described: dict[str, Any]) -> bool:
        """Whether an array at this address is all of the block."""
        own = self.__array_interface__
        is_same = all(own[key] == described[key] for key in ("shape", "typestr"))
        return is_same and _is_row_major(described)

    @classmethod
    def new(cls, shape: tuple[int, ...], typestr: str) -> _Block:
        fd = os.memfd_create("gxe tensor", os.MFD_CLOEXEC)
        # A mapping has at least a byte.
        os.truncate(fd, max(1, math.prod(shape) * _item_size(typestr)))
        return cls(fd, shape, typestr)


def _is_row_major(described: dict[str, Any]) -> bool:
    strides = described.get("strides")
    return strides is None or tuple(strides) == _row_major(described)


def _item_size(typestr: str) -> int:
    return int(typestr[2:])


def shared(shape: int | tuple[int, ...], dtype: Any = "float32") -> _gxe.Tensor:
    """A tensor of zeros in memory that a codelet with `process=True` takes without a copy."""
    whole = (shape,) if isinstance(shape, int) else tuple(shape)
    typestr = _gxe.allocate((1,), dtype).__array_interface__["typestr"]
    return _gxe.Tensor.as_tensor(_Block.new(whole, typestr))


class _Pickler(pickle.Pickler):
    """Leaves tensors out of the text: they travel as descriptors of their memory."""

    def __init__(self, file: Any) -> None:
        super().__init__(file, protocol=5)
        self.blocks: list[_Block] = []

    def persistent_id(self, value: Any) -> tuple[Any, ...] | None:
        kind = type(value)
        is_array = kind.__module__ == "numpy" and kind.__name__ == "ndarray"
        if is_array and not _gxe.travels_as_tensor(value):
            return None
        if not is_array and kind is not _gxe.Tensor:
            return None
        described = value.__array_interface__
        shape, typestr = tuple(described["shape"]), described["typestr"]
        address, read_only = described["data"]
        block = _blocks.get(address)
        if block is None or not block.holds(described):
            block, read_only = _Block.new(shape, typestr), False
            _copy(value, block)
        self.blocks.append(block)
        return len(self.blocks) - 1, shape, typestr, read_only, is_array


def _copy(source: Any, block: _Block) -> None:
    described = source.__array_interface__
    size = math.prod(described["shape"]) * _item_size(described["typestr"])
    if _is_row_major(described):
        ctypes.memmove(block.address, described["data"][0], size)
        return
    import numpy

    numpy.copyto(numpy.asarray(block), numpy.asarray(source))


def _row_major(described: dict[str, Any]) -> tuple[int, ...]:
    strides = [_item_size(described["typestr"])]
    for length in reversed(described["shape"][1:]):
        strides.insert(0, strides[0] * length)
    return tuple(strides[: len(described["shape"])])


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: Any, fds: list[int]) -> None:
        super().__init__(file)
        self.fds = fds

    def persistent_load(self, pid: tuple[Any, ...]) -> Any:
        number, shape, typestr, read_only, is_array = pid
        fd, self.fds[number] = self.fds[number], -1
        tensor = _gxe.Tensor.as_tensor(_Block(fd, shape, typestr, read_only))
        return tensor.numpy() if is_array else tensor


def _send(connection: socket.socket, value: Any) -> None:
    file = io.BytesIO()
    pickler = _Pickler(file)
    pickler.dump(value)
    if len(pickler.blocks) > _MOST:
        raise ValueError(f"a message to another process has at most {_MOST} tensors")
    text = file.getbuffer()
    fds = [block.fd for block in pickler.blocks]
    socket.send_fds(connection, [_HEADER.pack(len(text), len(fds))], fds)
    connection.sendall(text)


def _receive(connection: socket.socket) -> Any:
    header, fds = b"", []
    while len(header) < _HEADER.size:
        part, passed, _, _ = socket.recv_fds(connection, _HEADER.size - len(header), _MOST)
        if not part:
            raise EOFError
        header += part
        fds += passed
    size, _ = _HEADER.unpack(header)
    text = bytearray(size)
    view = memoryview(text)
    while view:
        got = connection.recv_into(view)
        if not got:
            raise EOFError
        view = view[got:]
    try:
        return _Unpickler(io.BytesIO(text), fds).load()
    finally:
        for fd in fds:
            if fd >= 0:
                os.close(fd)


class _Remote(Exception):
    """The traceback of the other process."""

    def __str__(self) -> str:
        return "\n" + str(self.args[0])


def _find(module: str, file: str, name: str) -> Callable[..., Any]:
    found = sys.modules.get(module)
    if found is None or not _is_file(getattr(found, "__file__", None), file):
        found = _load(module, file)
    for part in name.split("."):
        found = getattr(found, part)
    return getattr(found, "function", found)


def _load(module: str, file: str) -> Any:
    """The module of a file: imported if it has the name there, as those of codelet files may not."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        spec = None
    if spec is not None and _is_file(spec.origin, file):
        return importlib.import_module(module)
    spec = importlib.util.spec_from_file_location(module, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"`{file}` is not a file of Python")
    made = importlib.util.module_from_spec(spec)
    # Pickled objects name it.
    sys.modules[module] = made
    spec.loader.exec_module(made)
    return made


def _is_file(path: str | None, file: str) -> bool:
    return path is not None and os.path.realpath(path) == os.path.realpath(file)


def _serve(
    connection: socket.socket,
    reference: tuple[str, str, str],
    keywords: dict[str, Any],
    names: tuple[str, ...] | None,
) -> None:
    # Ctrl-C is for the process with the graph, whose end ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    function: Callable[..., Any] | None = None
    values: Any = None
    while True:
        try:
            if function is None:
                function, result = bound(_find(*reference), (), keywords, names), None
            else:
                result = function(*values)
            _send(connection, (result, None, ""))
        except BaseException as error:
            text = traceback.format_exc()
            try:
                # Some exceptions can be written and not read.
                pickle.loads(pickle.dumps(error))
            except Exception:
                error = RuntimeError(f"{type(error).__name__}: {error}")
            _send(connection, (None, error, text))
        result = values = None
        try:
            values = _receive(connection)
        except (EOFError, ConnectionError):
            return


class Process:
    """The process of a codelet: takes the values of a tick, and answers with what the function returns."""

    def __init__(
        self, function: Callable[..., Any], keywords: dict[str, Any], names: tuple[str, ...] | None = None
    ) -> None:
        self.name = function.__name__
        # Its own: another file's module may have the name meanwhile.
        file = getattr(inspect.unwrap(function), "__globals__", {}).get("__file__")
        file = file or getattr(sys.modules.get(function.__module__), "__file__", None)
        if "<locals>" in function.__qualname__ or file is None:
            raise TypeError(
                f"the codelet `{self.name}` has process=True, so its function has to be at the top of a file, "
                "where another process finds it"
            )
        self.reference = (function.__module__, file, function.__qualname__)
        self.keywords = keywords
        self.names = names

    def start(self) -> None:
        self.connection, other = socket.socketpair()
        self.process = multiprocessing.get_context("spawn").Process(
            target=_serve, args=(other, self.reference, self.keywords, self.names), name=self.name, daemon=True
        )
        with other:
            self.process.start()
        self._answer("; a program that runs a graph needs `if __name__ == '__main__':` around its start")

    def tick(self, *values: Any) -> Any:
        try:
            _send(self.connection, values)
        except ConnectionError:
            self._ended()
        return self._answer()

    def _answer(self, hint: str = "") -> Any:
        try:
            result, error, text = _receive(self.connection)
        except (EOFError, ConnectionError):
            self._ended(hint)
        if error is not None:
            raise error from _Remote(text)
        return result

    def _ended(self, hint: str = "") -> NoReturn:
        self.process.join()
        code = self.process.exitcode
        how = f"ended with exit status {code}{hint}"
        if code is not None and code < 0:
            how = f"was ended by signal {-code} ({signal.strsignal(-code)})"
        raise RuntimeError(f"the process of the codelet `{self.name}` {how}") from None

    def stop(self) -> None:
        self.connection.close()
        self.process.join(5)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
