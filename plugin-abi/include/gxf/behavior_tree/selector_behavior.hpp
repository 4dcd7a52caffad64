/// The behavior tree extension's SelectorBehavior.
// Sources of that extension come with a header of their own under this name, which is found later
// on the path. The next line allows `#include_next`, which is no part of C++.
#pragma GCC system_header
#ifndef NVIDIA_GXF_BEHAVIOR_TREE_SELECTOR_BEHAVIOR_HPP_
#if __has_include_next("gxf/behavior_tree/selector_behavior.hpp")
#include_next "gxf/behavior_tree/selector_behavior.hpp"
#else
#define NVIDIA_GXF_BEHAVIOR_TREE_SELECTOR_BEHAVIOR_HPP_

#include "gxf/std/codelet.hpp"

namespace nvidia {
namespace gxf {

/// Runs one child after the other until one succeeds. A handle to one names it.
class SelectorBehavior : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<SelectorBehavior> : ProxyOf<CodeletProxy<SelectorBehavior>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif
#endif  // NVIDIA_GXF_BEHAVIOR_TREE_SELECTOR_BEHAVIOR_HPP_
