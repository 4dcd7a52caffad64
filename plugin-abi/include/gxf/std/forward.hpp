/// Passes messages on.
#ifndef NVIDIA_GXF_STD_FORWARD_HPP_
#define NVIDIA_GXF_STD_FORWARD_HPP_

#include "gxf/std/codelet.hpp"

namespace nvidia {
namespace gxf {

/// A codelet of the host; a handle to one names it.
class Forward : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<Forward> : ProxyOf<CodeletProxy<Forward>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_FORWARD_HPP_
