/// Proxies for foreign systems.
#ifndef GXF_SDK_PROXIES_SYSTEM_HPP_
#define GXF_SDK_PROXIES_SYSTEM_HPP_

#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/std/system.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename Base>
class SystemProxy : public Base {
 public:
  Expected<void> Connect() {
    return system_.Connect(this->context(), this->cid(), GXE_TID_SYSTEM);
  }
  gxf_result_t schedule_abi(gxf_uid_t eid) override {
    return ToGxf(system_.table().schedule(system_.object(), eid));
  }
  gxf_result_t unschedule_abi(gxf_uid_t eid) override {
    return ToGxf(system_.table().unschedule(system_.object(), eid));
  }
  gxf_result_t runAsync_abi() override { return ToGxf(system_.table().run_async(system_.object())); }
  gxf_result_t stop_abi() override { return ToGxf(system_.table().stop(system_.object())); }
  gxf_result_t wait_abi() override { return ToGxf(system_.table().wait(system_.object())); }
  gxf_result_t event_notify_abi(gxf_uid_t eid, gxf_event_t event) override {
    return ToGxf(
        system_.table().event_notify(system_.object(), eid, static_cast<GxeEvent>(event)));
  }

 private:
  Link<GxeSystemVtable> system_;
};
template <>
struct Proxy<System> : ProxyOf<SystemProxy<System>> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_SYSTEM_HPP_
