/// What a component declares: its parameters.
#ifndef HOLOSCAN_CORE_COMPONENT_SPEC_HPP_
#define HOLOSCAN_CORE_COMPONENT_SPEC_HPP_

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "holoscan/core/arg.hpp"
#include "holoscan/core/component.hpp"
#include "holoscan/core/parameter.hpp"
#include "holoscan/logger/logger.hpp"

namespace holoscan {

namespace detail {

[[noreturn]] inline void RefuseValue(const Arg& arg, const std::string& why) {
  throw std::runtime_error("the argument `" + arg.name() + "` " + why);
}

/// The value of an argument as a type.
template <typename T>
T ValueOf(const Arg& arg) {
  if (const T* exact = std::any_cast<T>(&arg.value())) { return *exact; }
  if constexpr (IsComponentPointer<T>::value) {
    if (arg.components().size() == 1 && !arg.is_list()) {
      if (arg.components()[0] == nullptr) { return nullptr; }
      auto as = std::dynamic_pointer_cast<typename T::element_type>(arg.components()[0]);
      if (as != nullptr) { return as; }
      RefuseValue(arg, "`" + arg.components()[0]->name() + "` is of another class than the parameter");
    }
  }
  if (arg.node() != nullptr) {
    try {
      if constexpr (std::is_enum_v<T>) {
        return static_cast<T>(arg.node()->template as<int64_t>());
      } else if constexpr (std::is_integral_v<T> && sizeof(T) == 1 && !std::is_same_v<T, bool>) {
        const auto wide = arg.node()->template as<int>();
        if (wide != static_cast<int>(static_cast<T>(wide))) {
          RefuseValue(arg, std::to_string(wide) + " is beyond the range of the parameter");
        }
        return static_cast<T>(wide);
      } else if constexpr (HasYaml<T>::value) {
        return arg.node()->template as<T>();
      }
    } catch (const YAML::Exception& exception) {
      RefuseValue(arg, std::string("does not fit: ") + exception.what());
    }
  }
  RefuseValue(arg, "has a value of another type than the parameter");
}
template <typename T, typename A>
void AppendComponents(const Arg& arg, std::vector<std::shared_ptr<T>, A>& list) {
  for (const auto& component : arg.components()) {
    auto as = std::dynamic_pointer_cast<T>(component);
    if (as == nullptr && component != nullptr) {
      RefuseValue(arg, "`" + component->name() + "` is of another class than the parameter");
    }
    list.push_back(std::move(as));
  }
}

}  // namespace detail

template <typename T>
T Arg::as() const {
  return detail::ValueOf<T>(*this);
}

/// The parameters of a component; `setup` fills it.
class ComponentSpec {
 public:
  explicit ComponentSpec(Component* owner = nullptr) : owner_(owner) {}
  virtual ~ComponentSpec() = default;

  template <typename T>
  void param(Parameter<T>& parameter, const char* key, ParameterFlag flag = ParameterFlag::kNone) {
    Declare(parameter, key, "", "", flag);
  }
  template <typename T>
  void param(Parameter<T>& parameter, const char* key, const char* headline,
             ParameterFlag flag = ParameterFlag::kNone) {
    Declare(parameter, key, headline, "", flag);
  }
  template <typename T>
  void param(Parameter<T>& parameter, const char* key, const char* headline, const char* description,
             ParameterFlag flag = ParameterFlag::kNone) {
    Declare(parameter, key, headline, description, flag);
  }
  /// With a default.
  template <typename T>
  void param(Parameter<T>& parameter, const char* key, const char* headline, const char* description,
             const std::common_type_t<T>& default_value, ParameterFlag flag = ParameterFlag::kNone) {
    Declare(parameter, key, headline, description, flag);
    if (!parameter.has_value()) { parameter.value_ = default_value; }
  }

  /// With `{}` as default.
  template <typename T>
  void param(Parameter<T>& parameter, const char* key, const char* headline, const char* description,
             std::initializer_list<void*>) {
    param(parameter, key, headline, description, T{});
  }

  /// Sets the parameters that arguments name. What names none is logged, as by Holoscan.
  virtual void Apply(const ArgList& args) {
    for (const Arg& arg : args) {
      const auto known = setters_.find(arg.name());
      if (known != setters_.end()) {
        known->second(arg);
        continue;
      }
      HOLOSCAN_LOG_WARN("`{}` has no parameter `{}`; the argument is ignored",
                        owner_ == nullptr ? "" : owner_->name(), arg.name());
    }
    for (const auto& is_missing : checks_) { is_missing(); }
  }

 protected:
  Component* owner_;
  std::map<std::string, std::function<void(const Arg&)>> setters_;

 private:
  template <typename T>
  void Declare(Parameter<T>& parameter, const char* key, const char* headline,
               const char* description, ParameterFlag flag) {
    parameter.key_ = key;
    parameter.headline_ = headline;
    parameter.description_ = description;
    parameter.flag_ = flag;
    setters_[key] = [&parameter](const Arg& arg) { Set(parameter, arg); };
    if (flag != ParameterFlag::kNone) { return; }
    checks_.push_back([this, &parameter] {
      if (parameter.has_value()) { return; }
      throw std::runtime_error("`" + (owner_ == nullptr ? std::string() : owner_->name()) +
                               "` needs a value for the parameter `" + parameter.key() + "`");
    });
  }
  template <typename T>
  static void Set(Parameter<T>& parameter, const Arg& arg) {
    parameter.value_ = detail::ValueOf<T>(arg);
  }
  template <typename T>
  static void Set(Parameter<std::vector<std::shared_ptr<T>>>& parameter, const Arg& arg) {
    if constexpr (std::is_base_of_v<Component, T>) {
      std::vector<std::shared_ptr<T>> list;
      detail::AppendComponents(arg, list);
      parameter.value_ = std::move(list);
    } else {
      parameter.value_ = detail::ValueOf<std::vector<std::shared_ptr<T>>>(arg);
    }
  }

  std::vector<std::function<void()>> checks_;
};

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_COMPONENT_SPEC_HPP_
