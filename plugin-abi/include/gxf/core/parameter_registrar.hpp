/// What is known about parameters.
#ifndef NVIDIA_GXF_CORE_PARAMETER_REGISTRAR_HPP_
#define NVIDIA_GXF_CORE_PARAMETER_REGISTRAR_HPP_

#include <array>
#include <complex>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

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
  /// Physical unit, or what else depends on the platform.
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

/// What GXF calls the type of a parameter.
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

/// The parameters of component types. The host keeps them; what is here describes one parameter.
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
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_PARAMETER_REGISTRAR_HPP_
