/// Operators and conditions of the program as components of the engine.
#ifndef HOLOSCAN_CORE_GXF_WRAPPERS_HPP_
#define HOLOSCAN_CORE_GXF_WRAPPERS_HPP_

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "gxf/app/graph_entity.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/scheduling_term.hpp"
#include "holoscan/core/message.hpp"
#include "holoscan/core/operator.hpp"

namespace holoscan {
namespace gxf {

/// Takes an exception that ended a call of the program.
using OnFailure = std::function<void(std::exception_ptr)>;

namespace detail {

/// Calls the program. An exception is logged, and handed over.
template <typename F>
gxf_result_t Guarded(const char* what, const std::string& name, const char* function,
                     const OnFailure& on_failure, F&& call) {
  try {
    call();
    return GXF_SUCCESS;
  } catch (const std::exception& exception) {
    GXF_LOG_ERROR("%s `%s`: %s: %s", what, name.c_str(), function, exception.what());
    on_failure(std::current_exception());
  } catch (...) {
    GXF_LOG_ERROR("%s `%s`: %s failed", what, name.c_str(), function);
    on_failure(std::current_exception());
  }
  return GXF_FAILURE;
}

}  // namespace detail

/// The codelet of an operator.
class GXFWrapper : public nvidia::gxf::Codelet {
 public:
  GXFWrapper() = default;
  ~GXFWrapper() override {
    if (operator_ != nullptr) { operator_->Detach(&queues_); }
  }

  void bind(std::shared_ptr<Operator> op, OnFailure on_failure) {
    operator_ = std::move(op);
    operator_->Attach(&queues_);
    on_failure_ = std::move(on_failure);
  }
  OperatorQueues& queues() { return queues_; }

  gxf_result_t start() override {
    return Call("start", [&] { operator_->start(); });
  }
  gxf_result_t tick() override {
    return Call("compute", [&] {
      queues_.BeginExecution(getExecutionTimestamp());
      ExecutionContext context(queues_);
      operator_->compute(*context.input(), *context.output(), context);
      if (queues_.is_dynamic) {
        for (const auto& flow : operator_->ChooseFlows()) {
          queues_.EmitAlong(flow.get(), flow->output_port_name, flow->is_order());
        }
      } else if (!queues_.order_output.is_null()) {
        queues_.EmitOrder(queues_.order_output);
      }
      queues_.EndExecution();
    });
  }
  gxf_result_t stop() override {
    return Call("stop", [&] { operator_->stop(); });
  }

 private:
  template <typename F>
  gxf_result_t Call(const char* function, F&& call) {
    if (operator_ == nullptr) { return GXF_INVALID_LIFECYCLE_STAGE; }
    return detail::Guarded("operator", operator_->name(), function, on_failure_, std::forward<F>(call));
  }

  std::shared_ptr<Operator> operator_;
  OnFailure on_failure_;
  OperatorQueues queues_;
};

/// The scheduling term of a condition of the program.
class GXFSchedulingTermWrapper : public nvidia::gxf::SchedulingTerm {
 public:
  void bind(std::shared_ptr<Condition> condition, OnFailure on_failure) {
    condition_ = std::move(condition);
    on_failure_ = std::move(on_failure);
  }

  gxf_result_t check_abi(int64_t timestamp, nvidia::gxf::SchedulingConditionType* type,
                         int64_t* target_timestamp) const override {
    return Call("check", [&] {
      SchedulingStatusType answer = SchedulingStatusType::kWait;
      *target_timestamp = timestamp;
      condition_->check(timestamp, &answer, target_timestamp);
      *type = static_cast<nvidia::gxf::SchedulingConditionType>(answer);
    });
  }
  gxf_result_t onExecute_abi(int64_t timestamp) override {
    return Call("on_execute", [&] { condition_->on_execute(timestamp); });
  }
  gxf_result_t update_state_abi(int64_t timestamp) override {
    return Call("update_state", [&] { condition_->update_state(timestamp); });
  }

 private:
  template <typename F>
  gxf_result_t Call(const char* function, F&& call) const {
    if (condition_ == nullptr) { return GXF_INVALID_LIFECYCLE_STAGE; }
    return detail::Guarded("condition", condition_->name(), function, on_failure_, std::forward<F>(call));
  }

  std::shared_ptr<Condition> condition_;
  OnFailure on_failure_;
};

/// Makes the payload of operators known to a context. The classes above are registered where they are
/// added, as all classes of the program.
inline void RegisterMessage(gxf_context_t context) {
  namespace app = nvidia::gxf::detail;
  // Segments share what another one registered.
  gxf_tid_t known = GxfTidNull();
  if (GxfComponentTypeId(context, "holoscan::Message", &known) == GXF_SUCCESS) { return; }
  // For ever: contexts may keep the type as long as the process.
  static nvidia::gxf::DefaultExtension& extension = *[] {
    auto* made = new nvidia::gxf::DefaultExtension;
    made->setInfo(app::TidOfName("holoscan", 1), "HoloscanOperators", "What operators send", "",
                  "1.0.0", "");
    made->add<Message>(app::TidOfName("holoscan::Message", 2), "A value of C++");
    made->add<holoscan::detail::MessageMetadata>(
        app::TidOfName("holoscan::detail::MessageMetadata", 2), "Metadata of a message");
    made->add<holoscan::detail::MessagePaths>(app::TidOfName("holoscan::detail::MessagePaths", 2),
                                              "The paths of a message");
    return made;
  }();
  if (!app::LoadOwn(context, extension, "the payload of operators")) {
    throw std::runtime_error("the payload of operators cannot be registered; the log says why");
  }
}

}  // namespace gxf
}  // namespace holoscan

#endif  // HOLOSCAN_CORE_GXF_WRAPPERS_HPP_
