/// Proxies for foreign monitors.
#ifndef GXF_SDK_PROXIES_MONITOR_HPP_
#define GXF_SDK_PROXIES_MONITOR_HPP_

#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/std/monitor.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

class MonitorProxy : public Monitor {
 public:
  Expected<void> Connect() { return monitor_.Connect(context(), cid(), GXE_TID_MONITOR); }
  gxf_result_t on_execute_abi(gxf_uid_t eid, uint64_t timestamp, gxf_result_t code) override {
    return ToGxf(monitor_.table().on_execute(monitor_.object(), eid,
                                             static_cast<int64_t>(timestamp), code));
  }

 private:
  Link<GxeMonitorVtable> monitor_;
};
template <>
struct Proxy<Monitor> : ProxyOf<MonitorProxy> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_MONITOR_HPP_
