/// Holoscan's log macros. Lines go to the log of the engine.
///
/// Texts have places `{}` for values, as in the library fmt: `HOLOSCAN_LOG_INFO("{} of {}", i, n)`.
/// Numbers take printf's precision and type: `{:.3f}`, `{:x}`.
#ifndef HOLOSCAN_LOGGER_LOGGER_HPP_
#define HOLOSCAN_LOGGER_LOGGER_HPP_

#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

#include "common/logger.hpp"

namespace holoscan {

/// How serious a line is.
enum class LogLevel { TRACE = 0, DEBUG = 1, INFO = 2, WARN = 3, ERROR = 4, CRITICAL = 5, OFF = 6 };

namespace detail {

template <typename T, typename = void>
struct IsPrintable : std::false_type {};
template <typename T>
struct IsPrintable<
    T, std::void_t<decltype(std::declval<std::ostream&>() << std::declval<const T&>())>>
    : std::true_type {};

/// One value, by what follows the colon of its place.
template <typename T>
std::string Formatted(const T& value, std::string_view how) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, char>) {
    if (!how.empty()) {
      const bool has_type = std::string_view("diouxXeEfFgGaA").find(how.back()) != how.npos;
      std::string flags(has_type ? how.substr(0, how.size() - 1) : how);
      char type = has_type ? how.back() : (std::is_floating_point_v<T> ? 'g' : 'd');
      // Only what printf knows, so that a text cannot make it read anything else.
      if (flags.find_first_not_of("0123456789.+- #") == std::string::npos) {
        char text[128];
        const bool is_real = std::string_view("eEfFgGaA").find(type) != std::string_view::npos;
        if (is_real) {
          std::snprintf(text, sizeof(text), ("%" + flags + type).c_str(),
                        static_cast<double>(value));
        } else {
          if (type == 'd' && std::is_unsigned_v<T>) { type = 'u'; }
          std::snprintf(text, sizeof(text), ("%" + flags + "ll" + type).c_str(),
                        static_cast<long long>(value));
        }
        return text;
      }
    }
    return (std::ostringstream() << +value).str();
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<long long>(value));
  } else {
    static_assert(IsPrintable<T>::value, "a value in a log line needs an operator <<");
    return (std::ostringstream() << value).str();
  }
}

/// Copies the text up to the next place for a value, and returns what stands in that place.
inline bool CopyToPlace(std::string& line, std::string_view& text, std::string_view& how) {
  while (!text.empty()) {
    const char c = text.front();
    const bool is_double = text.size() > 1 && text[1] == c && (c == '{' || c == '}');
    if (is_double) {
      line += c;
      text.remove_prefix(2);
      continue;
    }
    const size_t end = c == '{' ? text.find('}') : std::string_view::npos;
    if (end != std::string_view::npos) {
      const std::string_view place = text.substr(1, end - 1);
      const size_t colon = place.find(':');
      how = colon == std::string_view::npos ? std::string_view() : place.substr(colon + 1);
      text.remove_prefix(end + 1);
      return true;
    }
    line += c;
    text.remove_prefix(1);
  }
  return false;
}

/// A text with its values.
template <typename... Values>
std::string Format(std::string_view text, const Values&... values) {
  std::string line;
  std::string_view how;
  [[maybe_unused]] const auto put = [&](const auto& value) {
    if (CopyToPlace(line, text, how)) { line += Formatted(value, how); }
  };
  (put(values), ...);
  while (CopyToPlace(line, text, how)) { line += "{}"; }
  return line;
}

inline nvidia::Severity SeverityOf(LogLevel level) {
  switch (level) {
    case LogLevel::TRACE:
      return nvidia::Severity::VERBOSE;
    case LogLevel::DEBUG:
      return nvidia::Severity::DEBUG;
    case LogLevel::INFO:
      return nvidia::Severity::INFO;
    case LogLevel::WARN:
      return nvidia::Severity::WARNING;
    case LogLevel::ERROR:
      return nvidia::Severity::ERROR;
    case LogLevel::CRITICAL:
      return nvidia::Severity::PANIC;
    case LogLevel::OFF:
      break;
  }
  return nvidia::Severity::NONE;
}

}  // namespace detail

}  // namespace holoscan

#define HOLOSCAN_LOG_TRACE(...) GXF_LOG_VERBOSE("%s", ::holoscan::detail::Format(__VA_ARGS__).c_str())
#define HOLOSCAN_LOG_DEBUG(...) GXF_LOG_DEBUG("%s", ::holoscan::detail::Format(__VA_ARGS__).c_str())
#define HOLOSCAN_LOG_INFO(...) GXF_LOG_INFO("%s", ::holoscan::detail::Format(__VA_ARGS__).c_str())
#define HOLOSCAN_LOG_WARN(...) GXF_LOG_WARNING("%s", ::holoscan::detail::Format(__VA_ARGS__).c_str())
#define HOLOSCAN_LOG_ERROR(...) GXF_LOG_ERROR("%s", ::holoscan::detail::Format(__VA_ARGS__).c_str())
#define HOLOSCAN_LOG_CRITICAL(...) \
  GXF_LOG_PANIC("%s", ::holoscan::detail::Format(__VA_ARGS__).c_str())

#endif  // HOLOSCAN_LOGGER_LOGGER_HPP_
