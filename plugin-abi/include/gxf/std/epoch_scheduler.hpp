/// The scheduler the program around the graph drives.
#ifndef NVIDIA_GXF_STD_EPOCH_SCHEDULER_HPP_
#define NVIDIA_GXF_STD_EPOCH_SCHEDULER_HPP_

#include "gxf/sdk/announce.hpp"
#include "gxf/std/scheduler.hpp"

namespace nvidia {
namespace gxf {

/// A component of the host, to which a handle leads.
class EpochScheduler : public Scheduler {
 public:
  /// Runs the graph for `budget_ms` milliseconds of the scheduler's clock, or until nothing is
  /// ready; with a budget that is not positive, every entity is executed once. From any thread,
  /// between `GxfGraphRunAsync` and the end of the run.
  Expected<void> runEpoch(float budget_ms) {
    if (GxfGraphRunEpoch == nullptr) { return Unexpected{GXF_NOT_IMPLEMENTED}; }
    return ExpectedOrCode(GxfGraphRunEpoch(context(), budget_ms));
  }
};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<EpochScheduler> : ProxyOf<SchedulerProxy<EpochScheduler>> {};
inline const Announced<EpochScheduler> kEpochSchedulerAnnounced;
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_EPOCH_SCHEDULER_HPP_
