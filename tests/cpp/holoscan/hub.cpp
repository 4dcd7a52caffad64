// What public applications use beyond Holoscan's own examples: the first word chooses an application.
// Each line on standard output is one that the test expects.
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gxf/multimedia/video.hpp>
#include <holoscan/core/forward_def.hpp>
#include <holoscan/core/resources/gxf/cpu_thread.hpp>
#include <holoscan/holoscan.hpp>
#include <holoscan/utils/cuda_stream_handler.hpp>

namespace {

using namespace holoscan;

std::string mode;

/// Sends numbers from a member, whose type it states.
class NumberTxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(NumberTxOp)
  NumberTxOp() = default;
  void setup(OperatorSpec& spec) override {
    spec.output<int>("out");
    spec.param(step_, "step", "Step", "What is added each time", 1);
    spec.param(pool_, "pool", "Pool", "Not used", ParameterFlag::kOptional);
  }
  void compute(InputContext&, OutputContext& op_output, ExecutionContext&) override {
    number_ += step_;
    if (mode == "null") { fmt::print("{} {}\n", pool_.has_value(), pool_.get() == nullptr); }
    op_output.emit<int>(number_, "out");
  }

 private:
  Parameter<int> step_;
  Parameter<std::shared_ptr<Allocator>> pool_;
  int number_ = 0;
};

class NumberRxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(NumberRxOp)
  NumberRxOp() = default;
  void setup(OperatorSpec& spec) override { spec.input<int>("in"); }
  void initialize() override {
    Operator::initialize();
    context_ = fragment()->executor().context();
  }
  void compute(InputContext& op_input, OutputContext&, ExecutionContext& context) override {
    const auto number = op_input.receive<int>("in");
    fmt::print("got {}\n", number ? std::to_string(*number) : "nothing");
    if (mode == "config") { fmt::print("{}\n", context_ != nullptr && context_ == context.context()); }
  }

 private:
  gxf_context_t context_ = nullptr;
};

int given_back = 0;

/// Sends an array of another library.
class ArrayTxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(ArrayTxOp)
  ArrayTxOp() = default;
  void setup(OperatorSpec& spec) override { spec.output<TensorMap>("out"); }
  void compute(InputContext&, OutputContext& op_output, ExecutionContext&) override {
    static float values[] = {1, 2, 3, 4, 5, 6};
    static int64_t shape[] = {2, 3};
    auto* array = new DLManagedTensor{};
    array->dl_tensor.data = values;
    array->dl_tensor.device = {kDLCPU, 0};
    array->dl_tensor.ndim = 2;
    array->dl_tensor.dtype = {kDLFloat, 32, 1};
    array->dl_tensor.shape = shape;
    array->deleter = [](DLManagedTensor* tensor) {
      given_back++;
      delete tensor;
    };
    TensorMap message;
    message.insert({"array", std::make_shared<Tensor>(array)});
    op_output.emit(message);
  }
};

/// Hands what it receives to another library.
class ArrayRxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(ArrayRxOp)
  ArrayRxOp() = default;
  void setup(OperatorSpec& spec) override { spec.input<holoscan::gxf::Entity>("in"); }
  void compute(InputContext& op_input, OutputContext&, ExecutionContext&) override {
    DLManagedTensor* array = nullptr;
    {
      const auto message = op_input.receive<holoscan::gxf::Entity>("in").value();
      fmt::print("{} {}\n", !message, !holoscan::gxf::Entity());
      array = message.get<Tensor>("array")->to_dlpack();
    }
    const DLTensor& tensor = array->dl_tensor;
    fmt::print("{}x{} last {} given back {}\n", tensor.shape[0], tensor.shape[1],
               static_cast<const float*>(tensor.data)[5], given_back);
    array->deleter(array);
  }
};

/// Sends a picture, which it adds by a copy of the message.
class PictureTxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(PictureTxOp)
  PictureTxOp() = default;
  void setup(OperatorSpec& spec) override {
    spec.output<holoscan::gxf::Entity>("out");
    spec.param(allocator_, "allocator", "Allocator", "Memory of the picture");
  }
  void compute(InputContext&, OutputContext& op_output, ExecutionContext& context) override {
    using namespace nvidia::gxf;
    auto message = holoscan::gxf::Entity::New(&context);
    const auto picture = static_cast<nvidia::gxf::Entity>(message).add<VideoBuffer>().value();
    const auto resized = picture->resize<VideoFormat::GXF_VIDEO_FORMAT_RGBA>(
        4, 2, SurfaceLayout::GXF_SURFACE_LAYOUT_PITCH_LINEAR, nvidia::gxf::MemoryStorageType::kHost,
        allocator_->gxf_handle());
    if (!resized) { throw std::runtime_error(GxfResultStr(resized.error())); }
    op_output.emit(message, "out");
  }

 private:
  Parameter<std::shared_ptr<holoscan::Allocator>> allocator_;
};
class PictureRxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(PictureRxOp)
  PictureRxOp() = default;
  void setup(OperatorSpec& spec) override { spec.input<holoscan::gxf::Entity>("in"); }
  void compute(InputContext& op_input, OutputContext&, ExecutionContext&) override {
    const auto message = op_input.receive<holoscan::gxf::Entity>("in").value();
    const auto picture = static_cast<nvidia::gxf::Entity>(message).get<nvidia::gxf::VideoBuffer>();
    fmt::print("{} wide\n", picture.value()->video_frame_info().width);
  }
};

/// Looks for streams itself.
class WorkOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(WorkOp)
  WorkOp() = default;
  void setup(OperatorSpec& spec) override {
    if (mode == "streams") { spec.input<holoscan::gxf::Entity>("in", IOSpec::kAnySize); }
    spec.output<holoscan::gxf::Entity>("out");
    handler_.define_params(spec);
  }
  void compute(InputContext& op_input, OutputContext& op_output, ExecutionContext& context) override {
    const auto received = op_input.receive<std::vector<holoscan::gxf::Entity>>("in").value();
    bool is_theirs = false;
    if (received.size() == 1) {
      Check(handler_.from_message(context.context(), received[0]));
      is_theirs = handler_.get_cuda_stream(context.context()) == sent_;
    } else if (!received.empty()) {
      Check(handler_.from_messages(context.context(), received));
    }
    sent_ = handler_.get_cuda_stream(fragment()->executor().context());
    fmt::print("{} of {}: a stream {}, theirs {}\n", name(), received.size(), sent_ != nullptr, is_theirs);
    auto message = nvidia::gxf::Entity::New(context.context());
    Check(handler_.to_message(message));
    fmt::print("named {}\n", message->get<nvidia::gxf::CudaStreamId>().has_value());
    auto result = holoscan::gxf::Entity(std::move(message.value()));
    op_output.emit(result, "out");
  }

 private:
  static void Check(gxf_result_t code) {
    if (code != GXF_SUCCESS) { throw std::runtime_error(GxfResultStr(code)); }
  }
  static inline cudaStream_t sent_ = nullptr;
  CudaStreamHandler handler_;
};

class App : public Application {
 public:
  void compose() override {
    if (mode == "dlpack") {
      add_flow(make_operator<ArrayTxOp>("tx", make_condition<CountCondition>(1)),
               make_operator<ArrayRxOp>("rx"));
      return;
    }
    if (mode == "picture") {
      auto memory = make_resource<UnboundedAllocator>("memory");
      add_flow(make_operator<PictureTxOp>("tx", Arg("allocator", memory), make_condition<CountCondition>(1)),
               make_operator<PictureRxOp>("rx"));
      return;
    }
    if (mode == "streams") {
      auto pool = make_resource<CudaStreamPool>("streams", 0, 1, 0, 1, 4);
      auto first = make_operator<WorkOp>("first", Arg("cuda_stream_pool", pool),
                                         make_condition<CountCondition>(1));
      auto second = make_operator<WorkOp>("second");
      auto third = make_operator<WorkOp>("third", Arg("cuda_stream_pool", pool));
      add_flow(first, second, {{"out", "in"}});
      add_flow(first, third, {{"out", "in"}});
      add_flow(second, third, {{"out", "in"}});
      return;
    }
    auto tx = make_operator<NumberTxOp>("tx", make_condition<CountCondition>(mode == "buffer" ? 1 : 2));
    auto rx = make_operator<NumberRxOp>("rx");
    if (mode == "null") { tx->add_arg(Arg("pool") = std::shared_ptr<BlockMemoryPool>()); }
    if (mode == "no condition") { tx->add_arg(std::shared_ptr<CountCondition>()); }
    if (mode == "config") {
      fmt::print("{} {}\n", tx->fragment()->application()->description(), version());
      const auto& documents = config().yaml_nodes();
      fmt::print("{} of {}\n", documents.size(), config().config_file() == config_file());
      const YAML::Node& node = documents[0];
      const auto named = node["name"];
      if (named && named.IsDefined()) { fmt::print("{}\n", named.as<std::string>()); }
      tx->add_arg(from_config("tx"));
    }
    if (mode == "buffer") {
      rx->add_arg(make_condition<CountCondition>(3));
      add_flow(tx, rx, IOSpec::ConnectorType::kAsyncBuffer);
    } else {
      add_flow(tx, rx, {{"out", "in"}}, IOSpec::ConnectorType::kDoubleBuffer);
    }
    auto pool = make_thread_pool("pool");
    if (mode == "fifo") { pool->add_realtime(tx, SchedulingPolicy::kFirstInFirstOut, true, {0}, 5); }
    if (mode == "deadline") { pool->add_realtime(tx, SchedulingPolicy::kDeadline, true, {}, 0, 3, 2, 1); }
    if (mode == "loose") { pool->add_realtime(tx, SchedulingPolicy::kRoundRobin, false); }
  }
};

}  // namespace

int main(int argc, char** argv) {
  mode = argv[1];
  holoscan::set_log_pattern("FULL");
  try {
    auto app = make_application<App>();
    app->description("an application").version("1.2.3");
    if (argc > 2) { app->config(argv[2]); }
    if (mode != "buffer") {
      app->scheduler(app->make_scheduler<EventBasedScheduler>("events"));
    }
    app->run();
  } catch (const std::exception& exception) {
    fmt::print("refused: {}\n", exception.what());
    return 2;
  }
  holoscan::log_info("a line of {}", mode);
  holoscan::log_error("an error of {}", mode);
  fmt::print("done, given back {}\n", given_back);
  return 0;
}
