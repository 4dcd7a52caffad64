/// Makes components by the id of their type.
#ifndef NVIDIA_GXF_STD_COMPONENT_FACTORY_HPP_
#define NVIDIA_GXF_STD_COMPONENT_FACTORY_HPP_

#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"

namespace nvidia {
namespace gxf {

/// The base of extensions.
class ComponentFactory {
 public:
  virtual ~ComponentFactory() = default;
  ComponentFactory(const ComponentFactory&) = delete;
  ComponentFactory(ComponentFactory&&) = delete;
  ComponentFactory& operator=(const ComponentFactory&) = delete;
  ComponentFactory& operator=(ComponentFactory&&) = delete;

  virtual gxf_result_t allocate_abi(gxf_tid_t tid, void** out_pointer) = 0;
  virtual gxf_result_t deallocate_abi(gxf_tid_t tid, void* pointer) = 0;

  /// A new object of a type.
  Expected<void*> allocate(gxf_tid_t tid) {
    void* pointer = nullptr;
    const gxf_result_t code = allocate_abi(tid, &pointer);
    return ExpectedOrCode(code, pointer);
  }
  /// Destroys an object `allocate` made.
  Expected<void> deallocate(gxf_tid_t tid, void* pointer) {
    return ExpectedOrCode(deallocate_abi(tid, pointer));
  }

 protected:
  ComponentFactory() = default;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_COMPONENT_FACTORY_HPP_
