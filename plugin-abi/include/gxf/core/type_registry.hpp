/// Ids of types by name.
#ifndef NVIDIA_GXF_CORE_TYPE_REGISTRY_HPP_
#define NVIDIA_GXF_CORE_TYPE_REGISTRY_HPP_

#include "common/type_name.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"
#include "gxf/sdk/types.hpp"

namespace nvidia {
namespace gxf {

/// The types of a context.
class TypeRegistry {
 public:
  explicit TypeRegistry(gxf_context_t context) : context_(context) {}

  /// The id of a type by its full name.
  Expected<gxf_tid_t> id_from_name(const char* name) const {
    GxeTid tid{};
    const GxeResultCode code =
        sdk::Host().type_id(sdk::ToAbi(context_), sdk::ToText(name), &tid);
    return ExpectedOrCode(sdk::ToGxf(code), sdk::ToGxf(tid));
  }
  /// Whether `base` is `derived` itself or one of its bases.
  bool is_base(gxf_tid_t derived, gxf_tid_t base) const {
    bool result = false;
    return sdk::Host().type_is_base(sdk::ToAbi(context_), sdk::ToAbi(derived),
                                    sdk::ToAbi(base), &result) == GxeResultCode_SUCCESS &&
           result;
  }

 private:
  gxf_context_t context_;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_TYPE_REGISTRY_HPP_
