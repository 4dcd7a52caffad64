"""Operators made of functions, as Holoscan's guide shows them."""

import pytest

np = pytest.importorskip("numpy")

import gxe  # noqa: E402
from holoscan_operators import Prints, Sends, lines, run  # noqa: E402
from holoscan.conditions import CountCondition  # noqa: E402
from holoscan.core import Application, ConditionType, IOSpec, Operator  # noqa: E402
from holoscan.decorator import Input, Output, create_op  # noqa: E402


def send(app, value, name="tx"):
    return Sends(app, CountCondition(app, 1), name=name, make=lambda count: value)


def shown(*arguments, **keywords):
    """A sink that prints what `create_op` passes to a function."""

    @create_op(*arguments, **keywords)
    def show(**values):
        print({name: value.tolist() if hasattr(value, "tolist") else value for name, value in sorted(values.items())})

    return show


def test_without_ports_the_arguments_are_inputs(capsys):
    @create_op
    class NegateEven:
        def __init__(self, start_index=0):
            self.counter = start_index

        def __call__(self, x):
            self.counter += 1
            return -x if self.counter % 2 else x

    @create_op
    def add(a, b, offset=100):
        return a + b + offset

    def compose(self):
        tx = Sends(self, CountCondition(self, 2), name="tx")
        negate, plus = NegateEven(start_index=0)(self, name="negate"), add(self, name="add", offset=10)
        assert isinstance(negate, Operator)
        assert (list(negate.spec.inputs), list(negate.spec.outputs)) == (["x"], [""])
        self.add_flow(tx, negate)
        self.add_flow(negate, plus, {("", "a")})
        self.add_flow(tx, plus, {("out", "b")})
        self.add_flow(plus, Prints(self, name="rx"))

    run(compose)
    assert lines(capsys) == ["rx 10", "rx 14"]


def test_arguments_with_values_are_no_inputs(capsys):
    @create_op(op_param="self")
    def simple(self, param1, param2=5):
        print(f"{self.name} (param1: {param1}, param2: {param2})")

    def compose(self):
        nodes = [simple(self, param1=number, name=f"node{number}") for number in (1, 2)]
        assert not nodes[0].spec.inputs
        self.add_flow(self.start_op(), nodes[0])
        self.add_flow(nodes[0], nodes[1])

    run(compose)
    assert lines(capsys) == ["node1 (param1: 1, param2: 5)", "node2 (param1: 2, param2: 5)"]


@pytest.mark.parametrize("inputs", ["x", ("x",), Input("x"), (Input("x"),), Input("in", "x"), Input("in", arg_map="x")])
def test_inputs_are_names_or_ports(capsys, inputs):
    @create_op(inputs=inputs, outputs="out")
    def double(x, factor=2):
        return factor * x

    def compose(self):
        middle = double(self, name="double", factor=3)
        self.add_flow(send(self, 7), middle)
        self.add_flow(middle, Prints(self, name="rx"))

    run(compose)
    assert lines(capsys) == ["rx 21"]


@pytest.mark.parametrize(
    "source, expected",
    [
        # Each tensor goes to the argument of its name; others are left.
        ("in", {"image": [1], "labels": [2]}),
        (Input("in", arg_map={"image": "x"}), {"x": [1]}),
        (Input("in", arg_map={"image": "x", "labels": "y"}), {"x": [1], "y": [2]}),
    ],
)
def test_tensors_go_to_arguments(capsys, source, expected):
    tensors = {"image": np.array([1]), "labels": np.array([2])}
    run(lambda self: self.add_flow(send(self, tensors), shown(inputs=source)(self, name="show")))
    assert lines(capsys) == [str(expected)]


def test_tensors_without_an_argument_are_left(capsys):
    @create_op(inputs="message")
    def show(image):
        print(type(image).__name__, image)

    @create_op(inputs="tensor", cast_tensors=False)
    def single(tensor):
        print(type(tensor).__name__)

    def compose(self):
        tensors = {"image": np.array([1]), "labels": np.array([2])}
        self.add_flow(send(self, tensors), show(self, name="show"))
        self.add_flow(send(self, {"frame": np.zeros(3)}, "other"), single(self, name="single"))

    run(compose)
    assert sorted(lines(capsys)) == ["Tensor", "ndarray [1]"]


def test_several_messages_are_one_argument(capsys):
    gathered = Input("in", arg_map="values", size=IOSpec.ANY_SIZE)

    def compose(self):
        show = shown(inputs=gathered)(self, name="show")
        for number in (1, 2):
            self.add_flow(send(self, number, f"tx{number}"), show)

    run(compose)
    assert lines(capsys) == ["{'values': (1, 2)}"]


def test_ports_have_conditions_and_queues(capsys):
    source = Input("in", "x", size=2, policy=IOSpec.QueuePolicy.POP, condition_type=ConditionType.NONE)
    show = shown(inputs=source)

    def compose(self):
        operator = show(self, CountCondition(self, 1), name="show")
        assert operator.spec.inputs["in"].queue_policy == IOSpec.QueuePolicy.POP
        self.add_operator(operator)

    run(compose)
    assert lines(capsys) == ["{'x': ()}"]


def test_dictionaries_are_split(capsys):
    @create_op(outputs=(Output("out1", tensor_names=("x", "y")), Output("out2", tensor_names="z")))
    def generator(nx=1, ny=2):
        yield {"x": np.arange(nx), "y": np.arange(ny), "z": np.arange(3)}

    def compose(self):
        source = generator(self, name="source")
        for port in ("out1", "out2"):
            self.add_flow(source, shown(inputs="in")(self, name=port), {(port, "in")})

    run(compose)
    assert sorted(lines(capsys)) == ["{'x': [0], 'y': [0, 1]}", "{'z': [0, 1, 2]}"]


def test_a_single_tensor_takes_the_name(capsys):
    @create_op(inputs=Input("in", arg_map="tensor"), outputs=Output("out", tensor_names=("frame",)))
    def invert(tensor):
        return 255 - tensor

    def compose(self):
        middle = invert(self, name="invert")
        self.add_flow(send(self, np.array([5])), middle)
        self.add_flow(middle, shown(inputs="any")(self, name="show"))

    run(compose)
    assert lines(capsys) == ["{'frame': [250]}"]


@pytest.mark.parametrize(
    "outputs, result, text",
    [
        (("a", "b"), 1, "`f` has 2 outputs: it returns as many values in a tuple, or a dictionary"),
        (Output("a", ("x", "y")), 1, "the output `a` of `f` takes x, y out of a dictionary, and .* returned a int"),
        (Output("a", ("x",)), {"y": 1}, "the output `a` of `f` takes `x`, and the function returned y"),
    ],
)
def test_wrong_results_say_what_is_expected(outputs, result, text):
    @create_op(outputs=outputs)
    def f():
        return result

    with pytest.raises((KeyError, TypeError, ValueError), match=text):
        run(lambda self: self.add_operator(f(self, CountCondition(self, 1), name="op")))


@pytest.mark.parametrize(
    "source, value, text",
    [
        ("in", 1, "no argument takes what the input `in` of the operator `show` received; name one by"),
        (Input("in", {"a": "x"}), {"b": np.zeros(1)}, "received no tensor `a`; the message has b"),
        (Input("in", {"a": "x", "b": "y"}), 1, "received a int, and its `arg_map` names tensors"),
    ],
)
def test_wrong_messages_say_what_is_expected(source, value, text):
    @create_op(inputs=source)
    def show(x=0, y=0):
        pass

    with pytest.raises((KeyError, TypeError), match=text):
        run(lambda self: self.add_flow(send(self, value), show(self, name="show")))


def test_mistakes_are_found_at_once():
    app = Application()

    def f(x, *, scale):
        return x * scale

    with pytest.raises(TypeError, match="`f` has no argument `y`; its arguments: x, scale"):
        create_op(inputs=Input("in", arg_map="y"))(f)
    with pytest.raises(TypeError, match="`f` has no argument `self`"):
        create_op(op_param="self")(f)
    with pytest.raises(TypeError, match="nothing gives a value for `x` of `f`"):
        create_op(outputs="out")(f)(app, scale=2, name="f")
    with pytest.raises(TypeError, match="`f` has no argument `scal`"):
        create_op(inputs="x", outputs="out")(f)(app, scal=2, name="f")
    with pytest.raises(TypeError, match="not of a str; name `inputs=…`"):
        create_op("x")
    with pytest.raises(TypeError, match="takes names and Inputs of ports, and got a Output"):
        create_op(inputs=Output("x"))(f)


def test_tensors_are_cast_and_nothing_else(capsys):
    class Measured:
        def numpy(self):
            raise AssertionError("nobody asked for it")

        __dlpack__ = numpy

    @create_op(inputs="x")
    def show(x):
        print(type(x).__name__)

    def compose(self):
        for number, value in enumerate((Measured(), gxe.zeros([2]))):
            self.add_flow(send(self, value, f"tx{number}"), show(self, name=f"show{number}"))

    run(compose)
    assert sorted(lines(capsys)) == ["Measured", "ndarray"]
