/// Macros that return from a function when something failed, for any type of status.
#ifndef NVIDIA_GXF_CORE_COMMON_EXPECTED_MACRO_HPP_
#define NVIDIA_GXF_CORE_COMMON_EXPECTED_MACRO_HPP_

#include <cstdarg>
#include <cstdio>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "common/expected.hpp"
#include "common/logger.hpp"

#if __has_include(<magic_enum.hpp>)
#include <magic_enum.hpp>
#define GXF_HAS_MAGIC_ENUM 1
#elif __has_include(<magic_enum/magic_enum.hpp>)
#include <magic_enum/magic_enum.hpp>
#define GXF_HAS_MAGIC_ENUM 1
#endif

namespace nvidia {
namespace expected_macro {

/// How serious a failure is when the macro is not told.
constexpr Severity kDefaultSeverity = Severity::ERROR;

// To teach the macros a type of your own, specialise what follows.

/// Whether a type says by itself whether something went well.
template <typename T, typename = void>
struct IsStatus : std::false_type {};
template <>
struct IsStatus<bool> : std::true_type {};
template <>
struct IsStatus<int> : std::true_type {};
template <typename T>
struct IsStatus<T, std::enable_if_t<std::is_enum_v<T>>> : std::true_type {};

/// Whether a type holds a value or a status.
template <typename T, typename = void>
struct IsUnwrappable : std::false_type {};
template <typename T>
struct IsUnwrappable<std::optional<T>> : std::true_type {};
template <typename T, typename E>
struct IsUnwrappable<nvidia::Expected<T, E>> : std::true_type {};

/// The status in a type that holds a value or a status.
template <typename T, typename = void>
struct StatusType {
  using Type = T;
};
template <typename T>
struct StatusType<std::optional<T>> {
  using Type = bool;
};
template <typename T, typename E>
struct StatusType<nvidia::Expected<T, E>> {
  using Type = E;
};

/// The error of a status type when nothing more is known.
template <typename St>
constexpr St DefaultError() {
  if constexpr (std::is_same_v<St, bool>) {
    return false;
  } else if constexpr (std::is_same_v<St, int>) {
    return -1;
  } else {
    return static_cast<St>(1);
  }
}

/// Whether a status means success.
template <typename St>
constexpr bool IsValid(const St status) {
  if constexpr (std::is_same_v<St, bool>) {
    return status;
  } else {
    return static_cast<int>(status) == 0;
  }
}

/// The status as a number.
template <typename St, typename = void>
struct StatusValue {
  static int64_t Get(const St& status) { return static_cast<int64_t>(status); }
};

/// The status as text.
template <typename St, typename = void>
struct StatusName {
  static std::string Get(const St& status) {
#ifdef GXF_HAS_MAGIC_ENUM
    if constexpr (std::is_enum_v<St>) { return std::string(magic_enum::enum_name(status)); }
#endif
    return std::to_string(StatusValue<St>::Get(status));
  }
};

/// An object of type `U` that holds a status in place of a value.
template <typename U, typename St, typename = void>
struct InvalidUnwrappable {
  static U Get(const St& status) {
    (void)status;
    return U{};
  }
};
template <typename T, typename St>
struct InvalidUnwrappable<std::optional<T>, St> {
  static std::optional<T> Get(const St&) { return std::nullopt; }
};
template <typename T, typename E, typename St>
struct InvalidUnwrappable<nvidia::Expected<T, E>, St> {
  static nvidia::Expected<T, E> Get(const St& status) {
    if constexpr (std::is_same_v<E, St>) {
      return nvidia::Unexpected<E>{status};
    } else {
      (void)status;
      return nvidia::Unexpected<E>{DefaultError<E>()};
    }
  }
};

/// The status of a status, or of what holds one.
template <typename T>
auto GetStatus(const T& object) {
  if constexpr (IsUnwrappable<T>::value) {
    using St = typename StatusType<T>::Type;
    if constexpr (std::is_same_v<St, bool>) {
      return object.has_value();
    } else {
      return object.has_value() ? static_cast<St>(0) : static_cast<St>(object.error());
    }
  } else {
    return object;
  }
}
template <typename T>
std::string GetStatusName(const T& object) {
  const auto status = GetStatus(object);
  return StatusName<std::decay_t<decltype(status)>>::Get(status);
}

/// A status on its way out of a function; converts to whatever the function returns.
template <typename St>
class ResultProxy {
 public:
  constexpr explicit ResultProxy(St status) : status_(status) {}

  constexpr bool valid() const { return IsValid<St>(status_); }
  constexpr St status() const { return status_; }

  template <typename T, std::enable_if_t<IsStatus<T>::value || IsUnwrappable<T>::value, int> = 0>
  constexpr operator T() const {
    if constexpr (std::is_same_v<T, St>) {
      return status_;
    } else if constexpr (IsUnwrappable<T>::value) {
      return InvalidUnwrappable<T, St>::Get(status_);
    } else {
      return DefaultError<T>();
    }
  }
  /// No status is made of a proxy but by a `return`: an optional status would be made of it in two
  /// ways otherwise.
  template <typename T, std::enable_if_t<IsStatus<T>::value, long> = 0>
  explicit operator T() const = delete;
  template <typename E>
  constexpr operator nvidia::StrongType<struct nvidia::Unexpected_t, E>() const {
    if constexpr (std::is_same_v<E, St>) {
      return nvidia::Unexpected<E>{status_};
    } else {
      return nvidia::Unexpected<E>{DefaultError<E>()};
    }
  }

 private:
  St status_;
};

}  // namespace expected_macro

namespace detail {
template <typename St>
struct IsFailure<expected_macro::ResultProxy<St>> : std::true_type {};
}  // namespace detail

namespace expected_macro {

/// Makes proxies.
struct ProxyFactory {
  template <typename T>
  static auto FromUnwrappable(const T& object) {
    return ResultProxy<std::decay_t<decltype(GetStatus(object))>>(GetStatus(object));
  }
  template <typename T>
  static auto FromStatusOrUnwrappable(const T& object) {
    return ResultProxy<std::decay_t<decltype(GetStatus(object))>>(GetStatus(object));
  }
};

namespace detail {

__attribute__((format(printf, 6, 7))) inline void LogFailure(const char* file, int line,
                                                             Severity severity,
                                                             const std::string& status,
                                                             const char* expression,
                                                             const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  nvidia::Log(file, line, severity, "Expression '%s' failed with error '%s'. %s", expression,
              status.c_str(), text);
}

}  // namespace detail

/// Logs a failure; what follows the expression is what the macro was given besides it.
template <typename Result>
void LogHelper(const char* file, int line, const Result& result, const char* expression,
               Severity severity = kDefaultSeverity) {
  nvidia::Log(file, line, severity, "Expression '%s' failed with error '%s'.", expression,
              StatusName<std::decay_t<decltype(result.status())>>::Get(result.status()).c_str());
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
template <typename Result, typename... Args>
void LogHelper(const char* file, int line, const Result& result, const char* expression,
               Severity severity, const char* text, Args... args) {
  detail::LogFailure(file, line, severity,
                     StatusName<std::decay_t<decltype(result.status())>>::Get(result.status()),
                     expression, text, args...);
}
#pragma GCC diagnostic pop
template <typename Result, typename... Args>
void LogHelper(const char* file, int line, const Result& result, const char* expression,
               const char* text, Args... args) {
  LogHelper(file, line, result, expression, kDefaultSeverity, text, args...);
}

namespace detail {

// The macros put a 0 behind their arguments, since a macro cannot leave out the comma before an
// empty list. As the last argument of a format it is one too many, which printf ignores.
template <typename Result>
void LogMacro(const char* file, int line, const Result& result, const char* expression, int) {
  LogHelper(file, line, result, expression);
}
template <typename Result>
void LogMacro(const char* file, int line, const Result& result, const char* expression,
              Severity severity, int) {
  LogHelper(file, line, result, expression, severity);
}
template <typename Result, typename... Args>
void LogMacro(const char* file, int line, const Result& result, const char* expression,
              Severity severity, const char* text, Args... args) {
  LogHelper(file, line, result, expression, severity, text, args...);
}
template <typename Result, typename... Args>
void LogMacro(const char* file, int line, const Result& result, const char* expression,
              const char* text, Args... args) {
  LogHelper(file, line, result, expression, text, args...);
}

/// `std::move` without a warning about an unused value: users call the macro for the error alone.
template <typename T>
constexpr std::remove_reference_t<T>&& Moved(T&& value) noexcept {
  return static_cast<std::remove_reference_t<T>&&>(value);
}

}  // namespace detail
}  // namespace expected_macro
}  // namespace nvidia

/// Returns the error of an expression from the function, in whatever type it returns, and logs it.
/// More arguments: a severity, and a text with its arguments as for printf.
#define RETURN_IF_ERROR(...) GXF_RETURN_IF_ERROR_(__VA_ARGS__, 0)
#define GXF_RETURN_IF_ERROR_(EXPRESSION, ...)                                                   \
  __extension__({                                                                               \
    const auto expected_macro_proxy =                                                           \
        ::nvidia::expected_macro::ProxyFactory::FromStatusOrUnwrappable((EXPRESSION));          \
    if (!expected_macro_proxy.valid()) {                                                        \
      ::nvidia::expected_macro::detail::LogMacro(__FILE__, __LINE__, expected_macro_proxy,      \
                                                 #EXPRESSION, __VA_ARGS__);                     \
      return expected_macro_proxy;                                                              \
    }                                                                                           \
  })

/// The value of an expression; when there is none, as `RETURN_IF_ERROR`.
#define UNWRAP_OR_RETURN(...) GXF_UNWRAP_OR_RETURN_(__VA_ARGS__, 0)
#define GXF_UNWRAP_OR_RETURN_(EXPRESSION, ...)                                                  \
  __extension__({                                                                               \
    auto&& expected_macro_result = (EXPRESSION);                                                \
    const auto expected_macro_proxy =                                                           \
        ::nvidia::expected_macro::ProxyFactory::FromUnwrappable(expected_macro_result);         \
    if (!expected_macro_proxy.valid()) {                                                        \
      ::nvidia::expected_macro::detail::LogMacro(__FILE__, __LINE__, expected_macro_proxy,      \
                                                 #EXPRESSION, __VA_ARGS__);                     \
      return expected_macro_proxy;                                                              \
    }                                                                                           \
    ::nvidia::expected_macro::detail::Moved(expected_macro_result.value());                     \
  })

/// Returns the error for "false" unless a condition holds.
#define RETURN_IF_FALSE(...) GXF_RETURN_IF_FALSE_(__VA_ARGS__, 0)
#define GXF_RETURN_IF_FALSE_(EXPRESSION, ...)                                                   \
  do {                                                                                          \
    const ::nvidia::expected_macro::ResultProxy<bool> expected_macro_proxy(                     \
        static_cast<bool>(EXPRESSION));                                                         \
    if (!expected_macro_proxy.valid()) {                                                        \
      ::nvidia::expected_macro::detail::LogMacro(__FILE__, __LINE__, expected_macro_proxy,      \
                                                 #EXPRESSION, __VA_ARGS__);                     \
      return expected_macro_proxy;                                                              \
    }                                                                                           \
  } while (false)

#endif  // NVIDIA_GXF_CORE_COMMON_EXPECTED_MACRO_HPP_
