/// The behavior tree extension's SwitchBehavior.
// Sources of that extension come with a header of their own under this name, which is found later
// on the path. The next line allows `#include_next`, which is no part of C++.
#pragma GCC system_header
#ifndef NVIDIA_GXF_BEHAVIOR_TREE_SWITCH_BEHAVIOR_HPP_
#if __has_include_next("gxf/behavior_tree/switch_behavior.hpp")
#include_next "gxf/behavior_tree/switch_behavior.hpp"
#else
#define NVIDIA_GXF_BEHAVIOR_TREE_SWITCH_BEHAVIOR_HPP_

#include "gxf/std/codelet.hpp"

namespace nvidia {
namespace gxf {

/// Runs the child that a parameter names. A handle to one names it.
class SwitchBehavior : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<SwitchBehavior> : ProxyOf<CodeletProxy<SwitchBehavior>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif
#endif  // NVIDIA_GXF_BEHAVIOR_TREE_SWITCH_BEHAVIOR_HPP_
