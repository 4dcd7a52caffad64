/// Parameters of operators, conditions and resources.
#ifndef HOLOSCAN_CORE_PARAMETER_HPP_
#define HOLOSCAN_CORE_PARAMETER_HPP_

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace holoscan {

/// What is special about a parameter.
enum class ParameterFlag {
  /// Needs a value: an argument or a default.
  kNone = 0,
  /// May stay without a value.
  kOptional = 1,
  /// May be changed while the application runs.
  kDynamic = 2,
};

/// A parameter: `setup` declares it by `spec.param`, arguments of `make_operator` and its like set it.
template <typename T>
class Parameter {
 public:
  Parameter() = default;
  Parameter(const T& value) : value_(value) {}
  Parameter(T&& value) : value_(std::move(value)) {}
  Parameter& operator=(const T& value) {
    value_ = value;
    return *this;
  }

  const std::string& key() const { return key_; }
  const std::string& headline() const { return headline_; }
  const std::string& description() const { return description_; }
  ParameterFlag flag() const { return flag_; }

  bool has_value() const { return value_.has_value(); }
  /// The value; throws without one.
  T& get() { return Checked(*this); }
  const T& get() const { return Checked(*this); }
  std::optional<T>& try_get() { return value_; }
  const std::optional<T>& try_get() const { return value_; }
  operator T&() { return get(); }
  operator const T&() const { return get(); }
  T& operator*() { return get(); }
  const T& operator*() const { return get(); }
  /// The value itself, or what it points to.
  auto operator->() { return Pointer(get()); }
  auto operator->() const { return Pointer(get()); }

 private:
  friend class ComponentSpec;

  template <typename Self>
  static auto& Checked(Self& self) {
    if (!self.value_) { throw std::runtime_error("the parameter `" + self.key_ + "` has no value"); }
    return *self.value_;
  }
  template <typename U>
  static U* Pointer(U& value) {
    return &value;
  }
  template <typename U>
  static std::shared_ptr<U> Pointer(const std::shared_ptr<U>& value) {
    return value;
  }
  template <typename U>
  static std::shared_ptr<U> Pointer(std::shared_ptr<U>& value) {
    return value;
  }

  std::string key_;
  std::string headline_;
  std::string description_;
  ParameterFlag flag_ = ParameterFlag::kNone;
  std::optional<T> value_;
};

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_PARAMETER_HPP_
