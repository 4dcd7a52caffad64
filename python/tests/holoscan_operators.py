"""Operators and functions for tests of applications."""

import gxe.as_holoscan  # noqa: F401
from holoscan.core import Application, Operator


def run(compose, scheduler=None, **attributes):
    """Runs an application whose `compose` is a function."""
    app = type("App", (Application,), {"compose": compose, **attributes})()
    if scheduler is not None:
        app.scheduler(scheduler(app))
    app.run()
    return app


class Said(Operator):
    """Prints its name and an entry of the metadata."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.value = 0

    def compute(self, op_input, op_output, context):
        self.value += 1
        print(self.name, self.metadata.get("index", -1))


class Sends(Operator):
    """Sends what `make` returns for 1, 2, 3 and so on."""

    def __init__(self, fragment, *args, make=lambda count: count, **kwargs):
        self.make = make
        self.value = 0
        super().__init__(fragment, *args, **kwargs)

    def setup(self, spec):
        spec.output("out")

    def compute(self, op_input, op_output, context):
        self.value += 1
        op_output.emit(self.make(self.value), "out")


class Prints(Operator):
    """Prints its name and what it receives."""

    def setup(self, spec):
        spec.input("in")

    def compute(self, op_input, op_output, context):
        print(self.name, op_input.receive("in"))


def lines(capsys):
    """The lines that were printed."""
    return capsys.readouterr().out.splitlines()
