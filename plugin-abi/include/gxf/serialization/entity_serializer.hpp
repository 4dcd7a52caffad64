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
  /// Makes a message for what comes.
  virtual Expected<Entity> deserialize_entity_header_abi(Endpoint* endpoint) = 0;
  /// Reads into a message.
  virtual gxf_result_t deserialize_entity_abi(gxf_uid_t eid, Endpoint* endpoint) = 0;

  /// Bytes that were written.
  Expected<size_t> serializeEntity(Entity entity, Endpoint* endpoint) {
    uint64_t size = 0;
    const gxf_result_t code = serialize_entity_abi(entity.eid(), endpoint, &size);
    return ExpectedOrCode(code, static_cast<size_t>(size));
  }
  Expected<void> deserializeEntity(Entity entity, Endpoint* endpoint) {
    return ExpectedOrCode(detail::EntityAccess::Lend(
        entity, [&](gxf_uid_t eid) { return deserialize_entity_abi(eid, endpoint); }));
  }
  /// A new message with what is read.
  Expected<Entity> deserializeEntity(gxf_context_t context, Endpoint* endpoint) {
    auto entity = Entity::New(context);
    if (!entity) { return entity; }
    const auto read = deserializeEntity(entity.value(), endpoint);
    if (!read) { return ForwardError(read); }
    return entity;
  }
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/entity_serializer.hpp"

#endif  // NVIDIA_GXF_SERIALIZATION_ENTITY_SERIALIZER_HPP_
