/// The behavior tree extension's EntityCountFailureRepeatController.
// Sources of that extension come with a header of their own under this name, which is found later
// on the path. The next line allows `#include_next`, which is no part of C++.
#pragma GCC system_header
#ifndef NVIDIA_GXF_BEHAVIOR_TREE_ENTITY_COUNT_FAILURE_REPEAT_CONTROLLER_HPP_
#if __has_include_next("gxf/behavior_tree/entity_count_failure_repeat_controller.hpp")
#include_next "gxf/behavior_tree/entity_count_failure_repeat_controller.hpp"
#else
#define NVIDIA_GXF_BEHAVIOR_TREE_ENTITY_COUNT_FAILURE_REPEAT_CONTROLLER_HPP_

#include "gxf/std/controller.hpp"

namespace nvidia {
namespace gxf {

/// Repeats an entity that failed, up to a number of times. A handle to one names it.
class EntityCountFailureRepeatController : public Controller {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<EntityCountFailureRepeatController> : ProxyOf<ControllerProxy<EntityCountFailureRepeatController>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif
#endif  // NVIDIA_GXF_BEHAVIOR_TREE_ENTITY_COUNT_FAILURE_REPEAT_CONTROLLER_HPP_
