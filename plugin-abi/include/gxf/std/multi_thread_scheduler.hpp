/// The scheduler whose workers look for entities that are ready.
#ifndef NVIDIA_GXF_STD_MULTI_THREAD_SCHEDULER_HPP_
#define NVIDIA_GXF_STD_MULTI_THREAD_SCHEDULER_HPP_

#include "gxf/std/scheduler.hpp"

namespace nvidia {
namespace gxf {

/// A component of the host; a handle to one names it.
class MultiThreadScheduler : public Scheduler {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<MultiThreadScheduler> : ProxyOf<SchedulerProxy<MultiThreadScheduler>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_MULTI_THREAD_SCHEDULER_HPP_
