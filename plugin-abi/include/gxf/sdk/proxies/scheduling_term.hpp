/// Proxies for foreign scheduling terms.
#ifndef GXF_SDK_PROXIES_SCHEDULING_TERM_HPP_
#define GXF_SDK_PROXIES_SCHEDULING_TERM_HPP_

#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/std/scheduling_term.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename Base>
class SchedulingTermProxy : public Base {
 public:
  Expected<void> Connect() {
    return term_.Connect(this->context(), this->cid(), GXE_TID_SCHEDULING_TERM);
  }
  gxf_result_t check_abi(int64_t timestamp, SchedulingConditionType* type,
                         int64_t* target_timestamp) const override {
    GxeCondition condition{};
    const GxeResultCode code = term_.table().check(term_.object(), timestamp, &condition);
    *type = static_cast<SchedulingConditionType>(condition.condition_type);
    *target_timestamp = condition.target;
    return ToGxf(code);
  }
  gxf_result_t onExecute_abi(int64_t timestamp) override {
    return ToGxf(term_.table().on_execute(term_.object(), timestamp));
  }
  gxf_result_t update_state_abi(int64_t timestamp) override {
    const auto update = term_.table().update_state;
    return update == nullptr ? GXF_SUCCESS : ToGxf(update(term_.object(), timestamp));
  }

 private:
  Link<GxeSchedulingTermVtable> term_;
};
template <>
struct Proxy<SchedulingTerm> : ProxyOf<SchedulingTermProxy<SchedulingTerm>> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_SCHEDULING_TERM_HPP_
