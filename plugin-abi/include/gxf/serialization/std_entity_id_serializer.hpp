/// The host's std entity id serializer.
#ifndef NVIDIA_GXF_SERIALIZATION_STD_ENTITY_ID_SERIALIZER_HPP_
#define NVIDIA_GXF_SERIALIZATION_STD_ENTITY_ID_SERIALIZER_HPP_

#include "gxf/serialization/entity_serializer.hpp"

namespace nvidia {
namespace gxf {

/// A component of the host; a handle to one leads there.
class StdEntityIdSerializer : public EntitySerializer {
 public:
#pragma pack(push, 1)
  /// Represents a message.
  struct EntityHeader {
    uint64_t entity_id;
    uint64_t sequence_number;
  };
#pragma pack(pop)
};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<StdEntityIdSerializer> : ProxyOf<EntitySerializerProxy<StdEntityIdSerializer>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_SERIALIZATION_STD_ENTITY_ID_SERIALIZER_HPP_
