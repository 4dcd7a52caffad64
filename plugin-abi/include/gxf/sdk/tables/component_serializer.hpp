/// The host's way into serializers of payloads.
#ifndef GXF_SDK_TABLES_COMPONENT_SERIALIZER_HPP_
#define GXF_SDK_TABLES_COMPONENT_SERIALIZER_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/sdk/proxies/endpoint.hpp"
#include "gxf/serialization/component_serializer.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct ComponentSerializerTable {
  static ComponentSerializer& Self(void* object) { return BaseOf<ComponentSerializer, T>(object); }
  static bool IsSupported(void* object, GxeTid tid) noexcept {
    return GuardValue(Self(object), "is_supported_abi", false, [&] { return Self(object).isSupported(ToGxf(tid)); });
  }
  static GxeResultCode Serialize(void* object, GxeTid tid, void* data, GxeEndpointRef endpoint,
                                 uint64_t* size) noexcept {
    return Guard(Self(object), "serialize_component_abi", [&] {
      BorrowedEndpoint stream(Self(object).context(), endpoint);
      return detail::SerializerAccess::WithPayload(
          Self(object), {ToGxf(tid), data}, [&](gxf_uid_t cid) {
            return Self(object).serialize_component_abi(cid, &stream, size);
          });
    });
  }
  static GxeResultCode Deserialize(void* object, GxeTid tid, void* data,
                                   GxeEndpointRef endpoint) noexcept {
    return Guard(Self(object), "deserialize_component_abi", [&] {
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

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_COMPONENT_SERIALIZER_HPP_
