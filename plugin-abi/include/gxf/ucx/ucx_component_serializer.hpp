/// Parts of messages of links as bytes.
#ifndef NVIDIA_GXF_UCX_UCX_COMPONENT_SERIALIZER_HPP_
#define NVIDIA_GXF_UCX_UCX_COMPONENT_SERIALIZER_HPP_

#include "gxf/serialization/component_serializer.hpp"
#include "gxf/sdk/proxies/component_serializer.hpp"

namespace nvidia {
namespace gxf {

/// Turns tensors and other parts of messages into bytes and back; a component of
/// `libgxf_ucx.so`.
class UcxComponentSerializer : public ComponentSerializer {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<UcxComponentSerializer> : ProxyOf<ComponentSerializerProxy<UcxComponentSerializer>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_UCX_UCX_COMPONENT_SERIALIZER_HPP_
