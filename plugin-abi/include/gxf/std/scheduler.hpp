/// The base of schedulers.
#ifndef NVIDIA_GXF_STD_SCHEDULER_HPP_
#define NVIDIA_GXF_STD_SCHEDULER_HPP_

#include <memory>

#include "gxf/core/entity_executor.hpp"
#include "gxf/std/system.hpp"

namespace nvidia {
namespace gxf {

namespace detail {
struct SchedulerAccess;
}  // namespace detail

/// A system that executes entities.
class Scheduler : public System {
 public:
  ~Scheduler() override = default;

  /// Called once after activation. The executor lives as long as the scheduler.
  virtual gxf_result_t prepare_abi(EntityExecutor* executor) = 0;

  Expected<void> prepare(EntityExecutor* executor) { return ExpectedOrCode(prepare_abi(executor)); }

 private:
  friend struct detail::SchedulerAccess;

  std::unique_ptr<EntityExecutor> executor_;
};

namespace detail {

struct SchedulerAccess {
  static EntityExecutor* Executor(Scheduler& scheduler) {
    if (!scheduler.executor_) {
      scheduler.executor_ = std::make_unique<EntityExecutor>(scheduler.context());
    }
    return scheduler.executor_.get();
  }
};

}  // namespace detail

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/scheduler.hpp"
#include "gxf/sdk/tables/scheduler.hpp"

#endif  // NVIDIA_GXF_STD_SCHEDULER_HPP_
