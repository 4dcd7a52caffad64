/// The host's way into endpoints.
#ifndef GXF_SDK_TABLES_ENDPOINT_HPP_
#define GXF_SDK_TABLES_ENDPOINT_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/serialization/endpoint.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct EndpointTable {
  static Endpoint& Self(void* object) { return BaseOf<Endpoint, T>(object); }
  static bool IsWriteAvailable(void* object) noexcept {
    return GuardValue(Self(object), "is_write_available_abi", false,
                      [&] { return Self(object).isWriteAvailable(); });
  }
  static bool IsReadAvailable(void* object) noexcept {
    return GuardValue(Self(object), "is_read_available_abi", false,
                      [&] { return Self(object).isReadAvailable(); });
  }
  static GxeResultCode Write(void* object, const uint8_t* data, size_t size,
                             size_t* written) noexcept {
    return Guard(Self(object), "write_abi", [&] { return Self(object).write_abi(data, size, written); });
  }
  static GxeResultCode Read(void* object, uint8_t* data, size_t size, size_t* read) noexcept {
    return Guard(Self(object), "read_abi", [&] { return Self(object).read_abi(data, size, read); });
  }
  static GxeResultCode WritePointer(void* object, const uint8_t* data, size_t size,
                                    GxeStorageType storage) noexcept {
    return Guard(Self(object), "write_ptr_abi", [&] {
      return Self(object).write_ptr_abi(data, size, static_cast<MemoryStorageType>(storage));
    });
  }
  static constexpr GxeEndpointVtable kTable = {
      sizeof(GxeEndpointVtable), IsWriteAvailable, IsReadAvailable, Write, Read, WritePointer};
};

/// Any endpoint, as a serializer of the host takes it.
inline GxeEndpointRef EndpointReference(Endpoint* endpoint) {
  return {endpoint, &EndpointTable<Endpoint>::kTable};
}

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_ENDPOINT_HPP_
