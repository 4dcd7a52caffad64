/// Finds the resources of an entity's group.
#ifndef NVIDIA_GXF_CORE_RESOURCE_MANAGER_HPP_
#define NVIDIA_GXF_CORE_RESOURCE_MANAGER_HPP_

#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"
#include "gxf/core/handle.hpp"

namespace nvidia {
namespace gxf {

/// Looks for resources by type and, maybe, name.
class ResourceManager {
 public:
  explicit ResourceManager(gxf_context_t context) : context_(context) {}

  static Expected<gxf_uid_t> findEntityResourceByTypeName(gxf_context_t context, gxf_uid_t eid,
                                                          const char* type_name,
                                                          const char* name = nullptr) {
    if (GxfEntityResourceGetHandle == nullptr) { return Unexpected{GXF_RESOURCE_NOT_FOUND}; }
    gxf_uid_t cid = kNullUid;
    const gxf_result_t code = GxfEntityResourceGetHandle(context, eid, type_name, name, &cid);
    return ExpectedOrCode(code, cid);
  }
  static Expected<gxf_uid_t> findComponentResourceByTypeName(gxf_context_t context, gxf_uid_t cid,
                                                             const char* type_name,
                                                             const char* name = nullptr) {
    gxf_uid_t eid = kNullUid;
    const GxeResultCode code = sdk::Host().component_entity(sdk::ToAbi(context), cid, &eid);
    if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
    return findEntityResourceByTypeName(context, eid, type_name, name);
  }

  template <typename T>
  static Expected<Handle<T>> findEntityResource(gxf_context_t context, gxf_uid_t eid,
                                                const char* name = nullptr) {
    const auto cid = findEntityResourceByTypeName(context, eid, TypenameAsString<T>(), name);
    if (!cid) { return ForwardError(cid); }
    return Handle<T>::Create(context, cid.value());
  }
  template <typename T>
  Expected<Handle<T>> findEntityResource(gxf_uid_t eid, const char* name = nullptr) {
    return findEntityResource<T>(context_, eid, name);
  }
  template <typename T>
  Expected<Handle<T>> findComponentResource(gxf_uid_t cid, const char* name = nullptr) {
    const auto found =
        findComponentResourceByTypeName(context_, cid, TypenameAsString<T>(), name);
    if (!found) { return ForwardError(found); }
    return Handle<T>::Create(context_, found.value());
  }

 private:
  gxf_context_t context_;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_RESOURCE_MANAGER_HPP_
