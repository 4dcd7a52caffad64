/// Makes components by the id of their type.
#ifndef NVIDIA_GXF_STD_COMPONENT_FACTORY_HPP_
#define NVIDIA_GXF_STD_COMPONENT_FACTORY_HPP_

#include <cstdint>

#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"
#include "gxf/plugin_abi.h"

namespace nvidia {
namespace gxf {
namespace detail {

/// The start of every object that `GxfExtensionFactory` or a program may pass to the host, right
/// after the pointer to its virtual functions. The host knows this layout.
struct FactoryMark {
  /// `GXF FACT`, as a number.
  uint64_t magic = UINT64_C(0x5443414620465847);
  /// The descriptor that the host reads instead of the object, valid as long as the process. Null
  /// for a factory that cannot be described, or without memory.
  const GxeExtensionDescriptor* (*describe)(void* object) = nullptr;
};

}  // namespace detail

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
  explicit ComponentFactory(const detail::FactoryMark& mark) : mark_(mark) {}

 private:
  detail::FactoryMark mark_;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_COMPONENT_FACTORY_HPP_
