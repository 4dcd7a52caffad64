/// Messages of links as bytes.
#ifndef NVIDIA_GXF_UCX_UCX_ENTITY_SERIALIZER_HPP_
#define NVIDIA_GXF_UCX_UCX_ENTITY_SERIALIZER_HPP_

#include "gxf/serialization/entity_serializer.hpp"
#include "gxf/sdk/proxies/entity_serializer.hpp"

namespace nvidia {
namespace gxf {

/// Turns messages into bytes and back; a component of `libgxf_ucx.so`.
class UcxEntitySerializer : public EntitySerializer {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<UcxEntitySerializer> : ProxyOf<EntitySerializerProxy<UcxEntitySerializer>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_UCX_UCX_ENTITY_SERIALIZER_HPP_
