// What Holoscan's published examples use beyond `operators.cpp`: the first word chooses an
// application. Each line on standard output is one that the test expects.
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <holoscan/core/conditions/gxf/periodic.hpp>
#include <holoscan/core/resources/gxf/realtime_clock.hpp>
#include <holoscan/core/schedulers/gxf/event_based_scheduler.hpp>
#include <holoscan/holoscan.hpp>
#include <holoscan/operators/async_ping_rx/async_ping_rx.hpp>
#include <holoscan/operators/async_ping_tx/async_ping_tx.hpp>
#include <holoscan/operators/ping_rx/ping_rx.hpp>
#include <holoscan/operators/ping_tensor_rx/ping_tensor_rx.hpp>
#include <holoscan/operators/ping_tensor_tx/ping_tensor_tx.hpp>
#include <holoscan/operators/ping_tx/ping_tx.hpp>

namespace {

using namespace holoscan;

std::string mode;

class NullTxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(NullTxOp)
  NullTxOp() = default;
  void setup(OperatorSpec& spec) override { spec.output<int*>("out"); }
  void compute(InputContext&, OutputContext& op_output, ExecutionContext&) override {
    op_output.emit(nullptr, "out");
  }
};
class NullRxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(NullRxOp)
  NullRxOp() = default;
  void setup(OperatorSpec& spec) override { spec.input<int*>("in"); }
  void compute(InputContext& op_input, OutputContext&, ExecutionContext&) override {
    if (is_first_) {
      fmt::print("{}\n", op_input.receive<int*>("in").value() == nullptr);
    } else {
      fmt::print("{}\n", op_input.receive<std::shared_ptr<int>>("in").value() == nullptr);
    }
    is_first_ = false;
  }

 private:
  bool is_first_ = true;
};

/// Passes on what comes, and looks at the clock and at others.
class LookOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(LookOp)
  LookOp() = default;
  void setup(OperatorSpec& spec) override {
    spec.input<int>("in");
    spec.output<int>("out", IOSpec::QueuePolicy::kPop).condition(ConditionType::kNone);
  }
  void initialize() override {
    Operator::initialize();
    nodes_ = fragment()->graph().get_nodes();
  }
  void start() override {
    if (mode == "start") { throw std::runtime_error("no start"); }
  }
  void stop() override {
    if (mode == "stop") { throw std::runtime_error("no stop"); }
  }
  void compute(InputContext& op_input, OutputContext& op_output, ExecutionContext& context) override {
    if (mode == "clock") {
      const auto clock = fragment()->scheduler()->clock();
      const int64_t before = clock->timestamp();
      clock->cast_to<RealtimeClock>()->set_time_scale(1000.0);
      clock->sleep_for(std::chrono::seconds(5));
      clock->cast_to<RealtimeClock>()->set_time_scale(1.0);
      fmt::print("{} {}\n", clock->timestamp() - before >= 5'000'000'000,
                 clock->cast_to<ManualClock>() == nullptr);
    } else if (mode == "status") {
      fmt::print("{} {} {}\n", context.get_operator_status("look").value() == OperatorStatus::kTicking,
                 context.get_operator_status("rx").has_value(),
                 context.get_operator_status("nobody").has_value());
      std::vector<std::string> names;
      for (const auto& op : nodes_) { names.push_back(op->name()); }
      const auto& graph = fragment()->graph();
      fmt::print("{} root {} next {}\n", names, graph.get_root_nodes().at(0)->name(),
                 graph.get_next_nodes(graph.find_node("look")).at(0)->name());
    }
    const int value = op_input.receive<int>("in").value();
    if (mode == "label") {
      const MessageLabel label = get_data_flow_tracking_label("in");
      fmt::print("{} {} {}\n", label.num_paths(), label.get_path_name(0), label.get_e2e_latency_ms(0) > 0);
    }
    op_output.emit(value, "out");
  }

 private:
  std::vector<std::shared_ptr<Operator>> nodes_;
};

class SayOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(SayOp)
  SayOp() = default;
  void setup(OperatorSpec& spec) override { spec.input<int>("in"); }
  void compute(InputContext& op_input, OutputContext&, ExecutionContext&) override {
    fmt::print("{} got {}\n", name(), op_input.receive<int>("in").value());
    std::fflush(stdout);
  }
};

/// Counts and passes on, as one part.
class Half : public Subgraph {
 public:
  Half(Fragment* fragment, const std::string& name, bool is_sender)
      : Subgraph(fragment, name), is_sender_(is_sender) {}
  void compose() override {
    auto look = make_operator<LookOp>("look");
    if (is_sender_) {
      auto tx = make_operator<ops::PingTxOp>("tx", make_condition<CountCondition>(2));
      add_flow(tx, look);
      add_output_interface_port("data", look, "out");
    } else {
      auto say = make_operator<SayOp>("say");
      add_flow(look, say, {{"out", "in"}});
      add_input_interface_port("data", look, "in");
    }
  }

 private:
  bool is_sender_;
};
class Whole : public Subgraph {
 public:
  using Subgraph::Subgraph;
  void compose() override {
    auto half = make_subgraph<Half>("half", true);
    add_interface_port("values", half, "data", false);
  }
};

/// Lets operators run that wait for an event.
class WaitOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(WaitOp)
  WaitOp() = default;
  void initialize() override {
    Operator::initialize();
    async_condition()->event_state(AsynchronousEventState::kEventWaiting);
  }
  void compute(InputContext&, OutputContext&, ExecutionContext&) override {
    fmt::print("{} runs\n", name());
    async_condition()->event_state(AsynchronousEventState::kEventNever);
  }
};
class ControlOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(ControlOp)
  ControlOp() = default;
  void compute(InputContext&, OutputContext&, ExecutionContext&) override {
    for (const auto& op : fragment()->graph().get_nodes()) {
      if (op->name() != name()) {
        op->async_condition()->event_state(AsynchronousEventState::kEventDone);
      }
    }
    stop_execution();
  }
};

class App : public Application {
 public:
  void compose() override {
    if (mode == "null") {
      add_flow(make_operator<NullTxOp>("tx", make_condition<CountCondition>(2)),
               make_operator<NullRxOp>("rx"));
    } else if (mode == "subgraph") {
      add_flow(make_subgraph<Half>("first", true), make_subgraph<Half>("second", false),
               {{"data", "data"}});
      add_flow(make_subgraph<Whole>("whole"), make_operator<SayOp>("end"));
    } else if (mode == "interface") {
      add_flow(make_subgraph<Half>("first", true), make_operator<SayOp>("end"), {{"date", "in"}});
    } else if (mode == "control") {
      add_operator(make_operator<ControlOp>("control"));
      add_operator(make_operator<WaitOp>("waiting"));
    } else if (mode == "async") {
      add_flow(make_operator<ops::AsyncPingTxOp>("tx", Arg("delay", int64_t{2}), Arg("count", uint64_t{3})),
               make_operator<SayOp>("say"));
    } else if (mode == "async_rx") {
      add_flow(make_operator<ops::PingTxOp>("tx", make_condition<CountCondition>(2)),
               make_operator<ops::AsyncPingRxOp>("rx", make_condition<CountCondition>("count", 2)));
    } else if (mode == "tensor") {
      auto pool = make_resource<UnboundedAllocator>("pool");
      add_flow(make_operator<ops::PingTensorTxOp>("tx", make_condition<CountCondition>(1),
                                                  Arg("rows", 3), Arg("columns", 5)),
               make_operator<ops::PingTensorRxOp>("rx"));
      add_flow(make_operator<ops::PingTensorTxOp>(
                   "host", make_condition<CountCondition>(1), Arg("allocator", pool), Arg("channels", 2),
                   Arg("storage_type", "host"), Arg("data_type", "float")),
               make_operator<ops::PingTensorRxOp>("host_rx"));
    } else {
      auto tx = make_operator<ops::PingTxOp>("tx", make_condition<CountCondition>(2));
      auto look = make_operator<LookOp>("look");
      auto rx = make_operator<SayOp>("rx");
      rx->queue_policy("in", IOSpec::IOType::kInput, IOSpec::QueuePolicy::kPop);
      add_flow(tx, look);
      add_flow(look, rx);
      if (mode == "pool") {
        auto pool = make_thread_pool("pool", 1);
        pool->add(tx, true);
        pool->add({look, rx}, false);
        fmt::print("{}\n", pool->operators().size());
      }
      tx_ = tx;
    }
  }

  std::shared_ptr<ops::PingTxOp> tx_;
};

void Texts() {
  fmt::print("{}|{:>4}|{:<4}|{:^5}|{:*^5}\n", 1, 2, 3, "a", "b");
  fmt::print("{1} {0} {{}}\n", 1, 2);
  fmt::print("{:{}}|{:.{}f}\n", 1, 4, 2.0, 3);
  fmt::print("{:05.1f} {:x} {:#X} {:+d} {:08b} {}\n", 3.14159, 255, 255, 5, 5, 1e6);
  fmt::print("{} {} {} {}\n", 0.1, 1.5f, true, 'c');
  fmt::print("{} {} {}\n", std::vector<std::string>{"a", "b"}, std::map<std::string, int>{{"k", 1}},
             std::make_pair(1, 2.5));
  std::printf("%s\n", fmt::format("{} of {}", fmt::join(std::vector<int>{1, 2}, "+"), "all").c_str());
}

}  // namespace

int main(int argc, char** argv) {
  mode = argc > 1 ? argv[1] : "";
  if (mode == "texts") {
    Texts();
    return 0;
  }
  try {
    auto app = make_application<App>();
    if (mode == "level") {
      set_log_level(LogLevel::ERROR);
      HOLOSCAN_LOG_TRACE("a trace of {}", std::vector<int>{1, 2});
      HOLOSCAN_LOG_INFO("an information");
      HOLOSCAN_LOG_ERROR("an error");
      fmt::print("{}\n", static_cast<int>(log_level()));
    }
    if (mode == "pool" || mode == "control") {
      app->scheduler(app->make_scheduler<EventBasedScheduler>("events", Arg("worker_thread_number", int64_t{2})));
    }
    if (mode == "label") { app->track(0, 0, 0); }
    app->run();
    if (app->tx_ != nullptr) { fmt::print("sent {}\n", app->tx_->index()); }
  } catch (const std::exception& exception) {
    fmt::print("refused: {}\n", exception.what());
    return 2;
  }
  fmt::print("done\n");
  return 0;
}
