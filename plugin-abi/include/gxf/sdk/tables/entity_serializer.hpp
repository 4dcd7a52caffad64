/// The host's way into serializers of messages.
#ifndef GXF_SDK_TABLES_ENTITY_SERIALIZER_HPP_
#define GXF_SDK_TABLES_ENTITY_SERIALIZER_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/sdk/proxies/endpoint.hpp"
#include "gxf/serialization/entity_serializer.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct EntitySerializerTable {
  static EntitySerializer& Self(void* object) { return BaseOf<EntitySerializer, T>(object); }
  static GxeResultCode Serialize(void* object, GxeMessage* message, GxeEndpointRef endpoint,
                                 uint64_t* size) noexcept {
    return Guard(Self(object), "serialize_entity_abi", [&] {
      BorrowedEndpoint stream(Self(object).context(), endpoint);
      return Self(object).serialize_entity_abi(Host().message_id(message), &stream, size);
    });
  }
  /// The host's reference is lent while the message is filled.
  static gxf_result_t Fill(EntitySerializer& self, GxeMessage* message, Endpoint* endpoint) {
    struct Loan {
      detail::SharedMessage* shared;
      ~Loan() { shared->EndLoan(); }
    };
    const Loan loan{new detail::SharedMessage(message, true)};
    const gxf_uid_t eid = Host().message_id(message);
    known_messages.Remember(eid, loan.shared);
    return self.deserialize_entity_abi(eid, endpoint);
  }
  static GxeResultCode Deserialize(void* object, GxeMessage* message,
                                   GxeEndpointRef endpoint) noexcept {
    return Guard(Self(object), "deserialize_entity_abi", [&]() -> gxf_result_t {
      EntitySerializer& self = Self(object);
      BorrowedEndpoint stream(self.context(), endpoint);
      // As `EntitySerializer::deserializeEntity`, but the message is the host's.
      const auto entity = self.deserialize_entity_header_abi(&stream);
      if (!entity && entity.error() != GXF_NOT_IMPLEMENTED) { return entity.error(); }
      if (entity && detail::EntityAccess::HasPayloads(entity.value())) {
        return ToGxf(
            Host().message_share(message, detail::EntityAccess::Message(entity.value())));
      }
      return Fill(self, message, &stream);
    });
  }
  static constexpr GxeEntitySerializerVtable kTable = {sizeof(GxeEntitySerializerVtable), Serialize,
                                                       Deserialize};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_ENTITY_SERIALIZER_HPP_
