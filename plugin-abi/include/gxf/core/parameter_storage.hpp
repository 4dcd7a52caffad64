/// Parameters of components by id and key, as the host keeps them.
#ifndef NVIDIA_GXF_CORE_PARAMETER_STORAGE_HPP_
#define NVIDIA_GXF_CORE_PARAMETER_STORAGE_HPP_

#include <string>
#include <utility>
#include <vector>

#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"
#include "gxf/sdk/codec.hpp"
#include "gxf/sdk/types.hpp"

namespace nvidia {
namespace gxf {

/// The parameters of all components of a context.
class ParameterStorage {
 public:
  explicit ParameterStorage(gxf_context_t context) : context_(context) {}

  /// Sets a parameter of any component.
  template <typename T>
  Expected<void> set(gxf_uid_t cid, const char* key, T value) {
    sdk::OwnedValue border;
    if (!sdk::Codec<T>::Write(value, border)) { return Unexpected{GXF_PARAMETER_INVALID_TYPE}; }
    return ExpectedOrCode(sdk::ToGxf(sdk::Host().parameter_set(
        sdk::ToBorder(context_), cid, sdk::ToText(key), &border.value)));
  }
  /// The value of a parameter of any component.
  template <typename T>
  Expected<T> get(gxf_uid_t cid, const char* key) const {
    Getter<T> getter{context_, cid, key, Unexpected{GXF_PARAMETER_NOT_INITIALIZED}};
    const GxeResultCode code =
        sdk::Host().parameter_get(sdk::ToBorder(context_), cid, sdk::ToText(key),
                                  GxeValueSink{&getter, Getter<T>::Accept});
    if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
    return std::move(getter.result);
  }
  Expected<void> setStr(gxf_uid_t cid, const char* key, const char* value) {
    return set<std::string>(cid, key, value);
  }
  Expected<void> setPath(gxf_uid_t cid, const char* key, const char* value) {
    return set<FilePath>(cid, key, FilePath(value));
  }
  Expected<void> setStrVector(gxf_uid_t cid, const char* key, std::vector<std::string> value) {
    return set(cid, key, std::move(value));
  }
  /// Adds to a number; what it is then. Not for two threads at once.
  Expected<int64_t> addGetInt64(gxf_uid_t cid, const char* key, int64_t delta) {
    const auto before = get<int64_t>(cid, key);
    if (!before) { return before; }
    int64_t sum = 0;
    if (__builtin_add_overflow(before.value(), delta, &sum)) {
      return Unexpected{GXF_PARAMETER_OUT_OF_RANGE};
    }
    const auto stored = set(cid, key, sum);
    if (!stored) { return ForwardError(stored); }
    return sum;
  }
  Expected<void> setHandle(gxf_uid_t cid, const char* key, gxf_uid_t value) {
    const GxeValue border = {GxeParameterType_HANDLE, 0, 1, &value};
    return ExpectedOrCode(sdk::ToGxf(sdk::Host().parameter_set(
        sdk::ToBorder(context_), cid, sdk::ToText(key), &border)));
  }

 private:
  template <typename T>
  struct Getter {
    gxf_context_t context;
    gxf_uid_t cid;
    const char* key;
    Expected<T> result;

    static void Accept(void* user, const GxeValue* value) {
      auto* self = static_cast<Getter*>(user);
      const bool fits =
          value->element_type == sdk::Codec<T>::kType && value->rank == sdk::Codec<T>::kRank;
      self->result = fits ? sdk::Codec<T>::Read(*value, {self->context, self->cid, self->key})
                          : Expected<T>(Unexpected{GXF_PARAMETER_INVALID_TYPE});
    }
  };

  gxf_context_t context_;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_PARAMETER_STORAGE_HPP_
