/// Messages to bytes and back.
#ifndef NVIDIA_GXF_SERIALIZATION_ENTITY_SERIALIZER_HPP_
#define NVIDIA_GXF_SERIALIZATION_ENTITY_SERIALIZER_HPP_

#include <cstdint>

#include "gxf/core/component.hpp"
#include "gxf/core/entity.hpp"
#include "gxf/serialization/endpoint.hpp"

namespace nvidia {
namespace gxf {

/// Serializes messages.
class EntitySerializer : public Component {
 public:
  ~EntitySerializer() override = default;

  /// Writes a message.
  virtual gxf_result_t serialize_entity_abi(gxf_uid_t eid, Endpoint* endpoint, uint64_t* size) = 0;
  /// Creates a message for the incoming data, and may read all of it. A message without payloads is
  /// then filled by `deserialize_entity_abi`.
  virtual Expected<Entity> deserialize_entity_header_abi(Endpoint* endpoint) = 0;
  /// Reads into a message. Not called if the function above fails with an error other than
  /// `GXF_NOT_IMPLEMENTED`.
  virtual gxf_result_t deserialize_entity_abi(gxf_uid_t eid, Endpoint* endpoint) = 0;

  /// Bytes that were written.
  Expected<size_t> serializeEntity(Entity entity, Endpoint* endpoint) {
    uint64_t size = 0;
    const gxf_result_t code = serialize_entity_abi(entity.eid(), endpoint, &size);
    return ExpectedOrCode(code, static_cast<size_t>(size));
  }
  Expected<void> deserializeEntity(Entity entity, Endpoint* endpoint) {
    return ExpectedOrCode(deserialize_entity_abi(entity.eid(), endpoint));
  }
  /// Reads a new message.
  Expected<Entity> deserializeEntity(gxf_context_t context, Endpoint* endpoint) {
    auto entity = deserialize_entity_header_abi(endpoint);
    if (!entity && entity.error() == GXF_NOT_IMPLEMENTED) { entity = Entity::New(context); }
    if (!entity || detail::EntityAccess::HasPayloads(entity.value())) { return entity; }
    const auto read = deserializeEntity(entity.value(), endpoint);
    if (!read) { return ForwardError(read); }
    return entity;
  }
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/entity_serializer.hpp"
#include "gxf/sdk/tables/entity_serializer.hpp"

#endif  // NVIDIA_GXF_SERIALIZATION_ENTITY_SERIALIZER_HPP_
