/// The host's std component serializer.
#ifndef NVIDIA_GXF_SERIALIZATION_STD_COMPONENT_SERIALIZER_HPP_
#define NVIDIA_GXF_SERIALIZATION_STD_COMPONENT_SERIALIZER_HPP_

#include "gxf/serialization/component_serializer.hpp"

namespace nvidia {
namespace gxf {

/// A component of the host; a handle to one leads there.
class StdComponentSerializer : public ComponentSerializer {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<StdComponentSerializer> : ProxyOf<ComponentSerializerProxy<StdComponentSerializer>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_SERIALIZATION_STD_COMPONENT_SERIALIZER_HPP_
