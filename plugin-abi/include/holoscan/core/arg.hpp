/// Arguments: values of parameters, by name.
#ifndef HOLOSCAN_CORE_ARG_HPP_
#define HOLOSCAN_CORE_ARG_HPP_

#include <any>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gxf/sdk/yaml.hpp"

namespace holoscan {

class Component;

namespace detail {

template <typename T>
struct IsSharedPointer : std::false_type {};
template <typename T>
struct IsSharedPointer<std::shared_ptr<T>> : std::true_type {};

template <typename T>
struct IsComponentPointer : std::false_type {};
template <typename T>
struct IsComponentPointer<std::shared_ptr<T>> : std::is_base_of<Component, T> {};

/// Whether YAML can stand for the type.
template <typename T, typename = void>
struct HasYaml : std::false_type {};
template <typename T>
struct HasYaml<T, std::void_t<decltype(YAML::convert<T>::encode(std::declval<const T&>()))>>
    : std::true_type {};
template <typename T, typename A>
struct HasYaml<std::vector<T, A>> : HasYaml<T> {};

template <typename T>
struct IsDuration : std::false_type {};
template <typename Rep, typename Period>
struct IsDuration<std::chrono::duration<Rep, Period>> : std::true_type {};

/// Whether a value has a form in an app file.
template <typename T>
struct HasNode : std::bool_constant<HasYaml<T>::value || std::is_enum_v<T> || IsDuration<T>::value> {};

/// A value as it stands in an app file.
template <typename T>
YAML::Node NodeOf(const T& value) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 1 && !std::is_same_v<T, bool>) {
    // A number, not a letter.
    return YAML::Node(static_cast<int>(value));
  } else if constexpr (IsDuration<T>::value) {
    using std::chrono::duration_cast;
    return YAML::Node(std::to_string(duration_cast<std::chrono::nanoseconds>(value).count()) + "ns");
  } else if constexpr (HasYaml<T>::value) {
    return YAML::Node(value);
  } else {
    return YAML::Node(static_cast<int64_t>(value));
  }
}
template <typename T, typename A>
YAML::Node NodeOf(const std::vector<T, A>& values) {
  YAML::Node node(YAML::NodeType::Sequence);
  for (const auto& value : values) { node.push_back(NodeOf(static_cast<T>(value))); }
  return node;
}

}  // namespace detail

/// The value of a parameter: `Arg("count", 10)` or `Arg("count") = 10`. Numbers, texts, lists and
/// mappings of them, YAML, conditions and resources, and values of any other type, which only a
/// parameter of the very same type takes.
class Arg {
 public:
  explicit Arg(std::string name) : name_(std::move(name)) {}
  template <typename T>
  Arg(std::string name, T&& value) : name_(std::move(name)) {
    Set(std::forward<T>(value));
  }
  template <typename T, std::enable_if_t<!std::is_same_v<std::decay_t<T>, Arg>, int> = 0>
  Arg& operator=(T&& value) {
    Set(std::forward<T>(value));
    return *this;
  }
  Arg(const Arg&) = default;
  Arg(Arg&&) = default;
  Arg& operator=(const Arg&) = default;
  Arg& operator=(Arg&&) = default;

  const std::string& name() const { return name_; }
  bool has_value() const { return value_.has_value(); }
  const std::any& value() const { return value_; }
  /// The value as YAML; null if it has no such form.
  const std::shared_ptr<YAML::Node>& node() const { return node_; }
  /// The condition or resource, or all of a list.
  const std::vector<std::shared_ptr<Component>>& components() const { return components_; }
  /// Whether the value is a list of conditions or resources.
  bool is_list() const { return is_list_; }
  /// The value as a type. Throws if it does not fit.
  template <typename T>
  T as() const;

 private:
  template <typename T>
  void Set(T&& given) {
    using Value = std::decay_t<T>;
    node_ = nullptr;
    components_.clear();
    is_list_ = false;
    if constexpr (std::is_convertible_v<Value, const char*>) {
      Set(std::string(given));
    } else if constexpr (std::is_same_v<Value, YAML::Node>) {
      value_ = std::any(YAML::Node(given));
      node_ = std::make_shared<YAML::Node>(given);
    } else {
      if constexpr (detail::IsComponentPointer<Value>::value) {
        components_.push_back(given);
      } else if constexpr (detail::HasNode<Value>::value) {
        node_ = std::make_shared<YAML::Node>(detail::NodeOf(given));
      }
      SetList(given);
      value_ = std::any(Value(std::forward<T>(given)));
    }
  }
  template <typename T>
  void SetList(const T&) {}
  template <typename T>
  void SetList(const std::vector<std::shared_ptr<T>>& list) {
    if constexpr (std::is_base_of_v<Component, T>) {
      is_list_ = true;
      components_.assign(list.begin(), list.end());
    }
  }

  std::string name_;
  std::any value_;
  std::shared_ptr<YAML::Node> node_;
  std::vector<std::shared_ptr<Component>> components_;
  bool is_list_ = false;
};

/// Several arguments.
class ArgList {
 public:
  ArgList() = default;
  ArgList(std::initializer_list<Arg> args) : args_(args) {}

  void add(const Arg& arg) { args_.push_back(arg); }
  void add(const ArgList& more) { args_.insert(args_.end(), more.begin(), more.end()); }
  size_t size() const { return args_.size(); }
  bool empty() const { return args_.empty(); }
  void clear() { args_.clear(); }
  std::vector<Arg>& args() { return args_; }
  std::vector<Arg>::const_iterator begin() const { return args_.begin(); }
  std::vector<Arg>::const_iterator end() const { return args_.end(); }
  /// The value of the only argument.
  template <typename T>
  T as() const {
    if (args_.size() != 1) {
      throw std::runtime_error("a list of " + std::to_string(args_.size()) +
                               " arguments is no single value");
    }
    return args_[0].as<T>();
  }

 private:
  std::vector<Arg> args_;
};

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_ARG_HPP_
