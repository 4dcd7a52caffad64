/// The host's std entity serializer.
#ifndef NVIDIA_GXF_SERIALIZATION_STD_ENTITY_SERIALIZER_HPP_
#define NVIDIA_GXF_SERIALIZATION_STD_ENTITY_SERIALIZER_HPP_

#include "gxf/serialization/entity_serializer.hpp"

namespace nvidia {
namespace gxf {

/// A component of the host; a handle to one leads there.
class StdEntitySerializer : public EntitySerializer {
 public:
#pragma pack(push, 1)
  /// Precedes each message.
  struct EntityHeader {
    uint64_t serialized_size;
    uint32_t checksum;
    uint64_t sequence_number;
    uint32_t flags;
    uint64_t component_count;
    uint64_t reserved;
  };
  /// Precedes each payload.
  struct ComponentHeader {
    uint64_t serialized_size;
    gxf_tid_t tid;
    uint64_t name_size;
  };
#pragma pack(pop)
};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<StdEntitySerializer> : ProxyOf<EntitySerializerProxy<StdEntitySerializer>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_SERIALIZATION_STD_ENTITY_SERIALIZER_HPP_
