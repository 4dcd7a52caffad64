/// Arguments: values of parameters, by key.
#ifndef NVIDIA_GXF_APP_ARG_HPP_
#define NVIDIA_GXF_APP_ARG_HPP_

#include <array>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gxf/core/filepath.hpp"
#include "gxf/core/handle.hpp"
#include "gxf/sdk/yaml.hpp"

namespace nvidia {
namespace gxf {

class Arg;

/// A component that is described now and made later, in the entity that it is given to.
struct ProxyComponent {
  ProxyComponent() = default;
  ProxyComponent(std::string type, std::string component_name, std::vector<Arg> arguments)
      : type_name(std::move(type)), name(std::move(component_name)), args(std::move(arguments)) {}

  /// Full name of the type.
  std::string type_name;
  /// Name of the component.
  std::string name;
  /// Its parameters.
  std::vector<Arg> args;
};

namespace detail {

/// A value as it stands in an app file. A handle is the name of its component.
template <typename T>
YAML::Node NodeOf(const T& value) {
  return YAML::Node(value);
}
template <typename T>
YAML::Node NodeOf(const Handle<T>& handle) {
  const auto text = TextOfHandle(handle.context(), handle.cid());
  return text ? YAML::Node(text.value()) : YAML::Node();
}
template <typename T>
YAML::Node NodeOf(const std::vector<T>& values) {
  YAML::Node node(YAML::NodeType::Sequence);
  for (const auto& value : values) { node.push_back(NodeOf(static_cast<T>(value))); }
  return node;
}
template <typename T, std::size_t N>
YAML::Node NodeOf(const std::array<T, N>& values) {
  YAML::Node node(YAML::NodeType::Sequence);
  for (const T& value : values) { node.push_back(NodeOf(value)); }
  return node;
}

}  // namespace detail

/// The value of a parameter: a number, a text, a handle, a component that is still to be made, or a
/// vector or array of them.
class Arg {
 public:
  Arg(std::string key, const ProxyComponent& component)
      : key_(std::move(key)), components_{component} {}
  Arg(std::string key, std::vector<ProxyComponent> components)
      : key_(std::move(key)), components_(std::move(components)), is_list_(true) {}
  template <typename T, std::enable_if_t<!std::is_convertible_v<T, const char*>, int> = 0>
  Arg(std::string key, const T& value) : key_(std::move(key)), node_(detail::NodeOf(value)) {}
  Arg(std::string key, const char* value)
      : key_(std::move(key)), node_(std::string(value == nullptr ? "" : value)) {}

  /// The key of the parameter.
  const std::string& key() const { return key_; }
  /// The value as YAML; null if it consists of components that are still to be made.
  const YAML::Node& node() const { return node_; }
  /// Components that are to be made in the entity, whose names become the value.
  const std::vector<ProxyComponent>& components() const { return components_; }
  /// Whether the value is a list.
  bool is_list() const { return is_list_ || node_.IsSequence(); }

 private:
  std::string key_;
  YAML::Node node_;
  std::vector<ProxyComponent> components_;
  bool is_list_ = false;
};

namespace detail {

inline void Collect(std::vector<Arg>& args, std::vector<ProxyComponent>&, Arg arg) {
  args.push_back(std::move(arg));
}
inline void Collect(std::vector<Arg>&, std::vector<ProxyComponent>& components,
                    ProxyComponent component) {
  components.push_back(std::move(component));
}
inline void Collect(std::vector<Arg>& args, std::vector<ProxyComponent>&, std::vector<Arg> more) {
  for (Arg& arg : more) { args.push_back(std::move(arg)); }
}

/// The arguments of a call, told apart: parameters, and components beside them.
struct Arguments {
  template <typename... Args>
  explicit Arguments(Args&&... all) {
    (Collect(args, components, std::forward<Args>(all)), ...);
  }

  std::vector<Arg> args;
  std::vector<ProxyComponent> components;
};

}  // namespace detail

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_APP_ARG_HPP_
