/// Proxies for the host's scheduling terms.
#ifndef GXF_SDK_PROXIES_SCHEDULING_TERMS_HPP_
#define GXF_SDK_PROXIES_SCHEDULING_TERMS_HPP_

#include "gxf/sdk/announce.hpp"
#include "gxf/sdk/proxies/scheduling_term.hpp"
#include "gxf/std/scheduling_terms.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <>
struct Proxy<CountSchedulingTerm> : ProxyOf<SchedulingTermProxy<CountSchedulingTerm>> {};
template <>
struct Proxy<DownstreamReceptiveSchedulingTerm>
    : ProxyOf<SchedulingTermProxy<DownstreamReceptiveSchedulingTerm>> {};
template <>
struct Proxy<MessageAvailableSchedulingTerm>
    : ProxyOf<SchedulingTermProxy<MessageAvailableSchedulingTerm>> {};
template <>
struct Proxy<MultiMessageAvailableSchedulingTerm>
    : ProxyOf<SchedulingTermProxy<MultiMessageAvailableSchedulingTerm>> {};
template <>
struct Proxy<ExpiringMessageAvailableSchedulingTerm>
    : ProxyOf<SchedulingTermProxy<ExpiringMessageAvailableSchedulingTerm>> {};
template <>
struct Proxy<MemoryAvailableSchedulingTerm>
    : ProxyOf<SchedulingTermProxy<MemoryAvailableSchedulingTerm>> {};
template <>
struct Proxy<MessageAvailableFrequencyThrottler>
    : ProxyOf<SchedulingTermProxy<MessageAvailableFrequencyThrottler>> {};

class PeriodicSchedulingTermProxy : public SchedulingTermProxy<PeriodicSchedulingTerm> {
 public:
  Expected<void> Connect() {
    const auto connected = SchedulingTermProxy<PeriodicSchedulingTerm>::Connect();
    if (!connected) { return connected; }
    const auto text = RemoteParameter<std::string>(*this, "recess_period");
    if (!text) { return ForwardError(text); }
    const auto period = ParseRecessPeriodString(text.value(), cid());
    if (!period) { return ForwardError(period); }
    period_ns_ = period.value();
    return Success;
  }
  int64_t recess_period_ns() const override { return period_ns_; }
  /// Only the term itself knows.
  Expected<int64_t> last_run_timestamp() const override {
    return Unexpected{GXF_NOT_IMPLEMENTED};
  }

 private:
  int64_t period_ns_ = 0;
};
template <>
struct Proxy<PeriodicSchedulingTerm> : ProxyOf<PeriodicSchedulingTermProxy> {};

class TargetTimeSchedulingTermProxy : public SchedulingTermProxy<TargetTimeSchedulingTerm> {
 public:
  Expected<void> Connect() {
    auto connected = SchedulingTermProxy<TargetTimeSchedulingTerm>::Connect();
    connected &= link_.Connect(context(), cid(), GXE_TID_TARGET_TIME_SCHEDULING_TERM);
    return connected;
  }
  gxf_result_t setNextTargetTime(int64_t target_timestamp) override {
    return ToGxf(link_.table().set_next_target_time(link_.object(), target_timestamp));
  }

 private:
  Link<GxeTargetTimeSchedulingTermVtable> link_;
};
template <>
struct Proxy<TargetTimeSchedulingTerm> : ProxyOf<TargetTimeSchedulingTermProxy> {};

class BooleanSchedulingTermProxy : public SchedulingTermProxy<BooleanSchedulingTerm> {
 public:
  Expected<void> Connect() {
    auto connected = SchedulingTermProxy<BooleanSchedulingTerm>::Connect();
    connected &= link_.Connect(context(), cid(), GXE_TID_BOOLEAN_SCHEDULING_TERM);
    return connected;
  }
  Expected<void> enable_tick() override {
    return ExpectedOrCode(ToGxf(link_.table().set_tick_enabled(link_.object(), true)));
  }
  Expected<void> disable_tick() override {
    return ExpectedOrCode(ToGxf(link_.table().set_tick_enabled(link_.object(), false)));
  }
  bool checkTickEnabled() const override { return link_.table().is_tick_enabled(link_.object()); }

 private:
  Link<GxeBooleanSchedulingTermVtable> link_;
};
template <>
struct Proxy<BooleanSchedulingTerm> : ProxyOf<BooleanSchedulingTermProxy> {};
inline const Announced<BooleanSchedulingTerm> kBooleanSchedulingTermAnnounced;

class BTSchedulingTermProxy : public SchedulingTermProxy<BTSchedulingTerm> {
 public:
  Expected<void> Connect() {
    auto connected = SchedulingTermProxy<BTSchedulingTerm>::Connect();
    connected &= link_.Connect(context(), cid(), GXE_TID_BT_SCHEDULING_TERM);
    return connected;
  }
  gxf_result_t set_condition(SchedulingConditionType type) override {
    return ToGxf(link_.table().set_condition(link_.object(), static_cast<GxeConditionType>(type)));
  }

 private:
  Link<GxeBtSchedulingTermVtable> link_;
};
template <>
struct Proxy<BTSchedulingTerm> : ProxyOf<BTSchedulingTermProxy> {};

class AsynchronousSchedulingTermProxy : public SchedulingTermProxy<AsynchronousSchedulingTerm> {
 public:
  Expected<void> Connect() {
    auto connected = SchedulingTermProxy<AsynchronousSchedulingTerm>::Connect();
    connected &= link_.Connect(context(), cid(), GXE_TID_ASYNCHRONOUS_SCHEDULING_TERM);
    return connected;
  }
  void setEventState(AsynchronousEventState state) override {
    const GxeResultCode code = link_.table().set_event_state(
        link_.object(), static_cast<GxeAsynchronousEventState>(state));
    if (code != GxeResultCode_SUCCESS) {
      GXF_LOG_ERROR("the event state could not be changed: code %d", static_cast<int>(code));
    }
  }
  AsynchronousEventState getEventState() const override {
    return static_cast<AsynchronousEventState>(link_.table().event_state(link_.object()));
  }

 private:
  Link<GxeAsynchronousSchedulingTermVtable> link_;
};
template <>
struct Proxy<AsynchronousSchedulingTerm> : ProxyOf<AsynchronousSchedulingTermProxy> {};
inline const Announced<AsynchronousSchedulingTerm> kAsynchronousSchedulingTermAnnounced;

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_SCHEDULING_TERMS_HPP_
