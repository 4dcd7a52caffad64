/// The host's way into scheduling terms that others switch.
#ifndef GXF_SDK_TABLES_SCHEDULING_TERMS_HPP_
#define GXF_SDK_TABLES_SCHEDULING_TERMS_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/std/scheduling_terms.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct BooleanSchedulingTermTable {
  static BooleanSchedulingTerm& Self(void* object) { return BaseOf<BooleanSchedulingTerm, T>(object); }
  static GxeResultCode SetTickEnabled(void* object, bool enabled) noexcept {
    return Guard(Self(object), "enable_tick", [&] {
      return ToResultCode(enabled ? Self(object).enable_tick() : Self(object).disable_tick());
    });
  }
  static bool IsTickEnabled(void* object) noexcept {
    return GuardValue(Self(object), "checkTickEnabled", false, [&] { return Self(object).checkTickEnabled(); });
  }
  static constexpr GxeBooleanSchedulingTermVtable kTable = {
      sizeof(GxeBooleanSchedulingTermVtable), SetTickEnabled, IsTickEnabled};
};

template <typename T>
struct AsynchronousSchedulingTermTable {
  static AsynchronousSchedulingTerm& Self(void* object) { return BaseOf<AsynchronousSchedulingTerm, T>(object); }
  static GxeResultCode SetEventState(void* object, GxeAsynchronousEventState state) noexcept {
    return Guard(Self(object), "setEventState", [&] {
      Self(object).setEventState(static_cast<AsynchronousEventState>(state));
      return GXF_SUCCESS;
    });
  }
  static GxeAsynchronousEventState EventState(void* object) noexcept {
    return GuardValue<GxeAsynchronousEventState>(Self(object), "getEventState", GxeAsynchronousEventState_EVENT_NEVER,
        [&] { return Self(object).getEventState(); });
  }
  static constexpr GxeAsynchronousSchedulingTermVtable kTable = {
      sizeof(GxeAsynchronousSchedulingTermVtable), SetEventState, EventState};
};

template <typename T>
struct TargetTimeSchedulingTermTable {
  static TargetTimeSchedulingTerm& Self(void* object) { return BaseOf<TargetTimeSchedulingTerm, T>(object); }
  static GxeResultCode SetNextTargetTime(void* object, int64_t target) noexcept {
    return Guard(Self(object), "setNextTargetTime",
                 [&] { return Self(object).setNextTargetTime(target); });
  }
  static constexpr GxeTargetTimeSchedulingTermVtable kTable = {
      sizeof(GxeTargetTimeSchedulingTermVtable), SetNextTargetTime};
};

template <typename T>
struct BtSchedulingTermTable {
  static BTSchedulingTerm& Self(void* object) { return BaseOf<BTSchedulingTerm, T>(object); }
  static GxeResultCode SetCondition(void* object, GxeConditionType condition) noexcept {
    return Guard(Self(object), "set_condition", [&] {
      return Self(object).set_condition(static_cast<SchedulingConditionType>(condition));
    });
  }
  static GxeResultCode WaitUntil(void*, int64_t) noexcept { return GxeResultCode_NOT_IMPLEMENTED; }
  static GxeResultCode WaitFor(void*, GxeUid, uint64_t) noexcept {
    return GxeResultCode_NOT_IMPLEMENTED;
  }
  static constexpr GxeBtSchedulingTermVtable kTable = {sizeof(GxeBtSchedulingTermVtable),
                                                       SetCondition, WaitUntil, WaitFor};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_SCHEDULING_TERMS_HPP_
