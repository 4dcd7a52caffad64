/// Information about parameters.
#ifndef NVIDIA_GXF_CORE_PARAMETER_REGISTRAR_HPP_
#define NVIDIA_GXF_CORE_PARAMETER_REGISTRAR_HPP_

#include <algorithm>
#include <array>
#include <complex>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/type_name.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/filepath.hpp"
#include "gxf/core/gxf.h"
#include "gxf/core/handle.hpp"
#include "gxf/std/complex.hpp"

namespace nvidia {
namespace gxf {

/// Everything a component can say about one of its parameters.
template <typename T>
struct ParameterInfo {
  /// Name in YAML; a constant.
  const char* key = nullptr;
  /// Short title.
  const char* headline = nullptr;
  /// Full description.
  const char* description = nullptr;
  /// Physical unit, or other platform-dependent information.
  const char* platform_information = nullptr;
  /// Value when none is given.
  Expected<T> value_default = Unexpected{GXF_UNINITIALIZED_VALUE};
  /// Smallest and largest value, and the distance of values, of numbers.
  Expected<std::array<T, 3>> value_range = Unexpected{GXF_UNINITIALIZED_VALUE};
  /// Set of `GXF_PARAMETER_FLAGS_...`.
  gxf_parameter_flags_t flags = GXF_PARAMETER_FLAGS_NONE;
  /// Highest rank.
  static constexpr int32_t kMaxRank = 8;
  /// Number of dimensions, found from the type.
  int32_t rank = 0;
  /// Length of each dimension, found from the type.
  int32_t shape[kMaxRank] = {1};
};

/// GXF's type of a parameter.
template <typename T>
struct ParameterTypeTrait {
  static constexpr const char* type_name = "(custom)";
  static constexpr gxf_parameter_type_t type = GXF_PARAMETER_TYPE_CUSTOM;
  static constexpr bool is_arithmetic = false;
};

#define GXF_PARAMETER_TYPE_TRAIT(TYPE, ENUM, NAME, ARITHMETIC)                  \
  template <>                                                                   \
  struct ParameterTypeTrait<TYPE> {                                             \
    static constexpr const char* type_name = NAME;                              \
    static constexpr gxf_parameter_type_t type = GXF_PARAMETER_TYPE_##ENUM;     \
    static constexpr bool is_arithmetic = ARITHMETIC;                           \
  }
GXF_PARAMETER_TYPE_TRAIT(int8_t, INT8, "Int8", true);
GXF_PARAMETER_TYPE_TRAIT(int16_t, INT16, "Int16", true);
GXF_PARAMETER_TYPE_TRAIT(int32_t, INT32, "Int32", true);
GXF_PARAMETER_TYPE_TRAIT(int64_t, INT64, "Int64", true);
GXF_PARAMETER_TYPE_TRAIT(uint8_t, UINT8, "UInt8", true);
GXF_PARAMETER_TYPE_TRAIT(uint16_t, UINT16, "UInt16", true);
GXF_PARAMETER_TYPE_TRAIT(uint32_t, UINT32, "UInt32", true);
GXF_PARAMETER_TYPE_TRAIT(uint64_t, UINT64, "UInt64", true);
GXF_PARAMETER_TYPE_TRAIT(float, FLOAT32, "Float32", true);
GXF_PARAMETER_TYPE_TRAIT(double, FLOAT64, "Float64", true);
GXF_PARAMETER_TYPE_TRAIT(complex64, COMPLEX64, "Complex64", true);
GXF_PARAMETER_TYPE_TRAIT(complex128, COMPLEX128, "Complex128", true);
GXF_PARAMETER_TYPE_TRAIT(bool, BOOL, "Boolean", false);
GXF_PARAMETER_TYPE_TRAIT(char*, STRING, "String", false);
GXF_PARAMETER_TYPE_TRAIT(std::string, STRING, "String", false);
GXF_PARAMETER_TYPE_TRAIT(FilePath, FILE, "File", false);
#undef GXF_PARAMETER_TYPE_TRAIT

template <typename S>
struct ParameterTypeTrait<Handle<S>> {
  static constexpr const char* type_name = "(handle)";
  static constexpr gxf_parameter_type_t type = GXF_PARAMETER_TYPE_HANDLE;
  static constexpr bool is_arithmetic = false;
};

/// A value whose type only its user knows.
class TypeEraser {
 public:
  TypeEraser() = default;
  template <typename T, typename = std::enable_if_t<!std::is_same_v<std::decay_t<T>, TypeEraser>>>
  explicit TypeEraser(T&& value)
      : value_(std::make_shared<const std::decay_t<T>>(std::forward<T>(value))) {}

  bool has_value() const { return value_ != nullptr; }
  /// Address of the value; null for none.
  const void* get() const { return value_.get(); }
  void reset() { value_.reset(); }

 private:
  std::shared_ptr<const void> value_;
};

/// Descriptions of the parameters of component types, created in code. The host has its own; see
/// `Component::getParameterInfo`.
class ParameterRegistrar {
 public:
  /// A parameter of a component type.
  struct ComponentParameterInfo {
    std::string key;
    std::string headline;
    std::string description;
    std::string platform_information;
    gxf_parameter_type_t type = GXF_PARAMETER_TYPE_CUSTOM;
    gxf_tid_t handle_tid = GxfTidNull();
    bool is_arithmetic = false;
    gxf_parameter_flags_t flags = GXF_PARAMETER_FLAGS_NONE;
    /// Of numbers; of other types the host keeps it.
    TypeEraser default_value;
    /// Smallest and largest value, and the distance of values, of numbers.
    std::array<TypeEraser, 3> value_range;
    int32_t rank = 0;
    int32_t shape[ParameterInfo<int32_t>::kMaxRank] = {1};
  };

  ParameterRegistrar() = default;

  /// Adds a parameter to a type, which needs not be known yet.
  template <typename T>
  Expected<void> registerComponentParameter(gxf_tid_t tid, const std::string& type_name,
                                            const ParameterInfo<T>& info);
  void addParameterlessType(gxf_tid_t tid, const std::string& type_name) {
    types_[Key(tid)].name = type_name;
  }
  bool hasComponent(gxf_tid_t tid) const { return types_.count(Key(tid)) != 0; }
  size_t componentParameterCount(gxf_tid_t tid) const {
    const Type* type = Find(tid);
    return type == nullptr ? 0 : type->parameters.size();
  }
  /// Keys in the order of registration. `count` is the room in `keys`, and then how many there are.
  Expected<void> getParameterKeys(gxf_tid_t tid, const char** keys, size_t& count) const {
    const Type* type = Find(tid);
    if (type == nullptr) { return Unexpected{GXF_ENTITY_COMPONENT_NOT_FOUND}; }
    const size_t room = std::exchange(count, type->parameters.size());
    if (room < count) { return Unexpected{GXF_QUERY_NOT_ENOUGH_CAPACITY}; }
    for (size_t i = 0; i < count; i++) { keys[i] = type->parameters[i]->key.c_str(); }
    return Success;
  }
  Expected<bool> componentHasParameter(gxf_tid_t tid, const char* key) const {
    if (Find(tid) == nullptr) { return Unexpected{GXF_ENTITY_COMPONENT_NOT_FOUND}; }
    return static_cast<bool>(getComponentParameterInfoPtr(tid, key));
  }
  template <typename T>
  Expected<const T*> getDefaultValue(gxf_tid_t tid, const char* key) const {
    const auto info = getComponentParameterInfoPtr(tid, key);
    if (!info) { return ForwardError(info); }
    if (info.value()->type != ParameterTypeTrait<T>::type) {
      return Unexpected{GXF_PARAMETER_INVALID_TYPE};
    }
    return static_cast<const T*>(info.value()->default_value.get());
  }
  /// Whether the parameter has a range, which is then stored.
  template <typename T>
  Expected<bool> getNumericRange(gxf_tid_t tid, const char* key, std::array<T, 3>& range) const {
    const auto info = getComponentParameterInfoPtr(tid, key);
    if (!info) { return ForwardError(info); }
    if (!info.value()->is_arithmetic) { return Unexpected{GXF_PARAMETER_NOT_NUMERIC}; }
    if (info.value()->type != ParameterTypeTrait<T>::type) {
      return Unexpected{GXF_PARAMETER_INVALID_TYPE};
    }
    for (size_t i = 0; i < range.size(); i++) {
      if (!info.value()->value_range[i].has_value()) { return false; }
      range[i] = *static_cast<const T*>(info.value()->value_range[i].get());
    }
    return true;
  }
  /// The arguments of a parameter's registration; texts belong to this object.
  template <typename T>
  Expected<ParameterInfo<T>> getParameterInfo(gxf_tid_t tid, const char* key) const;
  Expected<ComponentParameterInfo*> getComponentParameterInfoPtr(gxf_tid_t tid,
                                                                 const char* key) const {
    const Type* type = Find(tid);
    if (type == nullptr || key == nullptr) { return Unexpected{GXF_ENTITY_COMPONENT_NOT_FOUND}; }
    for (const auto& parameter : type->parameters) {
      if (parameter->key == key) { return parameter.get(); }
    }
    return Unexpected{GXF_PARAMETER_NOT_FOUND};
  }
  /// The parameters of a type whose values are of type `T`.
  template <typename T>
  Expected<std::vector<ComponentParameterInfo>> getParametersOfType(gxf_tid_t tid) const {
    const Type* type = Find(tid);
    if (type == nullptr) { return Unexpected{GXF_ENTITY_COMPONENT_NOT_FOUND}; }
    std::vector<ComponentParameterInfo> found;
    for (const auto& parameter : type->parameters) {
      if (parameter->type == ParameterTypeTrait<T>::type) { found.push_back(*parameter); }
    }
    return found;
  }
  Expected<gxf_tid_t> tidFromTypename(const std::string& type_name) const {
    for (const auto& [key, type] : types_) {
      if (type.name == type_name) { return gxf_tid_t{key.first, key.second}; }
    }
    return Unexpected{GXF_FACTORY_UNKNOWN_CLASS_NAME};
  }

 private:
  struct Type {
    std::string name;
    std::vector<std::unique_ptr<ComponentParameterInfo>> parameters;
  };

  static std::pair<uint64_t, uint64_t> Key(gxf_tid_t tid) { return {tid.hash1, tid.hash2}; }
  const Type* Find(gxf_tid_t tid) const {
    const auto found = types_.find(Key(tid));
    return found == types_.end() ? nullptr : &found->second;
  }

  std::map<std::pair<uint64_t, uint64_t>, Type> types_;
};

/// Adds the parts of a description that follow from the parameter's type.
template <typename T>
struct ParameterInfoOverride {
  Expected<void> apply(ParameterRegistrar* registrar,
                       ParameterRegistrar::ComponentParameterInfo& info) {
    (void)registrar;
    info.type = ParameterTypeTrait<T>::type;
    info.is_arithmetic = ParameterTypeTrait<T>::is_arithmetic;
    return Success;
  }
};
template <typename S>
struct ParameterInfoOverride<Handle<S>> {
  Expected<void> apply(ParameterRegistrar* registrar,
                       ParameterRegistrar::ComponentParameterInfo& info) {
    info.type = GXF_PARAMETER_TYPE_HANDLE;
    if (registrar != nullptr) {
      info.handle_tid = registrar->tidFromTypename(TypenameAsString<S>()).value_or(GxfTidNull());
    }
    return Success;
  }
};

namespace detail {

/// Lists have one dimension more than their elements; length -1 is any.
template <typename T, int32_t Length>
struct ListInfoOverride {
  Expected<void> apply(ParameterRegistrar* registrar,
                       ParameterRegistrar::ComponentParameterInfo& info) {
    if (info.rank >= ParameterInfo<T>::kMaxRank) { return Unexpected{GXF_PARAMETER_OUT_OF_RANGE}; }
    info.shape[info.rank++] = Length;
    return ParameterInfoOverride<T>{}.apply(registrar, info);
  }
};

}  // namespace detail

template <typename T>
struct ParameterInfoOverride<std::vector<T>> : detail::ListInfoOverride<T, -1> {};
template <typename T, std::size_t N>
struct ParameterInfoOverride<std::array<T, N>>
    : detail::ListInfoOverride<T, static_cast<int32_t>(N)> {};

template <typename T>
Expected<void> ParameterRegistrar::registerComponentParameter(gxf_tid_t tid,
                                                              const std::string& type_name,
                                                              const ParameterInfo<T>& info) {
  if (info.key == nullptr) { return Unexpected{GXF_ARGUMENT_NULL}; }
  if (getComponentParameterInfoPtr(tid, info.key)) {
    return Unexpected{GXF_PARAMETER_ALREADY_REGISTERED};
  }
  const auto text = [](const char* value) { return std::string(value == nullptr ? "" : value); };
  auto made = std::make_unique<ComponentParameterInfo>();
  made->key = info.key;
  made->headline = text(info.headline);
  made->description = text(info.description);
  made->platform_information = text(info.platform_information);
  made->flags = info.flags;
  if (info.value_default) { made->default_value = TypeEraser{info.value_default.value()}; }
  if constexpr (ParameterTypeTrait<T>::is_arithmetic) {
    for (size_t i = 0; info.value_range && i < made->value_range.size(); i++) {
      made->value_range[i] = TypeEraser{info.value_range.value()[i]};
    }
  }
  const auto applied = ParameterInfoOverride<T>{}.apply(this, *made);
  if (!applied) { return applied; }
  Type& type = types_[Key(tid)];
  type.name = type_name;
  type.parameters.push_back(std::move(made));
  return Success;
}

template <typename T>
Expected<ParameterInfo<T>> ParameterRegistrar::getParameterInfo(gxf_tid_t tid,
                                                                const char* key) const {
  const auto found = getComponentParameterInfoPtr(tid, key);
  if (!found) { return ForwardError(found); }
  const ComponentParameterInfo& stored = *found.value();
  ParameterInfo<T> info;
  info.key = stored.key.c_str();
  info.headline = stored.headline.c_str();
  info.description = stored.description.c_str();
  info.platform_information = stored.platform_information.c_str();
  info.flags = stored.flags;
  info.rank = stored.rank;
  std::copy(std::begin(stored.shape), std::end(stored.shape), std::begin(info.shape));
  const auto value = getDefaultValue<T>(tid, key);
  if (!value) { return ForwardError(value); }
  if (value.value() != nullptr) { info.value_default = *value.value(); }
  std::array<T, 3> range;
  if constexpr (ParameterTypeTrait<T>::is_arithmetic) {
    if (getNumericRange(tid, key, range).value_or(false)) { info.value_range = range; }
  }
  return info;
}

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_PARAMETER_REGISTRAR_HPP_
