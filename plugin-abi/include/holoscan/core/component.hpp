/// The base of operators, conditions, resources and schedulers.
#ifndef HOLOSCAN_CORE_COMPONENT_HPP_
#define HOLOSCAN_CORE_COMPONENT_HPP_

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "gxf/core/gxf.h"
#include "holoscan/core/arg.hpp"

namespace holoscan {

class ComponentSpec;
class Fragment;

namespace detail {

/// What constructors hand over to `add_arg`: arguments, conditions and resources.
template <typename T>
struct IsArgument : std::bool_constant<std::is_same_v<T, Arg> || std::is_same_v<T, ArgList> ||
                                       IsSharedPointer<T>::value> {};

}  // namespace detail

/// Gives a class a constructor that hands arguments over to its base: `MyOp(Arg("count", 3), …)`.
#define HOLOSCAN_FORWARD_ARGS_TO(class_name, base)                                              \
  template <typename ArgT, typename... ArgsT,                                                   \
            std::enable_if_t<::holoscan::detail::IsArgument<std::decay_t<ArgT>>::value, int> = 0> \
  explicit class_name(ArgT&& arg, ArgsT&&... args)                                              \
      : base(std::forward<ArgT>(arg), std::forward<ArgsT>(args)...) {}

/// Something with a name and arguments that belongs to a fragment.
class Component {
 public:
  Component() = default;
  template <typename ArgT, typename... ArgsT,
            std::enable_if_t<detail::IsArgument<std::decay_t<ArgT>>::value, int> = 0>
  explicit Component(ArgT&& arg, ArgsT&&... args) {
    add_arg(std::forward<ArgT>(arg));
    (add_arg(std::forward<ArgsT>(args)), ...);
  }
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;
  virtual ~Component() = default;

  const std::string& name() const { return name_; }
  Component& name(const std::string& name) {
    name_ = name;
    return *this;
  }
  Fragment* fragment() const { return fragment_; }
  Component& fragment(Fragment* fragment) {
    fragment_ = fragment;
    return *this;
  }
  ArgList& args() { return args_; }
  void add_arg(const Arg& arg) { args_.add(arg); }
  void add_arg(const ArgList& args) { args_.add(args); }

  /// Called once before the graph is made, after the arguments have set the parameters.
  virtual void initialize() {}

 protected:
  std::string name_;
  Fragment* fragment_ = nullptr;
  ArgList args_;
};

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_COMPONENT_HPP_
