/// Memory as an endpoint.
#ifndef NVIDIA_GXF_SERIALIZATION_SERIALIZATION_BUFFER_HPP_
#define NVIDIA_GXF_SERIALIZATION_SERIALIZATION_BUFFER_HPP_

#include <cstring>
#include <mutex>
#include <utility>

#include "gxf/core/registrar.hpp"
#include "gxf/serialization/endpoint.hpp"
#include "gxf/std/memory_buffer.hpp"

namespace nvidia {
namespace gxf {

/// A buffer that is written from the start and then read from the start.
class SerializationBuffer : public Endpoint {
 public:
  using release_function_t = MemoryBuffer::release_function_t;

  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(allocator_, "allocator", "Memory allocator",
                                   "Where the memory comes from.");
    result &= registrar->parameter(buffer_size_, "buffer_size", "Buffer Size",
                                   "Bytes of the buffer.", size_t{4096});
    result &= registrar->parameter(storage_type_, "storage_type", "Storage type",
                                   "0 host, 2 system.",
                                   static_cast<int32_t>(MemoryStorageType::kSystem));
    return ToResultCode(result);
  }
  gxf_result_t initialize() override {
    return ToResultCode(
        resize(buffer_size_.get(), static_cast<MemoryStorageType>(storage_type_.get())));
  }
  gxf_result_t deinitialize() override { return ToResultCode(buffer_.freeBuffer()); }

  gxf_result_t is_write_available_abi() override {
    return write_offset_ < buffer_.size() ? GXF_SUCCESS : GXF_FAILURE;
  }
  gxf_result_t is_read_available_abi() override {
    return read_offset_ < write_offset_ ? GXF_SUCCESS : GXF_FAILURE;
  }
  gxf_result_t write_abi(const void* data, size_t size, size_t* bytes_written) override {
    if (data == nullptr || bytes_written == nullptr) { return GXF_ARGUMENT_NULL; }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (size > buffer_.size() - write_offset_) { return GXF_EXCEEDING_PREALLOCATED_SIZE; }
    std::memcpy(buffer_.pointer() + write_offset_, data, size);
    write_offset_ += size;
    *bytes_written = size;
    return GXF_SUCCESS;
  }
  gxf_result_t read_abi(void* data, size_t size, size_t* bytes_read) override {
    if (data == nullptr || bytes_read == nullptr) { return GXF_ARGUMENT_NULL; }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (size > write_offset_ - read_offset_) { return GXF_EXCEEDING_PREALLOCATED_SIZE; }
    std::memcpy(data, buffer_.pointer() + read_offset_, size);
    read_offset_ += size;
    *bytes_read = size;
    return GXF_SUCCESS;
  }

  virtual Expected<void> resize(size_t size, MemoryStorageType storage_type) {
    reset();
    return buffer_.resize(allocator_.get(), size, storage_type);
  }
  /// The form of GXF before 3.0.
  Expected<void> resize(size_t size) { return resize(size, storage_type()); }
  virtual Expected<void> wrapMemory(void* pointer, uint64_t size, MemoryStorageType storage_type,
                                    release_function_t release_func) {
    reset();
    return buffer_.wrapMemory(pointer, size, storage_type, std::move(release_func));
  }
  virtual MemoryStorageType storage_type() const { return buffer_.storage_type(); }
  virtual const byte* data() const { return buffer_.pointer(); }
  /// Bytes there is room for.
  virtual size_t capacity() const { return buffer_.size(); }
  /// Bytes that were written.
  virtual size_t size() const { return write_offset_; }
  virtual void reset() {
    write_offset_ = 0;
    read_offset_ = 0;
  }

 private:
  Parameter<Handle<Allocator>> allocator_;
  Parameter<size_t> buffer_size_;
  Parameter<int32_t> storage_type_;
  MemoryBuffer buffer_;
  std::mutex mutex_;
  size_t write_offset_ = 0;
  size_t read_offset_ = 0;
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/serialization_buffer.hpp"
#include "gxf/sdk/tables/serialization_buffer.hpp"

#endif  // NVIDIA_GXF_SERIALIZATION_SERIALIZATION_BUFFER_HPP_
