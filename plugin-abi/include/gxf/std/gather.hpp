/// Messages of several receivers through one transmitter.
#ifndef NVIDIA_GXF_STD_GATHER_HPP_
#define NVIDIA_GXF_STD_GATHER_HPP_

#include "gxf/std/codelet.hpp"

namespace nvidia {
namespace gxf {

/// A codelet of the host; a handle to one names it.
class Gather : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<Gather> : ProxyOf<CodeletProxy<Gather>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_GATHER_HPP_
