/// Parameters of components by id and key, as the host keeps them.
#ifndef NVIDIA_GXF_CORE_PARAMETER_STORAGE_HPP_
#define NVIDIA_GXF_CORE_PARAMETER_STORAGE_HPP_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"
#include "gxf/core/parameter.hpp"
#include "gxf/sdk/codec.hpp"
#include "gxf/sdk/types.hpp"

namespace nvidia {
namespace gxf {

/// The parameters of all components of a context, and those registered in code.
class ParameterStorage {
 public:
  explicit ParameterStorage(gxf_context_t context) : context_(context) {}

  /// Keeps a parameter that no component of the host has; `parameter` follows its value. `cid` and
  /// `key` are any that are not in use here.
  template <typename T>
  Expected<void> registerParameter(Parameter<T>* parameter, gxf_uid_t cid, const char* key,
                                   const char* headline, const char* description,
                                   Expected<T> default_value, gxf_parameter_flags_t flags) {
    if (parameter == nullptr || key == nullptr) { return Unexpected{GXF_ARGUMENT_NULL}; }
    auto& backend = backends_[{cid, key}];
    if (backend != nullptr) { return Unexpected{GXF_PARAMETER_ALREADY_REGISTERED}; }
    auto made = std::make_unique<ParameterBackend<T>>();
    made->context_ = context_;
    made->uid_ = cid;
    made->flags_ = flags;
    made->is_dynamic_ = (flags & GXF_PARAMETER_FLAGS_DYNAMIC) != 0;
    made->key_ = key;
    made->headline_ = headline;
    made->description_ = description;
    if (default_value) { made->set(std::move(default_value.value())); }
    parameter->connect(made.get());
    backend = std::move(made);
    return Success;
  }

  /// Sets a parameter of any component.
  template <typename T>
  Expected<void> set(gxf_uid_t cid, const char* key, T value) {
    if (auto* own = FindOwn(cid, key)) {
      auto* typed = dynamic_cast<ParameterBackend<T>*>(own);
      return typed == nullptr ? Expected<void>(Unexpected{GXF_PARAMETER_INVALID_TYPE})
                              : typed->set(std::move(value));
    }
    sdk::OwnedValue abi;
    if (!sdk::Codec<T>::Write(value, abi)) { return Unexpected{GXF_PARAMETER_INVALID_TYPE}; }
    return ExpectedOrCode(sdk::ToGxf(sdk::Host().parameter_set(
        sdk::ToAbi(context_), cid, sdk::ToText(key), &abi.value)));
  }
  /// The value of a parameter of any component.
  template <typename T>
  Expected<T> get(gxf_uid_t cid, const char* key) const {
    if (auto* own = FindOwn(cid, key)) {
      auto* typed = dynamic_cast<ParameterBackend<T>*>(own);
      return typed == nullptr ? Expected<T>(Unexpected{GXF_PARAMETER_INVALID_TYPE})
                              : typed->try_get();
    }
    Getter<T> getter{context_, cid, key, Unexpected{GXF_PARAMETER_NOT_INITIALIZED}};
    const GxeResultCode code =
        sdk::Host().parameter_get(sdk::ToAbi(context_), cid, sdk::ToText(key),
                                  GxeValueSink{&getter, Getter<T>::Accept});
    if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
    return std::move(getter.result);
  }
  /// Sets a parameter from YAML. `prefix` precedes the names of entities in it.
  Expected<void> parse(gxf_uid_t cid, const char* key, const YAML::Node& node,
                       const std::string& prefix) {
    if (auto* own = FindOwn(cid, key)) { return own->parse(node, prefix); }
    if (GxfParameterSetFromYamlText == nullptr) { return Unexpected{GXF_NOT_IMPLEMENTED}; }
    const std::string text = YAML::Dump(node);
    return ExpectedOrCode(
        GxfParameterSetFromYamlText(context_, cid, key, text.c_str(), prefix.c_str()));
  }
  /// A parameter as YAML.
  Expected<YAML::Node> wrap(gxf_uid_t cid, const char* key) {
    if (auto* own = FindOwn(cid, key)) { return own->wrap(); }
    if (GxfParameterGetAsYamlText == nullptr) { return Unexpected{GXF_NOT_IMPLEMENTED}; }
    const char* text = nullptr;
    const gxf_result_t code = GxfParameterGetAsYamlText(context_, cid, key, &text);
    if (code != GXF_SUCCESS) { return Unexpected{code}; }
    return YAML::Load(std::string(text));
  }
  /// Whether a parameter has a value.
  bool isAvailable(gxf_uid_t cid, const char* key) const {
    if (auto* own = FindOwn(cid, key)) { return own->isAvailable(); }
    const GxeValueSink nowhere = {nullptr, [](void*, const GxeValue*) {}};
    const bool found = sdk::Host().parameter_get(sdk::ToAbi(context_), cid, sdk::ToText(key),
                                                 nowhere) == GxeResultCode_SUCCESS;
    if (!found) { sdk::ForgetHostError(); }
    return found;
  }
  /// Whether all mandatory parameters registered here for a component have values. The host checks
  /// those of its own components when their entity is activated.
  bool isAvailable(gxf_uid_t cid) const {
    for (const auto& [place, backend] : backends_) {
      if (place.first == cid && backend->isMandatory() && !backend->isAvailable()) { return false; }
    }
    return true;
  }
  /// Forgets the parameters registered here for a component.
  Expected<void> clearEntityParameters(gxf_uid_t cid) {
    for (auto it = backends_.begin(); it != backends_.end();) {
      it = it->first.first == cid ? backends_.erase(it) : std::next(it);
    }
    return Success;
  }

  /// A text parameter; it stays for the life of the process.
  Expected<const char*> getStr(gxf_uid_t cid, const char* key) const {
    return get<std::string>(cid, key).map(
        [](const std::string& text) -> const char* { return sdk::Intern(text); });
  }
  Expected<const char*> getPath(gxf_uid_t cid, const char* key) const {
    return get<FilePath>(cid, key).map(
        [](const FilePath& path) -> const char* { return sdk::Intern(path); });
  }
  /// The id of a handle's target.
  Expected<gxf_uid_t> getHandle(gxf_uid_t cid, const char* key) const {
    Expected<gxf_uid_t> found = Unexpected{GXF_PARAMETER_INVALID_TYPE};
    const GxeValueSink sink = {&found, [](void* user, const GxeValue* value) {
                                 if (value->element_type == GxeParameterType_HANDLE &&
                                     value->rank == 0) {
                                   *static_cast<Expected<gxf_uid_t>*>(user) =
                                       *static_cast<const GxeUid*>(value->data);
                                 }
                               }};
    const GxeResultCode code =
        sdk::Host().parameter_get(sdk::ToAbi(context_), cid, sdk::ToText(key), sink);
    if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
    return found;
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
  /// Adds to a number and returns the sum. Not for concurrent use.
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
    const GxeValue abi = {GxeParameterType_HANDLE, 0, 1, &value};
    return ExpectedOrCode(sdk::ToGxf(sdk::Host().parameter_set(
        sdk::ToAbi(context_), cid, sdk::ToText(key), &abi)));
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

  ParameterBackendBase* FindOwn(gxf_uid_t cid, const char* key) const {
    if (backends_.empty() || key == nullptr) { return nullptr; }
    const auto found = backends_.find({cid, key});
    return found == backends_.end() ? nullptr : found->second.get();
  }

  gxf_context_t context_;
  std::map<std::pair<gxf_uid_t, std::string>, std::unique_ptr<ParameterBackendBase>> backends_;
};

namespace detail {

template <typename T>
Expected<void> ParameterOf<T>::set(T value) {
  if (backend_ != nullptr) { return backend_->set(std::move(value)); }
  if (key_ == nullptr) { return Unexpected{GXF_PARAMETER_NOT_INITIALIZED}; }
  if (cid_ != kNullUid && !ParameterStorage(context_).set<T>(cid_, key_, value)) {
    sdk::ForgetHostError();
  }
  value_ = Expected<T>(std::move(value));
  return Success;
}

}  // namespace detail

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_PARAMETER_STORAGE_HPP_
