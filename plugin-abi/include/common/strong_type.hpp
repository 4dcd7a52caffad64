/// A value whose type has a name that distinguishes it from others.
#ifndef NVIDIA_COMMON_STRONG_TYPE_HPP_
#define NVIDIA_COMMON_STRONG_TYPE_HPP_

#include "gxf/sdk/requirements.hpp"

#include <type_traits>
#include <utility>

namespace nvidia {

struct Unexpected_t;

/// `TValue` under the name `TName`, which is any type, complete or not.
template <typename TName, typename TValue>
class StrongType {
 public:
  using value_type = TValue;

  /// The type's own default: the code of an `Unexpected{}` is that of success. Code that gives up
  /// without a reason returns it.
  constexpr StrongType() : value_{} {}

  template <typename U = TValue,
            std::enable_if_t<std::is_constructible_v<TValue, U&&> &&
                                 !std::is_same_v<std::decay_t<U>, StrongType>,
                             int> = 0>
  constexpr explicit StrongType(U&& value) : value_(std::forward<U>(value)) {}

  constexpr TValue& value() & { return value_; }
  constexpr const TValue& value() const& { return value_; }
  constexpr TValue&& value() && { return std::move(value_); }
  constexpr const TValue&& value() const&& { return std::move(value_); }

  constexpr TValue* operator->() { return &value_; }
  constexpr const TValue* operator->() const { return &value_; }

  /// An error converts by itself, so that a function that returns a plain result code can write
  /// `return Unexpected{GXF_FAILURE};`. All other names ask for the conversion.
  template <typename Name = TName, std::enable_if_t<std::is_same_v<Name, Unexpected_t>, int> = 0>
  constexpr operator TValue() const {
    return value_;
  }
  template <typename Name = TName, std::enable_if_t<!std::is_same_v<Name, Unexpected_t>, int> = 0>
  constexpr explicit operator TValue() const {
    return value_;
  }

  friend constexpr bool operator==(const StrongType& a, const StrongType& b) {
    return a.value_ == b.value_;
  }
  friend constexpr bool operator!=(const StrongType& a, const StrongType& b) {
    return !(a.value_ == b.value_);
  }
  friend constexpr bool operator<(const StrongType& a, const StrongType& b) {
    return a.value_ < b.value_;
  }
  friend constexpr bool operator>(const StrongType& a, const StrongType& b) {
    return b.value_ < a.value_;
  }
  friend constexpr bool operator<=(const StrongType& a, const StrongType& b) {
    return !(b.value_ < a.value_);
  }
  friend constexpr bool operator>=(const StrongType& a, const StrongType& b) {
    return !(a.value_ < b.value_);
  }

 private:
  TValue value_;
};

}  // namespace nvidia

#endif  // NVIDIA_COMMON_STRONG_TYPE_HPP_
