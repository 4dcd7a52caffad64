/// Makes YAML of parameters of types the border has no form for.
#ifndef NVIDIA_GXF_CORE_PARAMETER_WRAPPER_HPP_
#define NVIDIA_GXF_CORE_PARAMETER_WRAPPER_HPP_

#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"
#include "gxf/sdk/yaml.hpp"

namespace nvidia {
namespace gxf {

namespace detail {

template <typename T, typename = void>
struct HasYamlNode : std::false_type {};
template <typename T>
struct HasYamlNode<T, std::void_t<decltype(YAML::convert<T>::encode(std::declval<const T&>()))>>
    : std::true_type {};

}  // namespace detail

/// Specialise this to let tools show a parameter of a type of your own. Types without a
/// specialisation and without `YAML::convert` cannot be shown; they work nevertheless.
template <typename T, typename V = void>
struct ParameterWrapper {
  static Expected<YAML::Node> Wrap(gxf_context_t context, const T& value) {
    (void)context;
    if constexpr (detail::HasYamlNode<T>::value) {
      return YAML::convert<T>::encode(value);
    } else {
      (void)value;
      return Unexpected{GXF_NOT_IMPLEMENTED};
    }
  }
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_PARAMETER_WRAPPER_HPP_
