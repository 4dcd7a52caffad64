/// The host's way into monitors.
#ifndef GXF_SDK_TABLES_MONITOR_HPP_
#define GXF_SDK_TABLES_MONITOR_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/std/monitor.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct MonitorTable {
  static Monitor& Self(void* object) { return BaseOf<Monitor, T>(object); }
  static GxeResultCode OnExecute(void* object, GxeUid eid, int64_t timestamp,
                                 GxeResultCode code) noexcept {
    return Guard(Self(object), "on_execute_abi", [&] {
      return Self(object).on_execute_abi(eid, static_cast<uint64_t>(timestamp),
                                                     ToGxf(code));
    });
  }
  static constexpr GxeMonitorVtable kTable = {sizeof(GxeMonitorVtable), OnExecute};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_MONITOR_HPP_
