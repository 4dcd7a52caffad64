/// The scheduler the program around the graph drives.
#ifndef NVIDIA_GXF_STD_EPOCH_SCHEDULER_HPP_
#define NVIDIA_GXF_STD_EPOCH_SCHEDULER_HPP_

#include "common/logger.hpp"
#include "gxf/std/scheduler.hpp"

namespace nvidia {
namespace gxf {

/// A component of the host; a handle to one names it. Epochs are run by programs that embed the
/// runtime in Rust.
class EpochScheduler : public Scheduler {
 public:
  /// `GXF_NOT_IMPLEMENTED`: the border has no function for it.
  Expected<void> runEpoch(float budget_ms) {
    (void)budget_ms;
    GXF_LOG_ERROR("epochs cannot be run from C++; embed the runtime in Rust to run them");
    return Unexpected{GXF_NOT_IMPLEMENTED};
  }
};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<EpochScheduler> : ProxyOf<SchedulerProxy<EpochScheduler>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_EPOCH_SCHEDULER_HPP_
