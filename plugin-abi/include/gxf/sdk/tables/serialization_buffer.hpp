/// The host's way into buffers of bytes.
#ifndef GXF_SDK_TABLES_SERIALIZATION_BUFFER_HPP_
#define GXF_SDK_TABLES_SERIALIZATION_BUFFER_HPP_

#include <memory>

#include "gxf/sdk/guard.hpp"
#include "gxf/serialization/serialization_buffer.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct SerializationBufferTable {
  static SerializationBuffer& Self(void* object) { return BaseOf<SerializationBuffer, T>(object); }
  static GxeResultCode Resize(void* object, uint64_t size, GxeStorageType storage) noexcept {
    return Guard(Self(object), "resize", [&] {
      return ToResultCode(Self(object).resize(size, static_cast<MemoryStorageType>(storage)));
    });
  }
  static GxeResultCode Wrap(void* object, GxeMemoryBuffer memory) noexcept {
    return Guard(Self(object), "wrapMemory", [&] {
      // A function object is copied, memory is not.
      const auto owned = std::make_shared<MemoryBuffer>(detail::MemoryAccess::Own(memory));
      return ToResultCode(Self(object).wrapMemory(
          owned->pointer(), owned->size(), owned->storage_type(),
          [owned](void*) { return owned->freeBuffer(); }));
    });
  }
  static GxeResultCode Reset(void* object) noexcept {
    return Guard(Self(object), "reset", [&] {
      Self(object).reset();
      return GXF_SUCCESS;
    });
  }
  static const uint8_t* Data(void* object) noexcept {
    return GuardValue<const uint8_t*>(Self(object), "data", nullptr, [&] { return Self(object).data(); });
  }
  static uint64_t Capacity(void* object) noexcept {
    return GuardValue<uint64_t>(Self(object), "capacity", 0, [&] { return Self(object).capacity(); });
  }
  static uint64_t Written(void* object) noexcept {
    return GuardValue<uint64_t>(Self(object), "size", 0, [&] { return Self(object).size(); });
  }
  static GxeStorageType StorageType(void* object) noexcept {
    return GuardValue<GxeStorageType>(Self(object), "storage_type", 2, [&] {
      return static_cast<GxeStorageType>(Self(object).storage_type());
    });
  }
  static constexpr GxeSerializationBufferVtable kTable = {
      sizeof(GxeSerializationBufferVtable), Resize, Wrap, Reset, Data, Capacity, Written,
      StorageType};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_SERIALIZATION_BUFFER_HPP_
