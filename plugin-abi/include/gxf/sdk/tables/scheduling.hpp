/// The host's way into scheduling terms, combiners, clocks and allocators.
#ifndef GXF_SDK_TABLES_SCHEDULING_HPP_
#define GXF_SDK_TABLES_SCHEDULING_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/std/allocator.hpp"
#include "gxf/std/clock.hpp"
#include "gxf/std/scheduling_term_combiner.hpp"
#include "gxf/std/scheduling_terms.hpp"
#include "gxf/std/synthetic_clock.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct SchedulingTermTable {
  static SchedulingTerm& Self(void* object) { return *static_cast<T*>(object); }

  static GxeResultCode Check(void* object, int64_t now, GxeCondition* condition) noexcept {
    return Guard("check_abi", [&] {
      SchedulingConditionType type = SchedulingConditionType::NEVER;
      const gxf_result_t code = Self(object).check_abi(now, &type, &condition->target);
      condition->condition_type = static_cast<GxeConditionType>(type);
      return code;
    });
  }
  static GxeResultCode OnExecute(void* object, int64_t now) noexcept {
    return Guard("onExecute_abi", [&] { return Self(object).onExecute_abi(now); });
  }
  static GxeResultCode UpdateState(void* object, int64_t now) noexcept {
    return Guard("update_state_abi", [&] { return Self(object).update_state_abi(now); });
  }

  static constexpr GxeSchedulingTermVtable kTable = {sizeof(GxeSchedulingTermVtable), Check,
                                                     OnExecute, UpdateState, nullptr};
};

template <typename T>
struct SchedulingTermCombinerTable {
  static SchedulingTermCombiner& Self(void* object) { return *static_cast<T*>(object); }

  static GxeResultCode Check(void* object, int64_t now, GxeCondition* condition) noexcept {
    return Guard("combine", [&]() -> gxf_result_t {
      auto terms = Self(object).getTermList();
      Expected<SchedulingCondition> combined = Unexpected{GXF_ARGUMENT_INVALID};
      for (size_t i = 0; i < terms.size(); i++) {
        const auto checked = terms.data()[i]->check(now);
        if (!checked) { return checked.error(); }
        combined = combined ? Self(object).combine(combined.value(), checked.value())
                            : checked.value();
      }
      if (!combined) { return combined.error(); }
      condition->condition_type = static_cast<GxeConditionType>(combined->type);
      condition->target = combined->target_timestamp;
      return GXF_SUCCESS;
    });
  }
  static void Terms(void* object, GxeUidSink sink) noexcept {
    Guard("getTermList", [&] {
      const auto terms = Self(object).getTermList();
      for (size_t i = 0; i < terms.size(); i++) { sink.add(sink.user, terms.data()[i].cid()); }
      return GXF_SUCCESS;
    });
  }

  static constexpr GxeSchedulingTermCombinerVtable kTable = {
      sizeof(GxeSchedulingTermCombinerVtable), Check, Terms};
};

template <typename T>
struct BooleanSchedulingTermTable {
  static BooleanSchedulingTerm& Self(void* object) { return *static_cast<T*>(object); }
  static GxeResultCode SetTickEnabled(void* object, bool enabled) noexcept {
    return Guard("enable_tick", [&] {
      return ToResultCode(enabled ? Self(object).enable_tick() : Self(object).disable_tick());
    });
  }
  static bool IsTickEnabled(void* object) noexcept {
    return GuardValue("checkTickEnabled", false, [&] { return Self(object).checkTickEnabled(); });
  }
  static constexpr GxeBooleanSchedulingTermVtable kTable = {
      sizeof(GxeBooleanSchedulingTermVtable), SetTickEnabled, IsTickEnabled};
};

template <typename T>
struct AsynchronousSchedulingTermTable {
  static AsynchronousSchedulingTerm& Self(void* object) { return *static_cast<T*>(object); }
  static GxeResultCode SetEventState(void* object, GxeAsynchronousEventState state) noexcept {
    return Guard("setEventState", [&] {
      Self(object).setEventState(static_cast<AsynchronousEventState>(state));
      return GXF_SUCCESS;
    });
  }
  static GxeAsynchronousEventState EventState(void* object) noexcept {
    return GuardValue<GxeAsynchronousEventState>(
        "getEventState", GxeAsynchronousEventState_EVENT_NEVER,
        [&] { return Self(object).getEventState(); });
  }
  static constexpr GxeAsynchronousSchedulingTermVtable kTable = {
      sizeof(GxeAsynchronousSchedulingTermVtable), SetEventState, EventState};
};

template <typename T>
struct TargetTimeSchedulingTermTable {
  static GxeResultCode SetNextTargetTime(void* object, int64_t target) noexcept {
    return Guard("setNextTargetTime",
                 [&] { return static_cast<T*>(object)->setNextTargetTime(target); });
  }
  static constexpr GxeTargetTimeSchedulingTermVtable kTable = {
      sizeof(GxeTargetTimeSchedulingTermVtable), SetNextTargetTime};
};

template <typename T>
struct BtSchedulingTermTable {
  static GxeResultCode SetCondition(void* object, GxeConditionType condition) noexcept {
    return Guard("set_condition", [&] {
      return static_cast<T*>(object)->set_condition(static_cast<SchedulingConditionType>(condition));
    });
  }
  static GxeResultCode WaitUntil(void*, int64_t) noexcept { return GxeResultCode_NOT_IMPLEMENTED; }
  static GxeResultCode WaitFor(void*, GxeUid, uint64_t) noexcept {
    return GxeResultCode_NOT_IMPLEMENTED;
  }
  static constexpr GxeBtSchedulingTermVtable kTable = {sizeof(GxeBtSchedulingTermVtable),
                                                       SetCondition, WaitUntil, WaitFor};
};

template <typename T>
struct ClockTable {
  static Clock& Self(void* object) { return *static_cast<T*>(object); }
  static int64_t Timestamp(void* object) noexcept {
    return GuardValue<int64_t>("timestamp", 0, [&] { return Self(object).timestamp(); });
  }
  static GxeResultCode SleepFor(void* object, int64_t duration) noexcept {
    return Guard("sleepFor", [&] { return ToResultCode(Self(object).sleepFor(duration)); });
  }
  static GxeResultCode SleepUntil(void* object, int64_t target) noexcept {
    return Guard("sleepUntil", [&] { return ToResultCode(Self(object).sleepUntil(target)); });
  }
  static constexpr GxeClockVtable kTable = {sizeof(GxeClockVtable), Timestamp, SleepFor, SleepUntil,
                                            nullptr};
};

template <typename T>
struct RealtimeClockTable {
  static GxeResultCode SetTimeScale(void* object, double scale) noexcept {
    return Guard("setTimeScale",
                 [&] { return ToResultCode(static_cast<T*>(object)->setTimeScale(scale)); });
  }
  static constexpr GxeRealtimeClockVtable kTable = {sizeof(GxeRealtimeClockVtable), SetTimeScale};
};

template <typename T>
struct SyntheticClockTable {
  static GxeResultCode AdvanceTo(void* object, int64_t target) noexcept {
    return Guard("advanceTo",
                 [&] { return ToResultCode(static_cast<T*>(object)->advanceTo(target)); });
  }
  static GxeResultCode AdvanceBy(void* object, int64_t duration) noexcept {
    return Guard("advanceBy",
                 [&] { return ToResultCode(static_cast<T*>(object)->advanceBy(duration)); });
  }
  static constexpr GxeSyntheticClockVtable kTable = {sizeof(GxeSyntheticClockVtable), AdvanceTo,
                                                     AdvanceBy};
};

template <typename T>
struct AllocatorTable {
  static Allocator& Self(void* object) { return *static_cast<T*>(object); }
  static bool IsAvailable(void* object, uint64_t size) noexcept {
    return GuardValue("is_available_abi", false, [&] { return Self(object).is_available(size); });
  }
  static GxeResultCode Allocate(void* object, uint64_t size, GxeStorageType storage,
                                uint8_t** pointer) noexcept {
    return Guard("allocate_abi", [&] {
      void* memory = nullptr;
      const gxf_result_t code = Self(object).allocate_abi(size, storage, &memory);
      *pointer = static_cast<uint8_t*>(memory);
      return code;
    });
  }
  static GxeResultCode Free(void* object, uint8_t* pointer) noexcept {
    return Guard("free_abi", [&] { return ToResultCode(Self(object).free(pointer)); });
  }
  static uint64_t BlockSize(void* object) noexcept {
    return GuardValue<uint64_t>("block_size_abi", 1, [&] { return Self(object).block_size(); });
  }
  static constexpr GxeAllocatorVtable kTable = {
      sizeof(GxeAllocatorVtable), IsAvailable, Allocate, Free, BlockSize, nullptr};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_SCHEDULING_HPP_
