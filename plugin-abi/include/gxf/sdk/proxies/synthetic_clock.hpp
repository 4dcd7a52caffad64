/// Proxies for foreign synthetic clocks.
#ifndef GXF_SDK_PROXIES_SYNTHETIC_CLOCK_HPP_
#define GXF_SDK_PROXIES_SYNTHETIC_CLOCK_HPP_

#include "gxf/sdk/proxies/clock.hpp"
#include "gxf/std/synthetic_clock.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

class SyntheticClockProxy : public ClockProxy<SyntheticClock> {
 public:
  Expected<void> Connect() {
    auto connected = ClockProxy<SyntheticClock>::Connect();
    connected &= synthetic_.Connect(context(), cid(), GXE_TID_SYNTHETIC_CLOCK);
    return connected;
  }
  Expected<void> advanceTo(int64_t new_time_ns) override {
    return ExpectedOrCode(ToGxf(synthetic_.table().advance_to(synthetic_.object(), new_time_ns)));
  }
  Expected<void> advanceBy(int64_t time_delta_ns) override {
    return ExpectedOrCode(
        ToGxf(synthetic_.table().advance_by(synthetic_.object(), time_delta_ns)));
  }

 private:
  Link<GxeSyntheticClockVtable> synthetic_;
};
template <>
struct Proxy<SyntheticClock> : ProxyOf<SyntheticClockProxy> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_SYNTHETIC_CLOCK_HPP_
