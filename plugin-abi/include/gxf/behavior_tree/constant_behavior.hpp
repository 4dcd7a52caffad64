/// The behavior tree extension's ConstantBehavior.
// Sources of that extension come with a header of their own under this name, which is found later
// on the path. The next line allows `#include_next`, which is no part of C++.
#pragma GCC system_header
#ifndef NVIDIA_GXF_BEHAVIOR_TREE_CONSTANT_BEHAVIOR_HPP_
#if __has_include_next("gxf/behavior_tree/constant_behavior.hpp")
#include_next "gxf/behavior_tree/constant_behavior.hpp"
#else
#define NVIDIA_GXF_BEHAVIOR_TREE_CONSTANT_BEHAVIOR_HPP_

#include "gxf/std/codelet.hpp"

namespace nvidia {
namespace gxf {

/// Succeeds or fails, always the same. A handle to one names it.
class ConstantBehavior : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<ConstantBehavior> : ProxyOf<CodeletProxy<ConstantBehavior>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif
#endif  // NVIDIA_GXF_BEHAVIOR_TREE_CONSTANT_BEHAVIOR_HPP_
