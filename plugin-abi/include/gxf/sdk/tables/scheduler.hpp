/// The host's way into schedulers.
#ifndef GXF_SDK_TABLES_SCHEDULER_HPP_
#define GXF_SDK_TABLES_SCHEDULER_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/std/scheduler.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct SchedulerTable {
  static GxeResultCode Prepare(void* object) noexcept {
    Scheduler& self = BaseOf<Scheduler, T>(object);
    return Guard(self, "prepare_abi", [&] {
      return self.prepare_abi(detail::SchedulerAccess::Executor(self));
    });
  }
  static constexpr GxeSchedulerVtable kTable = {sizeof(GxeSchedulerVtable), Prepare};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_SCHEDULER_HPP_
