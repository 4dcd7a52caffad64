/// Writes parameters as YAML whose types the ABI cannot represent.
#ifndef NVIDIA_GXF_CORE_PARAMETER_WRAPPER_HPP_
#define NVIDIA_GXF_CORE_PARAMETER_WRAPPER_HPP_

#include <array>
#include <list>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/fixed_string.hpp"
#include "common/fixed_vector.hpp"
#include "common/yaml_parser.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/filepath.hpp"
#include "gxf/core/gxf.h"
#include "gxf/core/handle.hpp"
#include "gxf/sdk/yaml.hpp"

namespace nvidia {
namespace gxf {

namespace detail {

/// Whether `YAML::convert` can convert a value. It claims so for every container, whatever the
/// elements, so the elements are checked too.
template <typename T, typename = void>
struct HasYamlNode : std::false_type {};
template <typename T>
struct ContentHasYamlNode : std::true_type {};
template <typename T>
struct HasYamlNode<T, std::void_t<decltype(YAML::convert<T>::encode(std::declval<const T&>()))>>
    : ContentHasYamlNode<T> {};

template <typename T, typename A>
struct ContentHasYamlNode<std::vector<T, A>> : HasYamlNode<T> {};
template <typename T, typename A>
struct ContentHasYamlNode<std::list<T, A>> : HasYamlNode<T> {};
template <typename T, typename C, typename A>
struct ContentHasYamlNode<std::set<T, C, A>> : HasYamlNode<T> {};
template <typename T, size_t N>
struct ContentHasYamlNode<std::array<T, N>> : HasYamlNode<T> {};
template <typename T, typename U>
struct ContentHasYamlNode<std::pair<T, U>> : std::conjunction<HasYamlNode<T>, HasYamlNode<U>> {};
template <typename K, typename T, typename C, typename A>
struct ContentHasYamlNode<std::map<K, T, C, A>> : std::conjunction<HasYamlNode<K>, HasYamlNode<T>> {
};
template <typename K, typename T, typename H, typename C, typename A>
struct ContentHasYamlNode<std::unordered_map<K, T, H, C, A>>
    : std::conjunction<HasYamlNode<K>, HasYamlNode<T>> {};

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

/// `entity/component`.
template <typename S>
struct ParameterWrapper<Handle<S>> {
  static Expected<YAML::Node> Wrap(gxf_context_t context, const Handle<S>& value) {
    return detail::TextOfHandle(context, value.cid()).map([](const std::string& text) {
      return YAML::Node(text);
    });
  }
};

template <size_t N>
struct ParameterWrapper<FixedString<N>> {
  static Expected<YAML::Node> Wrap(gxf_context_t, const FixedString<N>& value) {
    return YAML::Node(std::string(value.c_str(), value.size()));
  }
};

namespace detail {

/// The nodes of a list's elements.
template <typename List>
struct ListWrapper {
  static Expected<YAML::Node> Wrap(gxf_context_t context, const List& list) {
    YAML::Node node(YAML::NodeType::Sequence);
    for (size_t i = 0; i < list.size(); i++) {
      using T = typename List::value_type;
      auto element = ParameterWrapper<T>::Wrap(context, static_cast<const T&>(list.data()[i]));
      if (!element) { return element; }
      node.push_back(element.value());
    }
    return node;
  }
};

}  // namespace detail

template <typename T>
struct ParameterWrapper<std::vector<T>, std::enable_if_t<!std::is_same_v<T, bool>>>
    : detail::ListWrapper<std::vector<T>> {};
template <typename T, std::size_t N>
struct ParameterWrapper<std::array<T, N>> : detail::ListWrapper<std::array<T, N>> {};
template <typename T, ssize_t N>
struct ParameterWrapper<FixedVector<T, N>> : detail::ListWrapper<FixedVector<T, N>> {};

template <typename T>
struct ParameterWrapper<std::unordered_map<std::string, T>> {
  static Expected<YAML::Node> Wrap(gxf_context_t context,
                                   const std::unordered_map<std::string, T>& table) {
    YAML::Node node(YAML::NodeType::Map);
    for (const auto& [key, value] : table) {
      auto element = ParameterWrapper<T>::Wrap(context, value);
      if (!element) { return element; }
      node[key] = element.value();
    }
    return node;
  }
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_PARAMETER_WRAPPER_HPP_
