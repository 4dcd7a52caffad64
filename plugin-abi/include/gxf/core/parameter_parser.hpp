/// Parses parameters from YAML. The ABI passes plain types itself; this covers all other types and
/// their parts.
#ifndef NVIDIA_GXF_CORE_PARAMETER_PARSER_HPP_
#define NVIDIA_GXF_CORE_PARAMETER_PARSER_HPP_

#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "common/fixed_string.hpp"
#include "common/fixed_vector.hpp"
#include "common/logger.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/filepath.hpp"
#include "gxf/core/gxf.h"
#include "gxf/core/handle.hpp"
#include "gxf/sdk/yaml.hpp"

namespace nvidia {
namespace gxf {

namespace detail {

/// Bytes are numbers, not letters.
template <typename T>
Expected<T> ParseByte(const char* key, const YAML::Node& node) {
  const auto number = node.as<int32_t>();
  if (number < std::numeric_limits<T>::min() || number > std::numeric_limits<T>::max()) {
    GXF_LOG_ERROR("parameter `%s`: %d does not fit into 8 bits", key, number);
    return Unexpected{GXF_PARAMETER_OUT_OF_RANGE};
  }
  return static_cast<T>(number);
}

}  // namespace detail

/// Specialise this to make a type of your own a parameter.
template <typename T, typename V = void>
struct ParameterParser {
  static Expected<T> Parse(gxf_context_t context, gxf_uid_t component_uid, const char* key,
                           const YAML::Node& node, const std::string& prefix) {
    (void)context;
    (void)component_uid;
    (void)prefix;
    try {
      // No specialisation: extensions have their own for `int8_t`, which GXF has not.
      if constexpr (std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>) {
        return detail::ParseByte<T>(key, node);
      } else {
        return node.as<T>();
      }
    } catch (const std::exception& error) {
      GXF_LOG_ERROR("Could not parse parameter '%s': %s", key, error.what());
      return Unexpected{GXF_PARAMETER_PARSER_ERROR};
    }
  }
};

/// Any value is a text; lists and mappings are the YAML they are written in.
template <>
struct ParameterParser<std::string> {
  static Expected<std::string> Parse(gxf_context_t, gxf_uid_t, const char*, const YAML::Node& node,
                                     const std::string&) {
    return node.IsScalar() ? node.Scalar() : YAML::Dump(node);
  }
};
template <>
struct ParameterParser<FilePath> {
  static Expected<FilePath> Parse(gxf_context_t context, gxf_uid_t component_uid, const char* key,
                                  const YAML::Node& node, const std::string& prefix) {
    return ParameterParser<std::string>::Parse(context, component_uid, key, node, prefix)
        .map([](const std::string& text) { return FilePath(text); });
  }
};

namespace detail {

/// Reads the elements of a list one by one; `take` is false when there is no room for another one.
template <typename T, typename F>
Expected<void> ParseElements(gxf_context_t context, gxf_uid_t component_uid, const char* key,
                             const YAML::Node& node, const std::string& prefix, F&& take) {
  if (!node.IsSequence()) {
    GXF_LOG_ERROR("parameter `%s` is no list", key);
    return Unexpected{GXF_PARAMETER_PARSER_ERROR};
  }
  for (size_t i = 0; i < node.size(); i++) {
    auto element = ParameterParser<T>::Parse(context, component_uid, key, node[i], prefix);
    if (!element) { return ForwardError(element); }
    if (!take(i, std::move(element.value()))) {
      GXF_LOG_ERROR("parameter `%s` has %zu elements, which are too many", key, node.size());
      return Unexpected{GXF_PARAMETER_PARSER_ERROR};
    }
  }
  return Success;
}

}  // namespace detail

template <size_t N>
struct ParameterParser<FixedString<N>> {
  static Expected<FixedString<N>> Parse(gxf_context_t context, gxf_uid_t component_uid,
                                        const char* key, const YAML::Node& node,
                                        const std::string& prefix) {
    const auto text =
        ParameterParser<std::string>::Parse(context, component_uid, key, node, prefix);
    if (!text) { return ForwardError(text); }
    FixedString<N> result;
    if (!result.copy(text->data(), text->size())) {
      GXF_LOG_ERROR("parameter `%s`: `%s` has more than %zu bytes", key, text->c_str(), N);
      return Unexpected{GXF_PARAMETER_PARSER_ERROR};
    }
    return result;
  }
};

template <typename T, ssize_t N>
struct ParameterParser<FixedVector<T, N>> {
  static Expected<FixedVector<T, N>> Parse(gxf_context_t context, gxf_uid_t component_uid,
                                           const char* key, const YAML::Node& node,
                                           const std::string& prefix) {
    FixedVector<T, N> result;
    if constexpr (N == kFixedVectorHeap) {
      if (!result.reserve(node.size())) { return Unexpected{GXF_OUT_OF_MEMORY}; }
    }
    const auto read = detail::ParseElements<T>(
        context, component_uid, key, node, prefix, [&](size_t, T&& element) {
          return static_cast<bool>(result.push_back(std::move(element)));
        });
    if (!read) { return ForwardError(read); }
    return Expected<FixedVector<T, N>>(std::move(result));
  }
};

/// `component` of the same entity, `entity/component`, or `<Unspecified>`.
template <typename S>
struct ParameterParser<Handle<S>> {
  static Expected<Handle<S>> Parse(gxf_context_t context, gxf_uid_t component_uid, const char* key,
                                   const YAML::Node& node, const std::string& prefix) {
    if (!node.IsScalar()) {
      GXF_LOG_ERROR("parameter `%s` is no name of a component", key);
      return Unexpected{GXF_PARAMETER_PARSER_ERROR};
    }
    return detail::HandleFromText<S>(context, component_uid, node.Scalar(), prefix)
        .log_error("parameter `%s`: there is no component `%s` of type `%s`", key,
                   node.Scalar().c_str(), TypenameAsString<S>());
  }
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_PARAMETER_PARSER_HPP_
