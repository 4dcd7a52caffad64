/// Runs entities for a scheduler.
#ifndef NVIDIA_GXF_CORE_ENTITY_EXECUTOR_HPP_
#define NVIDIA_GXF_CORE_ENTITY_EXECUTOR_HPP_

#include <cstdint>

#include "gxf/core/entity.hpp"
#include "gxf/std/scheduling_condition.hpp"

namespace nvidia {
namespace gxf {

/// Executes entities, for schedulers.
class EntityExecutor {
 public:
  explicit EntityExecutor(gxf_context_t context) : context_(context) {}

  /// Executes an entity once: checks its terms and, if they allow it, ticks its codelets.
  Expected<SchedulingCondition> executeEntity(gxf_uid_t eid, int64_t timestamp) {
    GxeCondition condition{};
    const GxeResultCode code =
        sdk::Host().entity_execute(sdk::ToAbi(context_), eid, timestamp, &condition);
    return ExpectedOrCode(
        sdk::ToGxf(code),
        SchedulingCondition{static_cast<SchedulingConditionType>(condition.condition_type),
                            condition.target});
  }

 private:
  gxf_context_t context_;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_ENTITY_EXECUTOR_HPP_
