/// The host's way into clocks.
#ifndef GXF_SDK_TABLES_CLOCK_HPP_
#define GXF_SDK_TABLES_CLOCK_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/std/clock.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct ClockTable {
  static Clock& Self(void* object) { return BaseOf<Clock, T>(object); }
  static int64_t Timestamp(void* object) noexcept {
    return GuardValue<int64_t>(Self(object), "timestamp", 0, [&] { return Self(object).timestamp(); });
  }
  static GxeResultCode SleepFor(void* object, int64_t duration) noexcept {
    return Guard(Self(object), "sleepFor", [&] { return ToResultCode(Self(object).sleepFor(duration)); });
  }
  static GxeResultCode SleepUntil(void* object, int64_t target) noexcept {
    return Guard(Self(object), "sleepUntil", [&] { return ToResultCode(Self(object).sleepUntil(target)); });
  }
  static constexpr GxeClockVtable kTable = {sizeof(GxeClockVtable), Timestamp, SleepFor, SleepUntil,
                                            nullptr};
};

template <typename T>
struct RealtimeClockTable {
  static RealtimeClock& Self(void* object) { return BaseOf<RealtimeClock, T>(object); }
  static GxeResultCode SetTimeScale(void* object, double scale) noexcept {
    return Guard(Self(object), "setTimeScale",
                 [&] { return ToResultCode(Self(object).setTimeScale(scale)); });
  }
  static constexpr GxeRealtimeClockVtable kTable = {sizeof(GxeRealtimeClockVtable), SetTimeScale};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_CLOCK_HPP_
