/// When an entity may run.
#ifndef NVIDIA_GXF_STD_SCHEDULING_CONDITION_HPP_
#define NVIDIA_GXF_STD_SCHEDULING_CONDITION_HPP_

#include "gxf/sdk/requirements.hpp"

#include <algorithm>
#include <cstdint>

namespace nvidia {
namespace gxf {

/// Whether an entity may run.
enum class SchedulingConditionType : int32_t {
  /// Never again.
  NEVER = 0,
  /// Now.
  READY = 1,
  /// At an unknown time.
  WAIT = 2,
  /// From the target time on.
  WAIT_TIME = 3,
  /// After an event from outside the graph.
  WAIT_EVENT = 4,
};

/// Name of a type.
inline const char* SchedulingConditionTypeStr(const SchedulingConditionType& type) {
  switch (type) {
    case SchedulingConditionType::NEVER:
      return "Never";
    case SchedulingConditionType::READY:
      return "Ready";
    case SchedulingConditionType::WAIT:
      return "Wait";
    case SchedulingConditionType::WAIT_TIME:
      return "WaitTime";
    case SchedulingConditionType::WAIT_EVENT:
      return "WaitEvent";
  }
  return "N/A";
}

/// The answer of a scheduling term.
struct SchedulingCondition {
  SchedulingConditionType type;
  /// Nanoseconds: for `WAIT_TIME` the time to wait for, otherwise that of the last change.
  int64_t target_timestamp;
};

/// Both conditions hold: the stricter one counts.
inline SchedulingCondition AndCombine(SchedulingCondition a, SchedulingCondition b) {
  for (const auto type : {SchedulingConditionType::NEVER, SchedulingConditionType::WAIT_EVENT,
                          SchedulingConditionType::WAIT}) {
    if (a.type == type) { return a; }
    if (b.type == type) { return b; }
  }
  const bool both = a.type == b.type;
  const int64_t later = std::max(a.target_timestamp, b.target_timestamp);
  if (both) { return {a.type, later}; }
  return a.type == SchedulingConditionType::WAIT_TIME ? a : b;
}

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_SCHEDULING_CONDITION_HPP_
