/// Parsers of the standard containers.
#ifndef NVIDIA_GXF_CORE_PARAMETER_PARSER_STD_HPP_
#define NVIDIA_GXF_CORE_PARAMETER_PARSER_STD_HPP_

#include <array>
#include <complex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/yaml_parser.hpp"
#include "gxf/core/parameter_parser.hpp"
#include "gxf/core/parameter_wrapper.hpp"

namespace nvidia {
namespace gxf {

template <typename T>
struct ParameterParser<std::vector<T>> {
  static Expected<std::vector<T>> Parse(gxf_context_t context, gxf_uid_t component_uid,
                                        const char* key, const YAML::Node& node,
                                        const std::string& prefix) {
    std::vector<T> result;
    const auto read = detail::ParseElements<T>(context, component_uid, key, node, prefix,
                                               [&](size_t, T&& element) {
                                                 result.push_back(std::move(element));
                                                 return true;
                                               });
    if (!read) { return ForwardError(read); }
    return result;
  }
};

/// A list of exactly `N` elements.
template <typename T, std::size_t N>
struct ParameterParser<std::array<T, N>> {
  static Expected<std::array<T, N>> Parse(gxf_context_t context, gxf_uid_t component_uid,
                                          const char* key, const YAML::Node& node,
                                          const std::string& prefix) {
    if (!node.IsSequence() || node.size() != N) {
      GXF_LOG_ERROR("parameter `%s` is no list of %zu elements", key, N);
      return Unexpected{GXF_PARAMETER_PARSER_ERROR};
    }
    std::array<T, N> result{};
    const auto read = detail::ParseElements<T>(context, component_uid, key, node, prefix,
                                               [&](size_t index, T&& element) {
                                                 result[index] = std::move(element);
                                                 return true;
                                               });
    if (!read) { return ForwardError(read); }
    return result;
  }
};

/// Values by name.
template <typename T>
struct ParameterParser<std::unordered_map<std::string, T>> {
  static Expected<std::unordered_map<std::string, T>> Parse(gxf_context_t context,
                                                            gxf_uid_t component_uid,
                                                            const char* key, const YAML::Node& node,
                                                            const std::string& prefix) {
    if (!node.IsMap()) {
      GXF_LOG_ERROR("parameter `%s` is no mapping", key);
      return Unexpected{GXF_PARAMETER_PARSER_ERROR};
    }
    std::unordered_map<std::string, T> result;
    for (const auto& entry : node) {
      auto value = ParameterParser<T>::Parse(context, component_uid, key, entry.second, prefix);
      if (!value) { return ForwardError(value); }
      result[entry.first.template as<std::string>()] = std::move(value.value());
    }
    return result;
  }
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_PARAMETER_PARSER_STD_HPP_
