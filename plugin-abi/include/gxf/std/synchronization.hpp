/// Messages of several receivers with the same time.
#ifndef NVIDIA_GXF_STD_SYNCHRONIZATION_HPP_
#define NVIDIA_GXF_STD_SYNCHRONIZATION_HPP_

#include "gxf/std/codelet.hpp"

namespace nvidia {
namespace gxf {

/// A codelet of the host; a handle to one names it.
class Synchronization : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<Synchronization> : ProxyOf<CodeletProxy<Synchronization>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_SYNCHRONIZATION_HPP_
