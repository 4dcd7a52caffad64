/// Streams of bytes.
#ifndef NVIDIA_GXF_SERIALIZATION_ENDPOINT_HPP_
#define NVIDIA_GXF_SERIALIZATION_ENDPOINT_HPP_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gxf/core/component.hpp"
#include "gxf/std/allocator.hpp"

namespace nvidia {
namespace gxf {

/// Where serializers write to and read from.
class Endpoint : public Component {
 public:
  ~Endpoint() override = default;

  virtual gxf_result_t is_write_available_abi() { return GXF_NOT_IMPLEMENTED; }
  virtual gxf_result_t is_read_available_abi() { return GXF_NOT_IMPLEMENTED; }
  /// Writes up to `size` bytes.
  virtual gxf_result_t write_abi(const void* data, size_t size, size_t* bytes_written) = 0;
  /// Reads up to `size` bytes.
  virtual gxf_result_t read_abi(void* data, size_t size, size_t* bytes_read) = 0;
  /// Writes memory of any storage type without a copy.
  virtual gxf_result_t write_ptr_abi(const void* pointer, size_t size, MemoryStorageType type) {
    (void)pointer;
    (void)size;
    (void)type;
    return GXF_NOT_IMPLEMENTED;
  }

  bool isWriteAvailable() { return is_write_available_abi() == GXF_SUCCESS; }
  bool isReadAvailable() { return is_read_available_abi() == GXF_SUCCESS; }
  /// Number of bytes that were written.
  Expected<size_t> write(const void* data, size_t size) {
    size_t written = 0;
    const gxf_result_t code = write_abi(data, size, &written);
    return ExpectedOrCode(code, written);
  }
  /// Number of bytes that were read.
  Expected<size_t> read(void* data, size_t size) {
    size_t read = 0;
    const gxf_result_t code = read_abi(data, size, &read);
    return ExpectedOrCode(code, read);
  }
  Expected<void> write_ptr(const void* pointer, size_t size, MemoryStorageType type) {
    return ExpectedOrCode(write_ptr_abi(pointer, size, type));
  }
  /// The bytes of an object.
  template <typename T>
  Expected<size_t> writeTrivialType(const T* object) {
    static_assert(std::is_trivially_copyable_v<T>, "the bytes of the type say nothing elsewhere");
    return write(object, sizeof(T));
  }
  template <typename T>
  Expected<size_t> readTrivialType(T* object) {
    static_assert(std::is_trivially_copyable_v<T>, "the bytes of the type say nothing elsewhere");
    return read(object, sizeof(T));
  }
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/endpoint.hpp"
#include "gxf/sdk/tables/endpoint.hpp"

#endif  // NVIDIA_GXF_SERIALIZATION_ENDPOINT_HPP_
