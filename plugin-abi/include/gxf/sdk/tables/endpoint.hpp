/// The host's way into endpoints.
#ifndef GXF_SDK_TABLES_ENDPOINT_HPP_
#define GXF_SDK_TABLES_ENDPOINT_HPP_

#include <climits>
#include <memory>
#include <string>

#include "gxf/sdk/guard.hpp"
#include "gxf/serialization/endpoint.hpp"
#include "gxf/serialization/file.hpp"
#include "gxf/serialization/serialization_buffer.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct EndpointTable {
  static Endpoint& Self(void* object) { return *static_cast<T*>(object); }
  static bool IsWriteAvailable(void* object) noexcept {
    return GuardValue("is_write_available_abi", false,
                      [&] { return Self(object).isWriteAvailable(); });
  }
  static bool IsReadAvailable(void* object) noexcept {
    return GuardValue("is_read_available_abi", false,
                      [&] { return Self(object).isReadAvailable(); });
  }
  static GxeResultCode Write(void* object, const uint8_t* data, size_t size,
                             size_t* written) noexcept {
    return Guard("write_abi", [&] { return Self(object).write_abi(data, size, written); });
  }
  static GxeResultCode Read(void* object, uint8_t* data, size_t size, size_t* read) noexcept {
    return Guard("read_abi", [&] { return Self(object).read_abi(data, size, read); });
  }
  static GxeResultCode WritePointer(void* object, const uint8_t* data, size_t size,
                                    GxeStorageType storage) noexcept {
    return Guard("write_ptr_abi", [&] {
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

template <typename T>
struct FileTable {
  static File& Self(void* object) { return *static_cast<T*>(object); }
  /// A text that ends with a zero byte; null for one without data.
  class Terminated {
   public:
    explicit Terminated(GxeText text) : is_null_(text.data == nullptr), text_(FromText(text)) {}
    const char* get() const { return is_null_ ? nullptr : text_.c_str(); }

   private:
    bool is_null_;
    std::string text_;
  };
  static GxeResultCode Open(void* object, GxeText path, GxeText mode) noexcept {
    return Guard("open", [&] {
      return ToResultCode(Self(object).open(Terminated(path).get(), Terminated(mode).get()));
    });
  }
  static GxeResultCode Close(void* object) noexcept {
    return Guard("close", [&] { return ToResultCode(Self(object).close()); });
  }
  static GxeResultCode Flush(void* object) noexcept {
    return Guard("flush", [&] { return ToResultCode(Self(object).flush()); });
  }
  static GxeResultCode Seek(void* object, int64_t offset, int32_t whence) noexcept {
    return Guard("seek", [&]() -> gxf_result_t {
      if (offset < INT_MIN || offset > INT_MAX) { return GXF_ARGUMENT_OUT_OF_RANGE; }
      return ToResultCode(Self(object).seek(static_cast<int>(offset), whence));
    });
  }
  static GxeResultCode Tell(void* object, uint64_t* position) noexcept {
    return Guard("tell", [&] { return ToResultCode(Self(object).tell().assign_to(*position)); });
  }
  static GxeResultCode Clear(void* object) noexcept {
    return Guard("clear", [&] {
      Self(object).clear();
      return GXF_SUCCESS;
    });
  }
  static bool IsOpen(void* object) noexcept {
    return GuardValue("isOpen", false, [&] { return Self(object).isOpen(); });
  }
  static bool IsAtEnd(void* object) noexcept {
    return GuardValue("eof", false, [&] { return Self(object).eof(); });
  }
  static bool HasFailed(void* object) noexcept {
    return GuardValue("error", false, [&] { return Self(object).error(); });
  }
  static constexpr GxeFileVtable kTable = {
      sizeof(GxeFileVtable), Open, Close, Flush, Seek, Tell, Clear, IsOpen, IsAtEnd, HasFailed};
};

template <typename T>
struct SerializationBufferTable {
  static SerializationBuffer& Self(void* object) { return *static_cast<T*>(object); }
  static GxeResultCode Resize(void* object, uint64_t size, GxeStorageType storage) noexcept {
    return Guard("resize", [&] {
      return ToResultCode(Self(object).resize(size, static_cast<MemoryStorageType>(storage)));
    });
  }
  static GxeResultCode Wrap(void* object, GxeMemoryBuffer memory) noexcept {
    return Guard("wrapMemory", [&] {
      // A function object is copied, memory is not.
      const auto owned = std::make_shared<MemoryBuffer>(detail::MemoryAccess::Own(memory));
      return ToResultCode(Self(object).wrapMemory(
          owned->pointer(), owned->size(), owned->storage_type(),
          [owned](void*) { return owned->freeBuffer(); }));
    });
  }
  static GxeResultCode Reset(void* object) noexcept {
    return Guard("reset", [&] {
      Self(object).reset();
      return GXF_SUCCESS;
    });
  }
  static const uint8_t* Data(void* object) noexcept {
    return GuardValue<const uint8_t*>("data", nullptr, [&] { return Self(object).data(); });
  }
  static uint64_t Capacity(void* object) noexcept {
    return GuardValue<uint64_t>("capacity", 0, [&] { return Self(object).capacity(); });
  }
  static uint64_t Written(void* object) noexcept {
    return GuardValue<uint64_t>("size", 0, [&] { return Self(object).size(); });
  }
  static GxeStorageType StorageType(void* object) noexcept {
    return GuardValue<GxeStorageType>("storage_type", 2, [&] {
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

#endif  // GXF_SDK_TABLES_ENDPOINT_HPP_
