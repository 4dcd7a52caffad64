/// Resources: components that an entity's group shares.
#ifndef NVIDIA_GXF_CORE_RESOURCE_HPP_
#define NVIDIA_GXF_CORE_RESOURCE_HPP_

#include "gxf/core/expected.hpp"
#include "gxf/core/handle.hpp"
#include "gxf/core/resource_manager.hpp"
#include "gxf/core/resource_registrar.hpp"

namespace nvidia {
namespace gxf {

class Registrar;

/// A member of a component that refers to a resource.
template <typename T>
class Resource;

template <typename T>
class Resource<Handle<T>> {
 public:
  /// The resource, if the group of the entity has one of this type and, maybe, name.
  const Expected<Handle<T>>& try_get(const char* name = nullptr) const {
    if (context_ != kNullContext && !handle_) {
      handle_ = ResourceManager::findEntityResource<T>(context_, eid_, name);
    }
    return handle_;
  }

 private:
  friend class Registrar;

  void Connect(gxf_context_t context, gxf_uid_t eid) {
    context_ = context;
    eid_ = eid;
  }

  gxf_context_t context_ = kNullContext;
  gxf_uid_t eid_ = kNullUid;
  mutable Expected<Handle<T>> handle_ = Unexpected{GXF_RESOURCE_NOT_INITIALIZED};
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_RESOURCE_HPP_
