/// Where memory comes from.
#ifndef NVIDIA_GXF_STD_ALLOCATOR_HPP_
#define NVIDIA_GXF_STD_ALLOCATOR_HPP_

#include <cstdint>
#include <string>

#include "common/byte.hpp"
#include "gxf/core/component.hpp"
#include "gxf/core/parameter_parser.hpp"
#include "gxf/core/parameter_wrapper.hpp"

namespace nvidia {
namespace gxf {

/// Kind of memory.
enum struct MemoryStorageType {
  /// Pinned host memory.
  kHost = 0,
  /// Memory of a device.
  kDevice = 1,
  /// Ordinary memory of the system.
  kSystem = 2,
  /// Memory host and device share.
  kCudaManaged = 3,
};

/// Storage types are given by number or by name.
template <>
struct ParameterParser<MemoryStorageType> {
  static Expected<MemoryStorageType> Parse(gxf_context_t, gxf_uid_t, const char* key,
                                           const YAML::Node& node, const std::string&) {
    const std::string text = node.as<std::string>();
    static constexpr const char* kNames[] = {"kHost", "kDevice", "kSystem", "kCudaManaged"};
    for (int32_t i = 0; i < 4; i++) {
      if (text == kNames[i] || text == kNames[i] + 1 || text == std::to_string(i)) {
        return static_cast<MemoryStorageType>(i);
      }
    }
    GXF_LOG_ERROR("parameter `%s`: `%s` is no storage type", key, text.c_str());
    return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE};
  }
};
template <>
struct ParameterWrapper<MemoryStorageType> {
  static Expected<YAML::Node> Wrap(gxf_context_t, const MemoryStorageType& value) {
    return YAML::Node(static_cast<int32_t>(value));
  }
};

/// Stage of an allocator.
enum struct AllocatorStage : uint8_t {
  kUninitialized = 0,
  kInitializationInProgress = 1,
  kInitialized = 2,
  kDeinitializationInProgress = 3,
};

/// Memory of one kind.
struct Allocator : public Component {
  ~Allocator() override = default;

  /// `GXF_SUCCESS` when `size` bytes could be allocated now.
  virtual gxf_result_t is_available_abi(uint64_t size) = 0;
  /// Allocates `size` bytes; `type` is a `MemoryStorageType`.
  virtual gxf_result_t allocate_abi(uint64_t size, int32_t type, void** pointer) = 0;
  virtual gxf_result_t free_abi(void* pointer) = 0;
  /// As above, after the work of a stream; an allocator without streams frees at once.
  virtual gxf_result_t free_abi(void* pointer, void* stream) {
    (void)stream;
    return free_abi(pointer);
  }
  /// Bytes of a block; 1 for allocators without blocks.
  virtual uint64_t block_size_abi() const { return 1; }

  bool is_available(uint64_t size) { return is_available_abi(size) == GXF_SUCCESS; }
  Expected<byte*> allocate(uint64_t size, MemoryStorageType type) {
    void* pointer = nullptr;
    const gxf_result_t code = allocate_abi(size, static_cast<int32_t>(type), &pointer);
    return ExpectedOrCode(code, static_cast<byte*>(pointer));
  }
  /// Frees memory and wakes the entities that wait for some.
  Expected<void> free(byte* pointer) { return Freed(free_abi(static_cast<void*>(pointer))); }
  Expected<void> free(byte* pointer, void* stream) {
    return Freed(free_abi(static_cast<void*>(pointer), stream));
  }
  uint64_t block_size() const { return block_size_abi(); }
  const char* allocator_stage_str(AllocatorStage stage) const {
    switch (stage) {
      case AllocatorStage::kUninitialized:
        return "Uninitialized";
      case AllocatorStage::kInitializationInProgress:
        return "InitializationInProgress";
      case AllocatorStage::kInitialized:
        return "Initialized";
      case AllocatorStage::kDeinitializationInProgress:
        return "DeinitializationInProgress";
    }
    return "N/A";
  }

 protected:
  /// Whether the host itself notifies entities of freed memory.
  bool announces_ = false;

 private:
  Expected<void> Freed(gxf_result_t code) {
    if (code == GXF_SUCCESS && !announces_ && eid() != kNullUid &&
        sdk::Host().entity_notify(sdk::ToAbi(context()), eid(), GxeEvent_MEMORY_FREE) !=
            GxeResultCode_SUCCESS) {
      // The entity may be gone before the memory is freed; then nothing waits.
      sdk::ForgetHostError();
    }
    return ExpectedOrCode(code);
  }
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/allocator.hpp"
#include "gxf/sdk/tables/allocator.hpp"

#endif  // NVIDIA_GXF_STD_ALLOCATOR_HPP_
