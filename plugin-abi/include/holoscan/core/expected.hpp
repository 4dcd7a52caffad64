/// Values that may be missing, with the reason.
#ifndef HOLOSCAN_CORE_EXPECTED_HPP_
#define HOLOSCAN_CORE_EXPECTED_HPP_

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace holoscan {

/// Why something could not be done.
enum class ErrorCode {
  kSuccess,
  kFailure,
  kReceiveError,
  kNotFound,
};

/// What `receive` answers without a message.
class RuntimeError : public std::runtime_error {
 public:
  explicit RuntimeError(ErrorCode code, const std::string& text = "")
      : std::runtime_error(text), code_(code) {}

  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

/// An error on its way into an `expected`.
template <typename E>
class unexpected {
 public:
  explicit unexpected(E error) : error_(std::move(error)) {}
  const E& value() const { return error_; }

 private:
  E error_;
};

template <typename E>
unexpected<std::decay_t<E>> make_unexpected(E&& error) {
  return unexpected<std::decay_t<E>>(std::forward<E>(error));
}

/// A value, or an error. `value()` throws the error if there is no value.
template <typename T, typename E = RuntimeError>
class expected {
 public:
  expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  expected(unexpected<E> error) : state_(std::in_place_index<1>, error.value()) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return Checked(*this); }
  const T& value() const& { return Checked(*this); }
  T&& value() && { return std::move(Checked(*this)); }
  T& operator*() & { return Checked(*this); }
  const T& operator*() const& { return Checked(*this); }
  T&& operator*() && { return std::move(Checked(*this)); }
  T* operator->() { return &Checked(*this); }
  const T* operator->() const { return &Checked(*this); }
  template <typename U>
  T value_or(U&& other) const {
    return has_value() ? **this : static_cast<T>(std::forward<U>(other));
  }
  const E& error() const { return std::get<1>(state_); }

 private:
  template <typename Self>
  static auto& Checked(Self& self) {
    if (!self.has_value()) { throw self.error(); }
    return std::get<0>(self.state_);
  }

  std::variant<T, E> state_;
};

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_EXPECTED_HPP_
