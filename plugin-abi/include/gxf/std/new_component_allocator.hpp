/// Makes objects with `new`.
#ifndef NVIDIA_GXF_STD_NEW_COMPONENT_ALLOCATOR_HPP_
#define NVIDIA_GXF_STD_NEW_COMPONENT_ALLOCATOR_HPP_

#include <new>
#include <type_traits>

#include "gxf/std/component_allocator.hpp"

namespace nvidia {
namespace gxf {

/// Makes objects of type `T` with `new`; `GXF_FACTORY_ABSTRACT_CLASS` when it is abstract.
template <typename T>
class NewComponentAllocator : public ComponentAllocator {
 public:
  gxf_result_t allocate_abi(void** out_pointer) override {
    if (out_pointer == nullptr) { return GXF_ARGUMENT_NULL; }
    if constexpr (std::is_abstract_v<T>) {
      return GXF_FACTORY_ABSTRACT_CLASS;
    } else {
      *out_pointer = new (std::nothrow) T();
      return *out_pointer == nullptr ? GXF_OUT_OF_MEMORY : GXF_SUCCESS;
    }
  }
  gxf_result_t deallocate_abi(void* pointer) override {
    if (pointer == nullptr) { return GXF_ARGUMENT_NULL; }
    if constexpr (std::is_abstract_v<T>) {
      return GXF_FACTORY_ABSTRACT_CLASS;
    } else {
      delete static_cast<T*>(pointer);
      return GXF_SUCCESS;
    }
  }
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_NEW_COMPONENT_ALLOCATOR_HPP_
