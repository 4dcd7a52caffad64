/// Proxies for foreign clocks.
#ifndef GXF_SDK_PROXIES_CLOCK_HPP_
#define GXF_SDK_PROXIES_CLOCK_HPP_

#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/std/clock.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename Base>
class ClockProxy : public Base {
 public:
  Expected<void> Connect() {
    return clock_.Connect(this->context(), this->cid(), GXE_TID_CLOCK);
  }
  double time() const override { return TimestampToTime(timestamp()); }
  int64_t timestamp() const override { return clock_.table().timestamp(clock_.object()); }
  Expected<void> sleepFor(int64_t duration_ns) override {
    return ExpectedOrCode(ToGxf(clock_.table().sleep_for(clock_.object(), duration_ns)));
  }
  Expected<void> sleepUntil(int64_t target_time_ns) override {
    return ExpectedOrCode(ToGxf(clock_.table().sleep_until(clock_.object(), target_time_ns)));
  }

 private:
  Link<GxeClockVtable> clock_;
};
template <>
struct Proxy<Clock> : ProxyOf<ClockProxy<Clock>> {};
template <>
struct Proxy<ManualClock> : ProxyOf<ClockProxy<ManualClock>> {};

class RealtimeClockProxy : public ClockProxy<RealtimeClock> {
 public:
  Expected<void> Connect() {
    auto connected = ClockProxy<RealtimeClock>::Connect();
    connected &= realtime_.Connect(context(), cid(), GXE_TID_REALTIME_CLOCK);
    return connected;
  }
  Expected<void> setTimeScale(double time_scale) override {
    return ExpectedOrCode(
        ToGxf(realtime_.table().set_time_scale(realtime_.object(), time_scale)));
  }

 private:
  Link<GxeRealtimeClockVtable> realtime_;
};
template <>
struct Proxy<RealtimeClock> : ProxyOf<RealtimeClockProxy> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_CLOCK_HPP_
