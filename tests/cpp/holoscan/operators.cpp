// A program with Holoscan's API of operators: the first word chooses an application. Each line on
// standard output is one that the test expects.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <holoscan/holoscan.hpp>
#include <holoscan/operators/ping_rx/ping_rx.hpp>
#include <holoscan/operators/ping_tx/ping_tx.hpp>

using namespace std::chrono_literals;

namespace {

template <typename... Values>
void Say(const char* text, Values... values) {
  std::printf("%s\n", holoscan::detail::Format(text, values...).c_str());
}

}  // namespace

namespace holoscan::ops {

/// A value that operators share.
struct Reading {
  int number = 0;
};

class CountOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(CountOp)
  CountOp() = default;

  void setup(OperatorSpec& spec) override {
    spec.output<std::shared_ptr<Reading>>("out1");
    spec.output<int>("out2");
    spec.param(first_, "first", "First", "The first number", 1);
    spec.param(label_, "label", "Label", "Said at the start", ParameterFlag::kOptional);
    spec.param(factors_, "factors", "Factors", "Multiplied in turn", std::vector<double>{1.0});
    spec.param(limit_, "limit", "Limit", "Where it switches itself off", INT32_MAX);
  }
  void start() override {
    if (label_.has_value()) { Say("label {}", label_.get()); }
  }
  void compute(InputContext&, OutputContext& op_output, ExecutionContext&) override {
    const int number = first_ + index_;
    const double factor = factors_.get()[static_cast<size_t>(index_++) % factors_->size()];
    auto reading = std::make_shared<Reading>();
    reading->number = static_cast<int>(number * factor);
    op_output.emit(reading, "out1");
    op_output.emit(-number, "out2");
    if (index_ >= limit_) {
      auto my_bool_condition = condition<BooleanCondition>("my_bool_condition");
      if (my_bool_condition) {  // if condition exists (not true or false)
        Say("enabled {}", my_bool_condition->check_tick_enabled());
        my_bool_condition->disable_tick();  // this will stop the operator
        Say("enabled {}", my_bool_condition->check_tick_enabled());
      }
    }
  }
  void stop() override { Say("sent {}", index_); }

 private:
  Parameter<int> first_;
  Parameter<std::string> label_;
  Parameter<std::vector<double>> factors_;
  Parameter<int> limit_;
  int index_ = 0;
};

/// Takes one message of each input that has one.
class PairOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(PairOp)
  PairOp() = default;

  void setup(OperatorSpec& spec) override {
    if (mode == "none") {
      spec.input<std::shared_ptr<Reading>>("in1").condition(ConditionType::kNone);
      spec.input<int>("in2").condition(ConditionType::kMessageAvailable,
                                       Arg("min_size", static_cast<uint64_t>(1)));
      return;
    }
    spec.input<std::shared_ptr<Reading>>("in1", IOSpec::IOSize(4));
    spec.input<int>("in2", IOSpec::IOSize(4));
    if (mode == "sum") {
      spec.multi_port_condition(
          ConditionType::kMultiMessageAvailable, {"in1", "in2"},
          Arg("sampling_mode", MultiMessageAvailableCondition::SamplingMode::kSumOfAll),
          Arg("min_sum", static_cast<size_t>(6)));
    } else if (mode == "each") {
      spec.multi_port_condition(
          ConditionType::kMultiMessageAvailable, {"in1", "in2"},
          Arg("sampling_mode", MultiMessageAvailableCondition::SamplingMode::PerReceiver),
          Arg("min_sizes", std::vector<size_t>{2, 1}));
    } else if (mode == "either") {
      spec.or_combine_port_conditions({"in1", "in2"});
    }
  }
  void compute(InputContext& op_input, OutputContext&, ExecutionContext&) override {
    if (mode == "none") {
      auto reading = op_input.receive<std::shared_ptr<Reading>>("in1");
      Say("{} {}", reading ? reading.value()->number : 0, op_input.receive<int>("in2").value());
      return;
    }
    const auto readings = op_input.receive<std::vector<std::shared_ptr<Reading>>>("in1").value();
    const auto numbers = op_input.receive<std::vector<int>>("in2").value();
    Say("{} and {}", readings.size(), numbers.size());
  }

  static inline std::string mode;
};

/// Receives what any number of operators send.
class GatherOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(GatherOp)
  GatherOp() = default;

  void setup(OperatorSpec& spec) override {
    // The older spelling of `spec.input<…>("receivers", IOSpec::kAnySize)`.
    spec.param(receivers_, "receivers", "Input Receivers", "List of input receivers.", {});
  }
  void compute(InputContext& op_input, OutputContext&, ExecutionContext&) override {
    std::string line = "got";
    const auto numbers = op_input.receive<std::vector<int>>("receivers").value();
    for (const int number : numbers) {
      line += " " + std::to_string(number);
    }
    Say("{}", line);
  }

 private:
  Parameter<std::vector<IOSpec*>> receivers_;
};

/// Sends a tensor, and receives it.
class TensorTxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(TensorTxOp)
  TensorTxOp() = default;

  void setup(OperatorSpec& spec) override {
    spec.output<TensorMap>("out");
    spec.param(allocator_, "allocator", "Allocator", "Memory of the tensor");
  }
  void compute(InputContext&, OutputContext& op_output, ExecutionContext& context) override {
    auto message = gxf::Entity::New(&context);
    auto& entity = static_cast<nvidia::gxf::Entity&>(message);
    auto tensor = entity.add<nvidia::gxf::Tensor>("points").value();
    auto allocator = nvidia::gxf::Handle<nvidia::gxf::Allocator>::Create(context.context(),
                                                                        allocator_->gxf_cid());
    tensor->reshape<float>(nvidia::gxf::Shape{2, 3}, nvidia::gxf::MemoryStorageType::kSystem,
                           allocator.value());
    for (int i = 0; i < 6; i++) { tensor->data<float>().value()[i] = static_cast<float>(i); }
    op_output.emit(message, "out");
  }

 private:
  Parameter<std::shared_ptr<Allocator>> allocator_;
};

class TensorForwardOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(TensorForwardOp)
  TensorForwardOp() = default;

  void setup(OperatorSpec& spec) override {
    spec.input<TensorMap>("in");
    spec.output<TensorMap>("out");
  }
  void compute(InputContext& op_input, OutputContext& op_output, ExecutionContext&) override {
    auto tensors = op_input.receive<TensorMap>("in").value();
    latest = tensors["points"]->data();
    op_output.emit(tensors, "out", 4711);
  }

  static inline void* latest = nullptr;
};

class TensorRxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(TensorRxOp)
  TensorRxOp() = default;

  void setup(OperatorSpec& spec) override { spec.input<TensorMap>("in"); }
  void compute(InputContext& op_input, OutputContext&, ExecutionContext&) override {
    auto tensor = op_input.receive<TensorMap>("in").value().at("points");
    Say("{}x{} of {} bytes, {} in all, same memory {}, last {:.1f}, time {}", tensor->shape()[0],
        tensor->shape()[1], static_cast<int>(tensor->itemsize()), tensor->nbytes(),
        tensor->data() == TensorForwardOp::latest, static_cast<float*>(tensor->data())[5],
        op_input.get_acquisition_timestamp("in").value());
  }
};

/// Works when a thread outside the application says so.
class OutsideOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(OutsideOp)
  OutsideOp() = default;

  void setup(OperatorSpec& spec) override {
    spec.param(event_, "event", "Event", "The event", ParameterFlag::kOptional);
  }
  void initialize() override {
    // As a parameter, too.
    add_arg(Arg("event") = fragment()->make_condition<AsynchronousCondition>("event"));
    Operator::initialize();
  }
  void compute(InputContext&, OutputContext&, ExecutionContext&) override {
    const auto event = event_.get();
    if (thread_.joinable()) { thread_.join(); }
    Say("tick {} state {}", ++count_, static_cast<int>(event->event_state()));
    if (count_ == 3) {
      event->event_state(AsynchronousEventState::EVENT_NEVER);
      return;
    }
    event->event_state(AsynchronousEventState::EVENT_WAITING);
    thread_ = std::thread([event] { event->event_state(AsynchronousEventState::EVENT_DONE); });
  }

 private:
  Parameter<std::shared_ptr<AsynchronousCondition>> event_;
  std::thread thread_;
  int count_ = 0;
};

/// A clock is a resource.
class TimeOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(TimeOp)
  TimeOp() = default;

  void setup(OperatorSpec& spec) override { spec.param(clock_, "clock", "Clock", "Time"); }
  void compute(InputContext&, OutputContext&, ExecutionContext&) override {
    Say("at {} ms", clock_->timestamp() / 1'000'000);
  }

 private:
  Parameter<std::shared_ptr<Clock>> clock_;
};

/// A resource of the program.
class Scale : public Resource {
 public:
  HOLOSCAN_RESOURCE_FORWARD_ARGS(Scale)
  Scale() = default;
  void setup(ComponentSpec& spec) override { spec.param(by_, "by", "By", "Factor", 2L); }
  int64_t by() const { return by_.get(); }

 private:
  Parameter<int64_t> by_;
};

/// A condition of the program: enough messages in an input, and only each third look.
class Patience : public Condition {
 public:
  HOLOSCAN_CONDITION_FORWARD_ARGS(Patience)
  Patience() = default;
  void setup(ComponentSpec& spec) override {
    spec.param(receiver_, "receiver", "Receiver", "The input");
    spec.param(looks_, "looks", "Looks", "How many looks it takes", 3);
  }
  void update_state(int64_t) override { seen_++; }
  void check(int64_t, SchedulingStatusType* type, int64_t*) const override {
    const bool enough = receiver_->size() + receiver_->back_size() > 0 && seen_ >= looks_.get();
    *type = enough ? SchedulingStatusType::kReady : SchedulingStatusType::kWait;
  }
  void on_execute(int64_t) override {
    Say("{} looks or more: {}", looks_.get(), seen_ >= looks_.get());
    seen_ = 0;
  }

 private:
  Parameter<std::shared_ptr<Receiver>> receiver_;
  Parameter<int> looks_;
  int seen_ = 0;
};

class ScaledOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(ScaledOp)
  ScaledOp() = default;

  void setup(OperatorSpec& spec) override {
    spec.input<int>("in").condition(ConditionType::kNone);
    spec.param(scale_, "scale", "Scale", "Factor");
  }
  void compute(InputContext& op_input, OutputContext&, ExecutionContext&) override {
    Say("scaled {}", op_input.receive<int>("in").value() * scale_->by());
  }

 private:
  Parameter<std::shared_ptr<Scale>> scale_;
};

/// Allocates a stream of its pool; its messages name it.
class StreamTxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(StreamTxOp)
  StreamTxOp() = default;

  void setup(OperatorSpec& spec) override {
    spec.input<std::vector<int>>("unused", IOSpec::kAnySize);
    spec.output<int>("out");
  }
  void compute(InputContext&, OutputContext& op_output, ExecutionContext& context) override {
    stream = context.allocate_cuda_stream("work").value();
    Say("device {}", context.device_from_stream(stream).value());
    op_output.emit(1, "out");
  }

  static inline cudaStream_t stream = nullptr;
};

/// Works on the streams of what it receives.
class StreamRxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(StreamRxOp)
  StreamRxOp() = default;

  void setup(OperatorSpec& spec) override {
    spec.input<int>("in").condition(ConditionType::kCudaStreamAvailable);
    spec.input<int>("plain");
    spec.output<int>("out");
  }
  void compute(InputContext& op_input, OutputContext& op_output, ExecutionContext&) override {
    (void)op_input.receive<int>("plain").value();
    Say("no stream: {}", op_input.receive_cuda_stream("plain", false) == nullptr);
    (void)op_input.receive<int>("in").value();
    const auto all = op_input.receive_cuda_streams("in");
    Say("its stream: {} of {}", op_input.receive_cuda_stream("in") == StreamTxOp::stream, all.size());
    op_output.emit(2, "out");
  }
};

/// Makes mistakes.
class WrongOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(WrongOp)
  WrongOp() = default;

  void setup(OperatorSpec& spec) override {
    spec.input<int>("in");
    spec.param(mistake_, "mistake", "Mistake", "Which one", std::string());
  }
  void compute(InputContext& op_input, OutputContext& op_output, ExecutionContext&) override {
    if (mistake_.get() == "type") {
      const auto text = op_input.receive<std::string>("in");
      Say("{}", text.error().what());
      return;
    }
    if (mistake_.get() == "empty") {
      (void)op_input.receive<int>("in");
      Say("empty {}: {}", op_input.empty("in"), op_input.receive<int>("in").error().what());
      return;
    }
    if (mistake_.get() == "input") { (void)op_input.receive<int>("inn"); }
    if (mistake_.get() == "output") { op_output.emit(1, "out"); }
    (void)op_input.receive<int>("in").value();
    throw std::domain_error("no more of this");
  }

 private:
  Parameter<std::string> mistake_;
};

/// Sends numbers with their names.
class NoteTxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(NoteTxOp)
  NoteTxOp() = default;

  void setup(OperatorSpec& spec) override { spec.output<int>("out"); }
  void compute(InputContext&, OutputContext& op_output, ExecutionContext&) override {
    metadata()->set("number", ++number_);
    metadata()->set("from", "tx");
    op_output.emit(number_);
  }

 private:
  int number_ = 0;
};

/// Passes on what comes with a note of its own.
class NoteOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(NoteOp)
  NoteOp() = default;

  void setup(OperatorSpec& spec) override {
    spec.input<int>("in");
    spec.output<int>("out");
    spec.param(note_, "note", "Note", "The key");
  }
  void compute(InputContext& op_input, OutputContext& op_output, ExecutionContext&) override {
    const int number = op_input.receive<int>("in").value();
    if (note_.get() == "throw") { throw std::domain_error("not today"); }
    if (is_metadata_enabled()) { metadata()->erase("number"); }
    metadata()->set(note_.get(), name() + " saw " + std::to_string(number));
    metadata()->erase("from");
    op_output.emit(number);
  }

 private:
  Parameter<std::string> note_;
};

/// Says the metadata of both inputs.
class NoteRxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(NoteRxOp)
  NoteRxOp() = default;

  void setup(OperatorSpec& spec) override {
    spec.input<int>("left");
    spec.input<int>("right");
  }
  void compute(InputContext& op_input, OutputContext&, ExecutionContext&) override {
    (void)op_input.receive<int>("left");
    (void)op_input.receive<int>("right");
    std::string all;
    for (const std::string& key : metadata()->keys()) {
      all += " " + key + "=" + Text(key);
    }
    Say("{} values:{}", metadata()->size(), all);
  }

 private:
  std::string Text(const std::string& key) {
    const auto* text = std::any_cast<std::string>(&metadata()->get(key)->value());
    return text == nullptr ? "?" : *text;
  }
};

class MiddleOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(MiddleOp)
  MiddleOp() = default;

  void setup(OperatorSpec& spec) override {
    spec.input<int>("in");
    spec.output<int>("out");
  }
  void compute(InputContext& op_input, OutputContext& op_output, ExecutionContext&) override {
    op_output.emit(op_input.receive<int>("in").value());
  }
};

class SayOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(SayOp)
  SayOp() = default;

  void setup(OperatorSpec& spec) override { spec.input<int>("in"); }
  void compute(InputContext& op_input, OutputContext&, ExecutionContext&) override {
    Say("{} {}", name(), op_input.receive<int>("in").value());
  }
};

/// Has no ports.
class StepOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(StepOp)
  StepOp() = default;

  void compute(InputContext&, OutputContext&, ExecutionContext&) override { Say("{}", name()); }
};

}  // namespace holoscan::ops

namespace {

using namespace holoscan;

/// Sends numbers, to two fragments.
class Source : public Fragment {
 public:
  explicit Source(int64_t count) : count_(count) {}

  void compose() override {
    auto tx = make_operator<ops::NoteTxOp>("tx", make_condition<CountCondition>("count", count_));
    if (count_ < 0) { return add_operator(tx); }
    add_flow(tx, make_operator<ops::SayOp>("own"));
  }

 private:
  int64_t count_;
};

class Middle : public Fragment {
 public:
  explicit Middle(std::string note) : note_(std::move(note)) {}

  void compose() override {
    add_operator(make_operator<ops::NoteOp>("middle", Arg("note", note_)));
  }

 private:
  std::string note_;
};

class Sink : public Fragment {
 public:
  void compose() override {
    scheduler(make_scheduler<EventBasedScheduler>("events"));
    add_operator(make_operator<ops::NoteRxOp>("rx"));
  }
};

class App : public Application {
 public:
  explicit App(std::vector<std::string> words) : Application(words) {}

  void compose() override {
    const std::string& what = argv()[0];
    const std::string detail = argv().size() > 1 ? argv()[1] : "";
    if (what == "ping") {
      auto tx = make_operator<ops::PingTxOp>("tx", make_condition<CountCondition>("count", 3));
      add_flow(tx, make_operator<ops::PingRxOp>("rx"));
      if (detail == "events") {
        scheduler(make_scheduler<EventBasedScheduler>("s", Arg("worker_thread_number", 2L)));
      } else if (detail == "threads") {
        scheduler(make_scheduler<MultiThreadScheduler>("s", Arg("worker_thread_number") = 2L));
      }
    } else if (what == "none" || what == "sum" || what == "each" || what == "either") {
      ops::PairOp::mode = what;
      auto source = make_operator<ops::CountOp>("source", make_condition<CountCondition>(6));
      auto in1_condition = make_condition<MessageAvailableCondition>(
          "in1_condition", Arg("min_size_", static_cast<uint64_t>(1)), Arg("receiver", "in1"));
      auto pair = what == "none" ? make_operator<ops::PairOp>("pair", in1_condition)
                                 : make_operator<ops::PairOp>("pair");
      add_flow(source, pair, {{"out1", "in1"}, {"out2", "in2"}});
    } else if (what == "boolean") {
      add_operator(make_operator<ops::CountOp>(
          "source", make_condition<BooleanCondition>("my_bool_condition", true), Arg("limit", 4)));
    } else if (what == "parameters") {
      auto source = make_operator<ops::CountOp>("source", from_config("source"),
                                                make_condition<CountCondition>("count", from_config("count")),
                                                Arg("factors") = std::vector<double>{2, 10});
      add_flow(source, make_operator<ops::GatherOp>("gather"), {{"out2", "receivers"}});
    } else if (what == "gather") {
      auto gather = make_operator<ops::GatherOp>("gather");
      for (int i = 1; i <= 3; i++) {
        auto source = make_operator<ops::CountOp>("source" + std::to_string(i), Arg("first", 10 * i),
                                                  make_condition<CountCondition>("count", 2));
        add_flow(source, gather, {{"out2", "receivers"}});
      }
    } else if (what == "tensor") {
      auto tx = make_operator<ops::TensorTxOp>(
          "tx", Arg("allocator") = make_resource<UnboundedAllocator>("memory"),
          make_condition<CountCondition>("count", 2));
      auto forward = make_operator<ops::TensorForwardOp>("forward");
      add_flow(tx, forward, {{"out", "in"}});
      add_flow(forward, make_operator<ops::TensorRxOp>("rx"));
    } else if (what == "outside") {
      add_operator(make_operator<ops::OutsideOp>("outside"));
    } else if (what == "periodic") {
      auto clock = make_resource<ManualClock>("clock");
      scheduler(make_scheduler<GreedyScheduler>("s", Arg("clock", clock)));
      add_operator(make_operator<ops::TimeOp>("timed", Arg("clock", clock),
                                              make_condition<PeriodicCondition>("each", 20ms),
                                              make_condition<CountCondition>("count", 4)));
    } else if (what == "native") {
      auto tx = make_operator<ops::PingTxOp>("tx", make_condition<CountCondition>("count", 2));
      auto scaled = make_operator<ops::ScaledOp>(
          "scaled", Arg("scale", make_resource<ops::Scale>("scale", Arg("by", 5))),
          make_condition<ops::Patience>("patience", Arg("receiver", "in"), Arg("looks", 2)));
      add_flow(tx, scaled);
    } else if (what == "streams") {
      auto pool = make_resource<CudaStreamPool>("streams", 0, 1, 0, 1, 2);
      auto tx = make_operator<ops::StreamTxOp>("tx", pool, make_condition<CountCondition>("count", 2));
      auto plain = make_operator<ops::PingTxOp>("plain", make_condition<CountCondition>("count", 2));
      auto rx = make_operator<ops::StreamRxOp>("rx");
      auto last = make_operator<ops::StreamRxOp>("last");
      add_flow(tx, rx, {{"out", "in"}});
      add_flow(plain, rx, {{"out", "plain"}});
      add_flow(rx, last, {{"out", "in"}});
      add_flow(plain, last, {{"out", "plain"}});
    } else if (what == "metadata") {
      const bool is_alike = detail == "clash" || detail == "update" || detail == "reject";
      auto tx = make_operator<ops::NoteTxOp>("tx", make_condition<CountCondition>("count", 2));
      auto left = make_operator<ops::NoteOp>("left", Arg("note", std::string("left")));
      auto right = make_operator<ops::NoteOp>("right", Arg("note", std::string(is_alike ? "left" : "right")));
      auto rx = make_operator<ops::NoteRxOp>("rx");
      if (detail == "update") { rx->metadata_policy(MetadataPolicy::kUpdate); }
      if (detail == "reject") { metadata_policy(MetadataPolicy::kReject); }
      if (detail == "off") { enable_metadata(false); }
      if (detail == "off here") { rx->enable_metadata(false); }
      add_flow(tx, left);
      add_flow(tx, right);
      add_flow(left, rx, {{"out", "left"}});
      add_flow(right, rx, {{"out", "right"}});
    } else if (what == "track") {
      auto tx = make_operator<ops::PingTxOp>("tx", make_condition<CountCondition>("count", 5));
      auto left = make_operator<ops::MiddleOp>("left");
      auto right = make_operator<ops::MiddleOp>("right");
      auto rx = make_operator<ops::NoteRxOp>("rx");
      add_flow(tx, left);
      add_flow(tx, right);
      add_flow(left, rx, {{"out", "left"}});
      add_flow(right, rx, {{"out", "right"}});
    } else if (what == "dynamic") {
      auto tx = make_operator<ops::PingTxOp>("tx", make_condition<CountCondition>("count", 5));
      auto odd = make_operator<ops::SayOp>("odd");
      auto even = make_operator<ops::SayOp>("even");
      add_flow(tx, odd);
      add_flow(tx, even);
      set_dynamic_flows(tx, [odd, even, n = 0](const std::shared_ptr<Operator>& op) mutable {
        n++;
        if (n == 5) {
          op->add_dynamic_flow(op->next_flows());
        } else if (n % 2 == 1) {
          op->add_dynamic_flow("out", odd, "in");
        } else {
          op->add_dynamic_flow(op->find_flow_info(
              [&](const auto& flow) { return flow->next_operator == even; }));
        }
      });
      if (detail == "stranger") {
        auto stranger = make_operator<ops::SayOp>("stranger");
        add_operator(stranger);
        set_dynamic_flows(tx, [stranger](const std::shared_ptr<Operator>& op) {
          op->add_dynamic_flow(stranger);
        });
      }
    } else if (what == "order") {
      // Operators without ports: the second starts after the first, and goes back to it three times.
      auto first = make_operator<ops::StepOp>("first");
      auto second = make_operator<ops::StepOp>("second");
      auto last = make_operator<ops::StepOp>("last");
      add_flow(start_op(), first);
      add_flow(first, second);
      add_flow(second, first);
      add_flow(second, last);
      set_dynamic_flows(second, [first, last, n = 0](const std::shared_ptr<Operator>& op) mutable {
        op->add_dynamic_flow(++n < 3 ? first : last);
      });
    } else if (what == "fragments") {
      // A source without an end, and an operator that fails in another fragment.
      const bool fails = detail == "throw";
      auto source = make_fragment<Source>("source", fails ? int64_t{-1} : int64_t{3});
      auto middle = make_fragment<Middle>("middle", fails ? "throw" : "middle");
      auto sink = make_fragment<Sink>("sink");
      if (detail == "fail") {
        add_flow(source, sink, {{"tx.out", "rx.left"}, {"tx.out", "rx.right"}, {"tx", "rx.no"}});
      } else {
        add_flow(source, middle, {{"tx", "middle"}});
        add_flow(source, sink, {{"tx.out", "rx.right"}});
        add_flow(middle, sink, {{"middle.out", "rx.left"}});
      }
    } else if (what == "wrong") {
      auto tx = make_operator<ops::PingTxOp>("tx", make_condition<CountCondition>("count", 1));
      auto wrong = make_operator<ops::WrongOp>("wrong", Arg("mistake", detail));
      if (detail == "port") { add_flow(tx, wrong, {{"exit", "in"}}); }
      if (detail == "twice") { add_operator(make_operator<ops::PingTxOp>("tx")); }
      if (detail == "missing") {
        add_operator(make_operator<ops::TensorTxOp>("tensors"));
      }
      if (detail == "value") { wrong->add_arg(Arg("mistake", std::vector<int>{1, 2})); }
      if (detail == "receiver") {
        wrong->add_arg(make_condition<MessageAvailableCondition>("c", Arg("receiver", "inn")));
      }
      if (detail == "key") { (void)from_config("no.such"); }
      add_flow(tx, wrong);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  auto app = make_application<App>(words);
  try {
    if (words[0] == "parameters") { app->config(words[1]); }
    if (words[0] == "gather") {
      app->run_async().get();
    } else if (words[0] == "track") {
      auto& tracker = app->track(1, 1);
      tracker.enable_logging(words[1]);
      app->run();
      for (const std::string& path : tracker.get_path_strings()) {
        const double most = tracker.get_metric(path, holoscan::DataFlowMetric::kMaxE2ELatency);
        const double least = tracker.get_metric(path, holoscan::DataFlowMetric::kMinE2ELatency);
        Say("{}: {} messages, {}", path,
            tracker.get_metric(path, holoscan::DataFlowMetric::kNumDstMessages),
            least > 0 && least <= most);
      }
      for (const auto& [output, count] : tracker.get_metric()) { Say("{}: {}", output, count); }
    } else {
      app->run();
    }
  } catch (const std::domain_error& error) {
    Say("a domain error: {}", error.what());
    return 3;
  } catch (const std::exception& error) {
    Say("refused: {}", error.what());
    return 2;
  }
  Say("done");
  return 0;
}
