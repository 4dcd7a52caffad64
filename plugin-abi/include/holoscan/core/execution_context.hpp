/// An operator's view of the application, during one execution.
#ifndef HOLOSCAN_CORE_EXECUTION_CONTEXT_HPP_
#define HOLOSCAN_CORE_EXECUTION_CONTEXT_HPP_

#include <memory>
#include <optional>
#include <string>

#include "holoscan/core/io_context.hpp"

namespace holoscan {

/// What `compute` works with.
class ExecutionContext {
 public:
  explicit ExecutionContext(gxf::OperatorQueues& queues)
      : queues_(queues), input_(queues), output_(queues) {}

  InputContext* input() { return &input_; }
  OutputContext* output() { return &output_; }
  /// The context in GXF's C API.
  gxf_context_t context() const { return queues_.context; }

  /// A stream of the operator's `CudaStreamPool`, the same one for the same name. The messages that
  /// this execution sends name it. Without a pool: the default stream.
  expected<cudaStream_t, RuntimeError> allocate_cuda_stream(const std::string& name = "") {
    try {
      return queues_.Allocate(name);
    } catch (const std::exception& exception) {
      return make_unexpected(RuntimeError(ErrorCode::kFailure, exception.what()));
    }
  }
  /// Number of the device of a stream that was received or allocated here.
  expected<int, RuntimeError> device_from_stream(cudaStream_t stream) {
    const auto device = queues_.DeviceOf(stream);
    if (device) { return *device; }
    return make_unexpected(RuntimeError(ErrorCode::kNotFound, "the stream is not known here"));
  }

 private:
  gxf::OperatorQueues& queues_;
  InputContext input_;
  OutputContext output_;
};

namespace gxf {

inline Entity Entity::New(ExecutionContext* context) {
  auto made = nvidia::gxf::Entity::New(context->context());
  if (!made) {
    throw std::runtime_error(std::string("there is no memory for a message: ") +
                             GxfResultStr(made.error()));
  }
  return Entity(std::move(made.value()));
}

}  // namespace gxf

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_EXECUTION_CONTEXT_HPP_
