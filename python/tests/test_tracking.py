"""Data flow tracking, as Holoscan's guide shows it."""

import pytest

pytest.importorskip("numpy")

from holoscan_operators import Sends, lines  # noqa: E402
from holoscan.conditions import CountCondition  # noqa: E402
from holoscan.core import Application, DataFlowMetric, DataFlowTracker, Operator, Tracker  # noqa: E402
from holoscan.operators import PingRxOp  # noqa: E402

EVERYTHING = {"num_start_messages_to_skip": 0, "num_last_messages_to_discard": 0}


class Passes(Operator):
    def setup(self, spec):
        spec.input("in")
        spec.output("out")

    def compute(self, op_input, op_output, context):
        op_output.emit(op_input.receive("in"), "out")


class Looks(PingRxOp):
    """Prints the paths of its messages."""

    def compute(self, op_input, op_output, context):
        super().compute(op_input, op_output, context)
        if self.fragment.data_flow_tracker():
            label = self.get_data_flow_tracking_label("in")
            print(label.num_paths(), label.get_all_path_names(), label.has_operator("a"))


def chain(count=3):
    class App(Application):
        def compose(self):
            middle = Passes(self, name="a")
            self.add_flow(Sends(self, CountCondition(self, count), name="tx"), middle)
            self.add_flow(middle, Looks(self, name="rx"))

    return App()


def test_limited_tracking_knows_roots_and_leaves():
    app = chain()
    with Tracker(app, is_limited_tracking=True, **EVERYTHING) as tracker:
        app.run()
    assert tracker.get_path_strings() == ["tx,rx"]
    assert tracker.get_metric("tx,rx", DataFlowMetric.NUM_DST_MESSAGES) == 3
    assert tracker.get_metric("tx,rx", DataFlowMetric.MIN_E2E_LATENCY) > 0


def test_limited_tracking_measures_probes():
    app = chain()
    with Tracker(app, is_limited_tracking=True, **EVERYTHING) as tracker:
        tracker.add_probe_operator("a")
        app.run()
    assert tracker.get_path_strings() == ["tx,a", "tx,rx"]


def test_track_takes_its_settings_in_order(capsys):
    app = chain(5)
    tracker = app.track(1, 2, 0, True)
    assert isinstance(tracker, DataFlowTracker) and app.data_flow_tracker() is tracker
    app.run()
    assert tracker.get_metric("tx,rx", DataFlowMetric.NUM_DST_MESSAGES) == 2
    assert tracker.get_metric() == {"tx->out": 5}
    assert lines(capsys)[1] == "1 ['tx,rx'] []"


def test_settings_of_a_tracker():
    app = chain(5)
    with Tracker(app) as tracker:
        tracker.set_skip_starting_messages(2)
        tracker.set_discard_last_messages(0)
        app.run()
    assert tracker.get_metric("tx,a,rx", DataFlowMetric.NUM_DST_MESSAGES) == 3
    slow = chain(5)
    with Tracker(slow, latency_threshold=60_000, **EVERYTHING) as tracker:
        slow.run()
    assert tracker.get_num_paths() == 0
    assert tracker.get_metric(DataFlowMetric.NUM_SRC_MESSAGES) == {"tx->out": 5}
    with pytest.raises(ValueError, match="AVG_E2E_LATENCY is a metric of a path"):
        tracker.get_metric(DataFlowMetric.AVG_E2E_LATENCY)


def test_logs_are_written_in_parts(tmp_path):
    path = tmp_path / "flow.log"
    lengths = []

    class Reads(PingRxOp):
        def compute(self, op_input, op_output, context):
            super().compute(op_input, op_output, context)
            lengths.append(path.read_text().count("tx") if path.exists() else 0)

    class App(Application):
        def compose(self):
            self.add_flow(Sends(self, CountCondition(self, 5), name="tx"), Reads(self, name="rx"))

    app = App()
    tracker = app.track()
    tracker.enable_logging(str(path), num_buffered_messages=2)
    app.run()
    assert lengths == [0, 0, 2, 2, 4]
    assert [line for line in path.read_text().splitlines() if line.endswith(":")] == ["1:", "2:", "3:", "4:", "5:"]


def test_a_log_that_is_disabled_ends(tmp_path):
    path = tmp_path / "log.txt"
    app = chain()
    tracker = app.track(**EVERYTHING)
    tracker.enable_logging(str(path))
    app.run()
    tracker.disable_logging()
    assert path.read_text().count("(tx") == 3
    app.run()
    tracker.end_logging()
    assert path.read_text().count("(tx") == 3


def test_labels_need_a_tracker():
    app = Application()
    with pytest.raises(RuntimeError, match="nothing tracks messages of the operator `rx`; see Tracker"):
        PingRxOp(app, name="rx").get_data_flow_tracking_label("in")
    app.track()
    operator = PingRxOp(app, name="other")
    assert operator.get_data_flow_tracking_label("in").num_paths() == 0
    with pytest.raises(RuntimeError, match="has no input `out`; its inputs: in"):
        operator.get_data_flow_tracking_label("out")
