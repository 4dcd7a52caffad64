/// Proxies for foreign schedulers.
#ifndef GXF_SDK_PROXIES_SCHEDULER_HPP_
#define GXF_SDK_PROXIES_SCHEDULER_HPP_

#include "gxf/sdk/proxies/system.hpp"
#include "gxf/std/scheduler.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

/// The host's own schedulers have no functions to call; a handle to one serves to name it.
template <typename Base>
class SchedulerProxy : public Base {
 public:
  Expected<void> Connect() { return Success; }
  gxf_result_t prepare_abi(EntityExecutor*) override { return GXF_NOT_IMPLEMENTED; }
  gxf_result_t schedule_abi(gxf_uid_t) override { return GXF_NOT_IMPLEMENTED; }
  gxf_result_t unschedule_abi(gxf_uid_t) override { return GXF_NOT_IMPLEMENTED; }
  gxf_result_t runAsync_abi() override { return GXF_NOT_IMPLEMENTED; }
  gxf_result_t stop_abi() override { return GXF_NOT_IMPLEMENTED; }
  gxf_result_t wait_abi() override { return GXF_NOT_IMPLEMENTED; }
  gxf_result_t event_notify_abi(gxf_uid_t, gxf_event_t) override { return GXF_NOT_IMPLEMENTED; }
};
template <>
struct Proxy<Scheduler> : ProxyOf<SchedulerProxy<Scheduler>> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_SCHEDULER_HPP_
