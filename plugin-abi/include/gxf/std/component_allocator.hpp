/// Makes objects of one type.
#ifndef NVIDIA_GXF_STD_COMPONENT_ALLOCATOR_HPP_
#define NVIDIA_GXF_STD_COMPONENT_ALLOCATOR_HPP_

#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"

namespace nvidia {
namespace gxf {

/// Makes and destroys objects of one type.
class ComponentAllocator {
 public:
  ComponentAllocator() = default;
  virtual ~ComponentAllocator() = default;
  ComponentAllocator(const ComponentAllocator&) = delete;
  ComponentAllocator(ComponentAllocator&&) = delete;
  ComponentAllocator& operator=(const ComponentAllocator&) = delete;
  ComponentAllocator& operator=(ComponentAllocator&&) = delete;

  virtual gxf_result_t allocate_abi(void** out_pointer) = 0;
  virtual gxf_result_t deallocate_abi(void* pointer) = 0;

  Expected<void*> allocate() {
    void* pointer = nullptr;
    const gxf_result_t code = allocate_abi(&pointer);
    return ExpectedOrCode(code, pointer);
  }
  Expected<void> deallocate(void* pointer) { return ExpectedOrCode(deallocate_abi(pointer)); }
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_COMPONENT_ALLOCATOR_HPP_
