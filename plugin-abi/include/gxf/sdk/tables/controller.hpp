/// The host's way into controllers.
#ifndef GXF_SDK_TABLES_CONTROLLER_HPP_
#define GXF_SDK_TABLES_CONTROLLER_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/std/controller.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct ControllerTable {
  static Controller& Self(void* object) { return BaseOf<Controller, T>(object); }
  static GxeControllerStatus Control(void* object, GxeUid eid, GxeResultCode code) noexcept {
    const auto status = GuardValue(
        Self(object), "control",
        gxf_controller_status_t(GXF_BEHAVIOR_UNKNOWN, GXF_EXECUTE_FAILURE),
        [&] { return Self(object).control(eid, ExpectedOrCode(ToGxf(code))); });
    return {static_cast<int32_t>(status.behavior_status), static_cast<int32_t>(status.exec_status)};
  }
  static constexpr GxeControllerVtable kTable = {sizeof(GxeControllerVtable), Control};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_CONTROLLER_HPP_
