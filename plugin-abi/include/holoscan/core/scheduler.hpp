/// Schedulers: what executes operators.
#ifndef HOLOSCAN_CORE_SCHEDULER_HPP_
#define HOLOSCAN_CORE_SCHEDULER_HPP_

#include <memory>
#include <stdexcept>

#include "holoscan/core/component.hpp"
#include "holoscan/core/gxf/gxf_component.hpp"
#include "holoscan/core/resource.hpp"

namespace holoscan {

/// Executes the operators of an application. Its arguments are the parameters of GXF's scheduler; a
/// `clock` may be a resource.
class Scheduler : public Component, public gxf::GXFComponent {
 public:
  Scheduler() = default;
  HOLOSCAN_FORWARD_ARGS_TO(Scheduler, Component)

  /// Its clock: the one among its arguments, else a `RealtimeClock`.
  std::shared_ptr<Clock> clock() {
    for (const Arg& arg : args_) {
      if (arg.name() != "clock" || arg.components().empty()) { continue; }
      auto clock = std::dynamic_pointer_cast<Clock>(arg.components()[0]);
      if (clock == nullptr) { throw std::runtime_error("the `clock` of the scheduler is no clock"); }
      return clock;
    }
    if (clock_ == nullptr) {
      clock_ = std::make_shared<RealtimeClock>();
      clock_->name("clock").fragment(fragment_);
    }
    return clock_;
  }

 private:
  std::shared_ptr<Clock> clock_;
};

#define HOLOSCAN_GXF_SCHEDULER(class_name, type)               \
  class class_name : public Scheduler {                        \
   public:                                                     \
    class_name() = default;                                    \
    HOLOSCAN_FORWARD_ARGS_TO(class_name, Scheduler)            \
    const char* gxf_typename() const override { return type; } \
  };

/// One thread: the default.
HOLOSCAN_GXF_SCHEDULER(GreedyScheduler, "nvidia::gxf::GreedyScheduler")
/// Several threads (`worker_thread_number`).
HOLOSCAN_GXF_SCHEDULER(MultiThreadScheduler, "nvidia::gxf::MultiThreadScheduler")
/// Several threads, which events wake.
HOLOSCAN_GXF_SCHEDULER(EventBasedScheduler, "nvidia::gxf::EventBasedScheduler")
#undef HOLOSCAN_GXF_SCHEDULER

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_SCHEDULER_HPP_
