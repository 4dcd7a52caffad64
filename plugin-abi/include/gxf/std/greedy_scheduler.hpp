/// The scheduler with one thread.
#ifndef NVIDIA_GXF_STD_GREEDY_SCHEDULER_HPP_
#define NVIDIA_GXF_STD_GREEDY_SCHEDULER_HPP_

#include "gxf/std/scheduler.hpp"

namespace nvidia {
namespace gxf {

/// A component of the host; a handle to one names it.
class GreedyScheduler : public Scheduler {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<GreedyScheduler> : ProxyOf<SchedulerProxy<GreedyScheduler>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_GREEDY_SCHEDULER_HPP_
