/// Holoscan's log macros. Lines go to the log of the engine.
///
/// Texts have places `{}` for values, as in the library fmt: `HOLOSCAN_LOG_INFO("{} of {:.3f}", i, n)`.
/// The environment variable HOLOSCAN_LOG_LEVEL (TRACE, DEBUG, INFO, WARN, ERROR, CRITICAL or OFF)
/// counts more than the level that a program sets.
#ifndef HOLOSCAN_LOGGER_LOGGER_HPP_
#define HOLOSCAN_LOGGER_LOGGER_HPP_

#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "common/logger.hpp"
#include "gxf/core/gxf.h"
#include "holoscan/logger/format.hpp"

namespace holoscan {

/// How serious a line is.
enum class LogLevel { TRACE = 0, DEBUG = 1, INFO = 2, WARN = 3, ERROR = 4, CRITICAL = 5, OFF = 6 };

namespace detail {

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

/// The level that HOLOSCAN_LOG_LEVEL names, in letters of any case.
inline std::optional<LogLevel> LogLevelOfEnvironment() {
  constexpr std::string_view kNames[] = {"TRACE", "DEBUG",    "INFO", "WARN",
                                         "ERROR", "CRITICAL", "OFF"};
  const char* value = std::getenv("HOLOSCAN_LOG_LEVEL");
  if (value == nullptr || *value == '\0') { return std::nullopt; }
  std::string name(value);
  for (char& letter : name) {
    if (letter >= 'a' && letter <= 'z') { letter = static_cast<char>(letter - 'a' + 'A'); }
  }
  for (size_t i = 0; i < std::size(kNames); i++) {
    if (name == kNames[i]) { return static_cast<LogLevel>(i); }
  }
  GXF_LOG_WARNING("HOLOSCAN_LOG_LEVEL is `%s`; it should be TRACE, DEBUG, INFO, WARN, ERROR, CRITICAL or OFF",
                  value);
  return std::nullopt;
}

inline LogLevel& CurrentLogLevel() {
  static LogLevel level = LogLevel::INFO;
  return level;
}

/// Sets the level of this program, and of the engine, which writes its lines.
inline void ApplyLogLevel(LogLevel level) {
  CurrentLogLevel() = level;
  const nvidia::Severity severity = SeverityOf(level);
  nvidia::SetSeverity(severity);
  gxf_context_t context = nullptr;
  if (GxfContextCreate(&context) != GXF_SUCCESS) { return; }
  const bool is_none = severity == nvidia::Severity::NONE;
  (void)GxfSetSeverity(context, is_none ? GXF_SEVERITY_NONE : static_cast<gxf_severity_t>(severity));
  (void)GxfContextDestroy(context);
}

/// Applies the environment's level, once.
inline void ApplyLogLevelOfEnvironment() {
  static const bool is_done = [] {
    if (const auto level = LogLevelOfEnvironment()) { ApplyLogLevel(*level); }
    return true;
  }();
  (void)is_done;
}

}  // namespace detail

/// Sets the least important lines that are logged.
inline void set_log_level(LogLevel level) {
  detail::ApplyLogLevel(detail::LogLevelOfEnvironment().value_or(level));
}
/// The least important lines that are logged.
inline LogLevel log_level() {
  return detail::LogLevelOfEnvironment().value_or(detail::CurrentLogLevel());
}

/// Does nothing: the engine writes the lines, in its own form.
inline void set_log_pattern(const std::string& pattern = "") { (void)pattern; }

}  // namespace holoscan

#define HOLOSCAN_LOG_TRACE(...) GXF_LOG_VERBOSE("%s", ::holoscan::detail::Format(__VA_ARGS__).c_str())
#define HOLOSCAN_LOG_DEBUG(...) GXF_LOG_DEBUG("%s", ::holoscan::detail::Format(__VA_ARGS__).c_str())
#define HOLOSCAN_LOG_INFO(...) GXF_LOG_INFO("%s", ::holoscan::detail::Format(__VA_ARGS__).c_str())
#define HOLOSCAN_LOG_WARN(...) GXF_LOG_WARNING("%s", ::holoscan::detail::Format(__VA_ARGS__).c_str())
#define HOLOSCAN_LOG_ERROR(...) GXF_LOG_ERROR("%s", ::holoscan::detail::Format(__VA_ARGS__).c_str())
#define HOLOSCAN_LOG_CRITICAL(...) \
  GXF_LOG_PANIC("%s", ::holoscan::detail::Format(__VA_ARGS__).c_str())

namespace holoscan {

/// The macros as functions. The macros name the place in the program, too.
template <typename... Values>
void log_trace(std::string_view text, const Values&... values) {
  HOLOSCAN_LOG_TRACE(text, values...);
}
template <typename... Values>
void log_debug(std::string_view text, const Values&... values) {
  HOLOSCAN_LOG_DEBUG(text, values...);
}
template <typename... Values>
void log_info(std::string_view text, const Values&... values) {
  HOLOSCAN_LOG_INFO(text, values...);
}
template <typename... Values>
void log_warn(std::string_view text, const Values&... values) {
  HOLOSCAN_LOG_WARN(text, values...);
}
template <typename... Values>
void log_error(std::string_view text, const Values&... values) {
  HOLOSCAN_LOG_ERROR(text, values...);
}
template <typename... Values>
void log_critical(std::string_view text, const Values&... values) {
  HOLOSCAN_LOG_CRITICAL(text, values...);
}

}  // namespace holoscan

#endif  // HOLOSCAN_LOGGER_LOGGER_HPP_
