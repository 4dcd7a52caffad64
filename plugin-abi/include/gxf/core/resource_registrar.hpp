/// Resources that component types request.
#ifndef NVIDIA_GXF_CORE_RESOURCE_REGISTRAR_HPP_
#define NVIDIA_GXF_CORE_RESOURCE_REGISTRAR_HPP_

#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"

namespace nvidia {
namespace gxf {

/// Resources are looked up when they are used, so there is nothing to keep.
class ResourceRegistrar {
 public:
  template <typename T>
  Expected<void> registerComponentResource(gxf_tid_t tid, const char* type_name,
                                           const char* description) {
    (void)tid;
    (void)type_name;
    (void)description;
    return Success;
  }
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_RESOURCE_REGISTRAR_HPP_
