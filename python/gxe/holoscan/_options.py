"""Options of the command line of applications."""

from __future__ import annotations

from collections.abc import Sequence

from ._links import known

#: Where a driver is unless somebody says otherwise.
_DRIVER = ("127.0.0.1", 57777)


class CLIOptions:
    """Options of the command line. Addresses are texts, and `worker_targets` names of fragments."""

    def __init__(
        self,
        run_driver: bool = False,
        run_worker: bool = False,
        driver_address: str = "",
        worker_address: str = "",
        worker_targets: Sequence[str] = (),
        config_path: str = "",
    ) -> None:
        self.run_driver = run_driver
        self.run_worker = run_worker
        self.driver_address = driver_address
        self.worker_address = worker_address
        self.worker_targets = list(worker_targets)
        self.config_path = config_path

    def print(self) -> None:
        """Prints the options."""
        print("CLI Options:")
        for name, value in vars(self).items():
            print(f"  {name}: {','.join(value) if isinstance(value, list) else value}")


class Options:
    """The part of a process."""

    def __init__(self, found: CLIOptions) -> None:
        self.driver = found.run_driver
        self.worker = found.run_worker
        self.address = _address(found.driver_address) if found.driver_address else _DRIVER
        self.worker_address = _address(found.worker_address) if found.worker_address else None
        self.fragments = found.worker_targets

    def chosen(self, names: Sequence[str]) -> list[str]:
        """The fragments that run here; empty if the driver chooses one."""
        if self.fragments == ["all"]:
            return list(names)
        for name in self.fragments:
            if name not in names:
                text = f"--fragments: the application has no fragment `{name}`"
                raise RuntimeError(text + known("fragments", name, names))
        return list(self.fragments)


def _address(text: str) -> tuple[str, int]:
    host, separator, port = text.rpartition(":")
    if not separator or text.endswith("]"):
        host, port = text, str(_DRIVER[1])
    is_bracketed = host.startswith("[") and host.endswith("]")
    if not port.isdecimal() or not 0 < int(port) < 65536 or (":" in host and not is_bracketed):
        examples = f"{_DRIVER[0]}:{_DRIVER[1]} or [2001:db8::1]:{_DRIVER[1]}"
        raise ValueError(f"`{text}` is no address; write HOST:PORT, such as {examples}")
    return host.strip("[]") or _DRIVER[0], int(port)


def options(argv: Sequence[str]) -> CLIOptions:
    """The options among those of a program. Those of drivers and workers count if it is one of them."""
    found = CLIOptions()
    is_part = bool({"--driver", "--worker"} & set(argv))
    if not is_part and not any(text.partition("=")[0] == "--config" for text in argv):
        return found
    # What it imports takes time.
    import argparse

    def address(text: str) -> str:
        try:
            _address(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
        return text

    def names(text: str) -> list[str]:
        return [name.strip() for name in text.split(",")]

    program = argv[1] if len(argv) > 1 else None
    parser = argparse.ArgumentParser(prog=program, add_help=False, allow_abbrev=False)
    parser.add_argument("--config", dest="config_path")
    if is_part:
        parser.add_argument("--driver", dest="run_driver", action="store_true")
        parser.add_argument("--worker", dest="run_worker", action="store_true")
        parser.add_argument("--address", dest="driver_address", type=address)
        parser.add_argument("--worker-address", type=address)
        parser.add_argument("--fragments", dest="worker_targets", type=names)
    return parser.parse_known_args(list(argv[1:]), found)[0]
