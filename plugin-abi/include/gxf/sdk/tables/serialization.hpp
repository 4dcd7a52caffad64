/// The host's way into serializers.
#ifndef GXF_SDK_TABLES_SERIALIZATION_HPP_
#define GXF_SDK_TABLES_SERIALIZATION_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/sdk/tables/endpoint.hpp"
#include "gxf/serialization/component_serializer.hpp"
#include "gxf/serialization/entity_serializer.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct ComponentSerializerTable {
  static ComponentSerializer& Self(void* object) { return *static_cast<T*>(object); }
  static bool IsSupported(void* object, GxeTid tid) noexcept {
    return GuardValue("is_supported_abi", false, [&] { return Self(object).isSupported(ToGxf(tid)); });
  }
  static GxeResultCode Serialize(void* object, GxeTid tid, void* data, GxeEndpointRef endpoint,
                                 uint64_t* size) noexcept {
    return Guard("serialize_component_abi", [&] {
      BorrowedEndpoint stream(Self(object).context(), endpoint);
      return detail::SerializerAccess::WithPayload(
          Self(object), {ToGxf(tid), data}, [&](gxf_uid_t cid) {
            return Self(object).serialize_component_abi(cid, &stream, size);
          });
    });
  }
  static GxeResultCode Deserialize(void* object, GxeTid tid, void* data,
                                   GxeEndpointRef endpoint) noexcept {
    return Guard("deserialize_component_abi", [&] {
      BorrowedEndpoint stream(Self(object).context(), endpoint);
      return detail::SerializerAccess::WithPayload(
          Self(object), {ToGxf(tid), data}, [&](gxf_uid_t cid) {
            return Self(object).deserialize_component_abi(cid, &stream);
          });
    });
  }
  static constexpr GxeComponentSerializerVtable kTable = {
      sizeof(GxeComponentSerializerVtable), IsSupported, Serialize, Deserialize};
};

template <typename T>
struct EntitySerializerTable {
  static EntitySerializer& Self(void* object) { return *static_cast<T*>(object); }
  static GxeResultCode Serialize(void* object, GxeMessage* message, GxeEndpointRef endpoint,
                                 uint64_t* size) noexcept {
    return Guard("serialize_entity_abi", [&] {
      BorrowedEndpoint stream(Self(object).context(), endpoint);
      return Self(object).serialize_entity_abi(Host().message_id(message), &stream, size);
    });
  }
  /// Whoever kept an `Entity` of the message gets a reference of the host's for it.
  static void Finish(detail::SharedMessage* shared) {
    Host().message_retain(shared->message);
    if (shared->users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      Host().message_release(shared->message);
      delete shared;
    }
  }
  /// The host's reference is lent while the message is filled.
  static gxf_result_t Fill(EntitySerializer& self, GxeMessage* message, Endpoint* endpoint) {
    auto* shared = new detail::SharedMessage{{1}, message};
    detail::MessageLoan loan{Host().message_id(message), shared, message_loans};
    message_loans = &loan;
    gxf_result_t code = GXF_FAILURE;
    try {
      code = self.deserialize_entity_abi(loan.eid, endpoint);
    } catch (...) {
      message_loans = loan.previous;
      Finish(shared);
      throw;
    }
    message_loans = loan.previous;
    Finish(shared);
    return code;
  }
  static GxeResultCode Deserialize(void* object, GxeMessage* message,
                                   GxeEndpointRef endpoint) noexcept {
    return Guard("deserialize_entity_abi", [&] {
      BorrowedEndpoint stream(Self(object).context(), endpoint);
      return Fill(Self(object), message, &stream);
    });
  }
  static constexpr GxeEntitySerializerVtable kTable = {sizeof(GxeEntitySerializerVtable), Serialize,
                                                       Deserialize};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_SERIALIZATION_HPP_
