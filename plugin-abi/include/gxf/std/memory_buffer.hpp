/// A piece of memory and the way to give it back.
#ifndef NVIDIA_GXF_STD_MEMORY_BUFFER_HPP_
#define NVIDIA_GXF_STD_MEMORY_BUFFER_HPP_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "common/byte.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/handle.hpp"
#include "gxf/sdk/stream_uses.hpp"
#include "gxf/std/allocator.hpp"

namespace nvidia {
namespace gxf {

namespace detail {
struct MemoryAccess;
}  // namespace detail

/// Memory that belongs to this object. It has the layout every language of extensions sees.
class MemoryBuffer {
 public:
  /// Gives memory back.
  using release_function_t = std::function<Expected<void>(void* pointer)>;

  MemoryBuffer() = default;
  MemoryBuffer(const MemoryBuffer&) = delete;
  MemoryBuffer& operator=(const MemoryBuffer&) = delete;
  MemoryBuffer(MemoryBuffer&& other) noexcept
      : buffer_(std::exchange(other.buffer_, GxeMemoryBuffer{})) {}
  MemoryBuffer& operator=(MemoryBuffer&& other) noexcept {
    if (this != &other) {
      freeBuffer().log_error("memory could not be given back");
      buffer_ = std::exchange(other.buffer_, GxeMemoryBuffer{});
    }
    return *this;
  }
  ~MemoryBuffer() { freeBuffer().log_error("memory could not be given back"); }

  /// Gives the memory back.
  Expected<void> freeBuffer() {
    const GxeMemoryBuffer buffer = std::exchange(buffer_, GxeMemoryBuffer{});
    if (buffer.owner == nullptr) { return Success; }
    return ExpectedOrCode(
        sdk::ToGxf(buffer.owner->release(buffer.words, buffer.pointer, buffer.size)));
  }
  /// New memory in place of the old.
  Expected<void> resize(Handle<Allocator> allocator, uint64_t size,
                        MemoryStorageType storage_type) {
    if (!allocator) { return Unexpected{GXF_ARGUMENT_NULL}; }
    auto freed = freeBuffer();
    if (!freed) { return freed; }
    const bool is_on_device = storage_type == MemoryStorageType::kDevice ||
                              storage_type == MemoryStorageType::kCudaManaged;
    const GxeCudaTable* const table = is_on_device ? sdk::CudaTable() : nullptr;
    if (table != nullptr) {
      // Memory that learns which streams use it, and returns behind them.
      gxf_uid_t no_stream = kNullUid;
      return ExpectedOrCode(sdk::ToGxf(table->allocate(
          sdk::ToAbi(allocator.context()), allocator.cid(), size,
          static_cast<int32_t>(storage_type), kNullUid, &no_stream, &buffer_)));
    }
    const auto memory = allocator->allocate(size, storage_type);
    if (!memory) { return ForwardError(memory); }
    return wrapMemory(memory.value(), size, storage_type, [allocator](void* pointer) {
      return allocator->free(static_cast<byte*>(pointer));
    });
  }
  /// Wraps foreign memory; `release_func` releases it. `setDevice` says on which device it is.
  Expected<void> wrapMemory(void* pointer, uint64_t size, MemoryStorageType storage_type,
                            release_function_t release_func) {
    const auto freed = freeBuffer();
    if (!freed) { return freed; }
    buffer_.pointer = static_cast<uint8_t*>(pointer);
    buffer_.size = size;
    buffer_.storage_type = static_cast<GxeStorageType>(storage_type);
    if (release_func) {
      buffer_.owner = OwnerTable();
      buffer_.words[0] = new release_function_t(std::move(release_func));
    }
    return Success;
  }

  /// The CUDA stream with work on the memory. Ignored: memory of a device goes home behind the streams
  /// that messages with it name; wait for other work before you release the memory.
  void setStream(void* stream) { (void)stream; }

  /// Number of the device that the memory is on; 0 on the host. Memory that is wrapped is on device 0,
  /// unless `setDevice` says otherwise.
  int32_t device() const { return static_cast<int32_t>(buffer_.flags >> GXE_MEMORY_DEVICE_SHIFT); }
  /// States the device of memory that was wrapped.
  Expected<void> setDevice(int32_t device) {
    if (device < 0 || device > 255) { return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE}; }
    const uint32_t others = (1U << GXE_MEMORY_DEVICE_SHIFT) - 1;
    buffer_.flags = (buffer_.flags & others) | static_cast<uint32_t>(device) << GXE_MEMORY_DEVICE_SHIFT;
    return Success;
  }

  MemoryStorageType storage_type() const {
    return static_cast<MemoryStorageType>(buffer_.storage_type);
  }
  byte* pointer() const { return buffer_.pointer; }
  uint64_t size() const { return buffer_.size; }

 private:
  friend class Tensor;
  friend struct detail::MemoryAccess;

  /// Uses memory that `owner` keeps alive and shares with others.
  template <typename Owner>
  Expected<void> share(void* pointer, uint64_t size, MemoryStorageType storage_type,
                       uint32_t flags, std::shared_ptr<Owner> owner) {
    const auto freed = freeBuffer();
    if (!freed) { return freed; }
    buffer_.pointer = static_cast<uint8_t*>(pointer);
    buffer_.size = size;
    buffer_.storage_type = static_cast<GxeStorageType>(storage_type);
    buffer_.flags = flags;
    buffer_.owner = SharedTable<Owner>();
    buffer_.words[0] = new std::shared_ptr<Owner>(std::move(owner));
    return Success;
  }
  /// The owner passed to `share`; null for other memory.
  template <typename Owner>
  std::shared_ptr<Owner>* shared_owner() const {
    return buffer_.owner == SharedTable<Owner>()
               ? static_cast<std::shared_ptr<Owner>*>(buffer_.words[0])
               : nullptr;
  }
  template <typename Owner>
  static GxeResultCode ReleaseShared(void* const* words, uint8_t*, uint64_t) noexcept {
    delete static_cast<std::shared_ptr<Owner>*>(words[0]);
    return GxeResultCode_SUCCESS;
  }
  template <typename Owner>
  static const GxeMemoryOwnerVtable* SharedTable() {
    static constexpr GxeMemoryOwnerVtable table = {sizeof(GxeMemoryOwnerVtable),
                                                   ReleaseShared<Owner>, nullptr, nullptr};
    return &table;
  }

  static GxeResultCode Release(void* const* words, uint8_t* pointer, uint64_t size) noexcept {
    (void)size;
    auto* release = static_cast<release_function_t*>(words[0]);
    GxeResultCode code = GxeResultCode_FAILURE;
    try {
      code = ToResultCode((*release)(pointer));
    } catch (...) { GXF_LOG_ERROR("a function that gives memory back threw"); }
    delete release;
    return code;
  }
  static const GxeMemoryOwnerVtable* OwnerTable() {
    static constexpr GxeMemoryOwnerVtable table = {sizeof(GxeMemoryOwnerVtable), Release, nullptr,
                                                   nullptr};
    return &table;
  }

  GxeMemoryBuffer buffer_{};
};

static_assert(sizeof(MemoryBuffer) == sizeof(GxeMemoryBuffer), "messages share this layout");

namespace detail {

/// Conversion of memory to and from its ABI form.
struct MemoryAccess {
  /// Takes the memory out of a buffer.
  static GxeMemoryBuffer Take(MemoryBuffer& buffer) {
    return std::exchange(buffer.buffer_, GxeMemoryBuffer{});
  }
  /// The ABI form, which the buffer goes on to own.
  static const GxeMemoryBuffer& Abi(const MemoryBuffer& buffer) { return buffer.buffer_; }
  /// Memory that came with its ownership.
  static MemoryBuffer Own(const GxeMemoryBuffer& memory) {
    MemoryBuffer buffer;
    buffer.buffer_ = memory;
    return buffer;
  }
};

/// The end of a change of the memory of a frame or sound: it has the new description, or none if its
/// memory is gone.
template <typename Info>
Expected<void> TakeDescription(Info& own, const MemoryBuffer& memory, const Info& info,
                               Expected<void> changed) {
  if (changed) {
    own = info;
  } else if (memory.pointer() == nullptr) {
    own = Info{};
  }
  return changed;
}

}  // namespace detail

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_MEMORY_BUFFER_HPP_
