/// The host's way into systems.
#ifndef GXF_SDK_TABLES_SYSTEM_HPP_
#define GXF_SDK_TABLES_SYSTEM_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/std/system.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct SystemTable {
  static System& Self(void* object) { return BaseOf<System, T>(object); }
  static GxeResultCode Schedule(void* object, GxeUid eid) noexcept {
    return Guard(Self(object), "schedule_abi", [&] { return Self(object).schedule_abi(eid); });
  }
  static GxeResultCode Unschedule(void* object, GxeUid eid) noexcept {
    return Guard(Self(object), "unschedule_abi", [&] { return Self(object).unschedule_abi(eid); });
  }
  static GxeResultCode RunAsync(void* object) noexcept {
    return Guard(Self(object), "runAsync_abi", [&] { return Self(object).runAsync_abi(); });
  }
  static GxeResultCode Stop(void* object) noexcept {
    return Guard(Self(object), "stop_abi", [&] { return Self(object).stop_abi(); });
  }
  static GxeResultCode Wait(void* object) noexcept {
    return Guard(Self(object), "wait_abi", [&] { return Self(object).wait_abi(); });
  }
  static GxeResultCode EventNotify(void* object, GxeUid eid, GxeEvent event) noexcept {
    return Guard(Self(object), "event_notify_abi", [&] {
      return Self(object).event_notify_abi(eid, static_cast<gxf_event_t>(event));
    });
  }
  static constexpr GxeSystemVtable kTable = {
      sizeof(GxeSystemVtable), Schedule, Unschedule, RunAsync, Stop, Wait, EventNotify};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_SYSTEM_HPP_
