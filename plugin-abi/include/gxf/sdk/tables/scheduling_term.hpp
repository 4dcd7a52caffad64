/// The host's way into scheduling terms.
#ifndef GXF_SDK_TABLES_SCHEDULING_TERM_HPP_
#define GXF_SDK_TABLES_SCHEDULING_TERM_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/std/scheduling_term.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct SchedulingTermTable {
  static SchedulingTerm& Self(void* object) { return BaseOf<SchedulingTerm, T>(object); }

  static GxeResultCode Check(void* object, int64_t now, GxeCondition* condition) noexcept {
    return Guard(Self(object), "check_abi", [&] {
      SchedulingConditionType type = SchedulingConditionType::NEVER;
      const gxf_result_t code = Self(object).check_abi(now, &type, &condition->target);
      condition->condition_type = static_cast<GxeConditionType>(type);
      return code;
    });
  }
  static GxeResultCode OnExecute(void* object, int64_t now) noexcept {
    return Guard(Self(object), "onExecute_abi", [&] { return Self(object).onExecute_abi(now); });
  }
  static GxeResultCode UpdateState(void* object, int64_t now) noexcept {
    return Guard(Self(object), "update_state_abi", [&] {
      const gxf_result_t code = Self(object).update_state_abi(now);
      // The host updates a term as a part of its check.
      if (code != GXF_SUCCESS) { Report("update_state_abi() failed"); }
      return code;
    });
  }

  static constexpr GxeSchedulingTermVtable kTable = {sizeof(GxeSchedulingTermVtable), Check,
                                                     OnExecute, UpdateState, nullptr};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_SCHEDULING_TERM_HPP_
