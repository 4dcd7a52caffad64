/// The scheduler that is woken by events.
#ifndef NVIDIA_GXF_STD_EVENT_BASED_SCHEDULER_HPP_
#define NVIDIA_GXF_STD_EVENT_BASED_SCHEDULER_HPP_

#include "gxf/std/scheduler.hpp"

namespace nvidia {
namespace gxf {

/// A component of the host.
class EventBasedScheduler : public Scheduler {
 public:
  /// Makes the scheduler check an entity again; without an entity, its own.
  gxf_result_t notifyDispatcher(gxf_uid_t eid = kNullUid) {
    return sdk::ToGxf(sdk::Host().entity_notify(sdk::ToAbi(context()),
                                                eid == kNullUid ? this->eid() : eid,
                                                GxeEvent_EXTERNAL));
  }
};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<EventBasedScheduler> : ProxyOf<SchedulerProxy<EventBasedScheduler>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_EVENT_BASED_SCHEDULER_HPP_
