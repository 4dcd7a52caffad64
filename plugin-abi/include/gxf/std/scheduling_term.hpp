/// The base of scheduling terms.
#ifndef NVIDIA_GXF_STD_SCHEDULING_TERM_HPP_
#define NVIDIA_GXF_STD_SCHEDULING_TERM_HPP_

#include <cstdint>

#include "gxf/core/component.hpp"
#include "gxf/std/scheduling_condition.hpp"

namespace nvidia {
namespace gxf {

/// Says when the entity it is in may run.
class SchedulingTerm : public Component {
 public:
  ~SchedulingTerm() override = default;

  /// The condition at a time, in nanoseconds of the scheduler's clock.
  virtual gxf_result_t check_abi(int64_t timestamp, SchedulingConditionType* type,
                                 int64_t* target_timestamp) const = 0;
  /// The entity was ticked at this time.
  virtual gxf_result_t onExecute_abi(int64_t timestamp) = 0;
  /// Called before each `check_abi`.
  virtual gxf_result_t update_state_abi(int64_t timestamp) {
    (void)timestamp;
    return GXF_SUCCESS;
  }

  Expected<SchedulingCondition> check(int64_t timestamp) {
    SchedulingCondition condition{};
    const gxf_result_t updated = update_state_abi(timestamp);
    if (updated != GXF_SUCCESS) { return Unexpected{updated}; }
    const gxf_result_t code = check_abi(timestamp, &condition.type, &condition.target_timestamp);
    return ExpectedOrCode(code, condition);
  }
  Expected<void> onExecute(int64_t timestamp) { return ExpectedOrCode(onExecute_abi(timestamp)); }
};

namespace detail {

/// Lets the scheduler look at the entity of a component again.
inline Expected<void> NotifyEntity(const Component& component, gxf_event_t event) {
  return ExpectedOrCode(sdk::ToGxf(sdk::Host().entity_notify(
      sdk::ToAbi(component.context()), component.eid(), static_cast<GxeEvent>(event))));
}

}  // namespace detail

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/scheduling_term.hpp"
#include "gxf/sdk/tables/scheduling_term.hpp"

#endif  // NVIDIA_GXF_STD_SCHEDULING_TERM_HPP_
