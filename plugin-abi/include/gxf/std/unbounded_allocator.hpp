/// Memory of the system.
#ifndef NVIDIA_GXF_STD_UNBOUNDED_ALLOCATOR_HPP_
#define NVIDIA_GXF_STD_UNBOUNDED_ALLOCATOR_HPP_

#include <cstdlib>

#include "gxf/std/allocator.hpp"

namespace nvidia {
namespace gxf {

/// Allocates memory from the system until none is left. There is no device memory.
class UnboundedAllocator : public Allocator {
 public:
  gxf_result_t is_available_abi(uint64_t size) override {
    (void)size;
    return GXF_SUCCESS;
  }
  gxf_result_t allocate_abi(uint64_t size, int32_t type, void** pointer) override {
    if (pointer == nullptr) { return GXF_ARGUMENT_NULL; }
    if (type == static_cast<int32_t>(MemoryStorageType::kDevice)) {
      return GXF_MEMORY_INVALID_STORAGE_MODE;
    }
    if (type < 0 || type > static_cast<int32_t>(MemoryStorageType::kCudaManaged)) {
      return GXF_PARAMETER_OUT_OF_RANGE;
    }
    *pointer = std::malloc(size == 0 ? 1 : size);
    return *pointer == nullptr ? GXF_OUT_OF_MEMORY : GXF_SUCCESS;
  }
  using Allocator::free_abi;
  gxf_result_t free_abi(void* pointer) override {
    std::free(pointer);
    return GXF_SUCCESS;
  }
};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<UnboundedAllocator> : ProxyOf<AllocatorProxy<UnboundedAllocator>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_UNBOUNDED_ALLOCATOR_HPP_
