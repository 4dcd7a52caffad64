/// An operator's view of the application, during one execution.
#ifndef HOLOSCAN_CORE_EXECUTION_CONTEXT_HPP_
#define HOLOSCAN_CORE_EXECUTION_CONTEXT_HPP_

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "holoscan/core/io_context.hpp"

namespace holoscan {

/// What the engine does with an operator.
enum class OperatorStatus {
  kNotStarted = GXF_ENTITY_STATUS_NOT_STARTED,
  kStartPending = GXF_ENTITY_STATUS_START_PENDING,
  kStarted = GXF_ENTITY_STATUS_STARTED,
  kTickPending = GXF_ENTITY_STATUS_TICK_PENDING,
  kTicking = GXF_ENTITY_STATUS_TICKING,
  kIdle = GXF_ENTITY_STATUS_IDLE,
  kStopPending = GXF_ENTITY_STATUS_STOP_PENDING,
};

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
  /// The status of an operator of this fragment, by its name; of this one without a name.
  expected<OperatorStatus, RuntimeError> get_operator_status(const std::string& name = "") {
    gxf_uid_t eid = queues_.eid;
    gxf_entity_status_t status = GXF_ENTITY_STATUS_NOT_STARTED;
    gxf_result_t code = GXF_SUCCESS;
    if (!name.empty() && name != queues_.name) {
      // Entities of fragments have a prefix.
      const char* own = nullptr;
      code = GxfEntityGetName(queues_.context, queues_.eid, &own);
      std::string entity(code == GXF_SUCCESS ? own : "");
      entity.resize(entity.size() - std::min(entity.size(), queues_.name.size()));
      entity += name;
      code = GxfEntityFind(queues_.context, entity.c_str(), &eid);
    }
    if (code == GXF_SUCCESS) { code = GxfEntityGetStatus(queues_.context, eid, &status); }
    if (code == GXF_SUCCESS) { return static_cast<OperatorStatus>(status); }
    return make_unexpected(RuntimeError(ErrorCode::kNotFound, "there is no operator `" + name +
                                                                  "`: " + GxfResultStr(code)));
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
