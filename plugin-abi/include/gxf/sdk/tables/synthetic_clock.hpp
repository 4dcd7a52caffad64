/// The table of clocks that other components or programs move.
#ifndef GXF_SDK_TABLES_SYNTHETIC_CLOCK_HPP_
#define GXF_SDK_TABLES_SYNTHETIC_CLOCK_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/std/synthetic_clock.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct SyntheticClockTable {
  static SyntheticClock& Self(void* object) { return BaseOf<SyntheticClock, T>(object); }
  static GxeResultCode AdvanceTo(void* object, int64_t target) noexcept {
    return Guard(Self(object), "advanceTo",
                 [&] { return ToResultCode(Self(object).advanceTo(target)); });
  }
  static GxeResultCode AdvanceBy(void* object, int64_t duration) noexcept {
    return Guard(Self(object), "advanceBy",
                 [&] { return ToResultCode(Self(object).advanceBy(duration)); });
  }
  static constexpr GxeSyntheticClockVtable kTable = {sizeof(GxeSyntheticClockVtable), AdvanceTo,
                                                     AdvanceBy};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_SYNTHETIC_CLOCK_HPP_
