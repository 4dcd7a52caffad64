/// Log lines in the manner of printf. They go to the host's log, or to standard output and standard
/// error where there is no host.
///
/// `GXF_LOG_ACTIVE_LEVEL`, defined before the first use of this header in a source file, removes
/// the lines above that level at compile time.
#ifndef NVIDIA_COMMON_LOGGER_HPP_
#define NVIDIA_COMMON_LOGGER_HPP_

#include <cctype>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "gxf/sdk/host.hpp"

#define GXF_LOG_LEVEL_PANIC 0
#define GXF_LOG_LEVEL_ERROR 1
#define GXF_LOG_LEVEL_WARNING 2
#define GXF_LOG_LEVEL_INFO 3
#define GXF_LOG_LEVEL_DEBUG 4
#define GXF_LOG_LEVEL_VERBOSE 5

#ifndef GXF_LOG_ACTIVE_LEVEL
#define GXF_LOG_ACTIVE_LEVEL GXF_LOG_LEVEL_VERBOSE
#endif

namespace nvidia {

/// How serious a log line is.
enum class Severity {
  NONE = -2,
  ALL = -1,
  PANIC = 0,
  ERROR = 1,
  WARNING = 2,
  INFO = 3,
  DEBUG = 4,
  VERBOSE = 5,
  COUNT = 6,
};

/// Environment variable with the name of the severity up to which lines are shown.
constexpr const char* kGxfLogEnvName = "GXF_LOG_LEVEL";

/// A severity as text can name it.
struct SeverityContainer {
  /// Name as in `GXF_LOG_LEVEL`.
  const char* name;
  /// The severity.
  Severity severity;
};

namespace logger_detail {

/// Names in the order of the severities from PANIC on.
constexpr SeverityContainer kSeverities[] = {
    {"PANIC", Severity::PANIC}, {"ERROR", Severity::ERROR}, {"WARNING", Severity::WARNING},
    {"INFO", Severity::INFO},   {"DEBUG", Severity::DEBUG}, {"VERBOSE", Severity::VERBOSE},
    {"NONE", Severity::NONE},
};

/// This library's settings that differ from the host's.
struct Settings {
  /// Lines above are dropped before they reach the host; ALL: the host decides.
  Severity severity = Severity::ALL;
  /// Where each severity goes; null: to the host.
  std::FILE* files[static_cast<size_t>(Severity::COUNT)] = {};
};

inline Settings& GetSettings() {
  static Settings settings;
  return settings;
}

}  // namespace logger_detail

/// Writes a line to standard output, or, for errors, to standard error.
inline void DefaultConsoleLogging(const char* file, int line, Severity severity, const char* log,
                                  void* argument) {
  (void)argument;
  const auto index = static_cast<size_t>(severity);
  if (index >= static_cast<size_t>(Severity::COUNT)) { return; }
  std::FILE* redirected = logger_detail::GetSettings().files[index];
  if (redirected == nullptr && gxf::sdk::HasHost()) {
    gxf::sdk::Host().log(static_cast<int32_t>(severity), nullptr, file,
                         static_cast<uint32_t>(line), gxf::sdk::ToText(log));
    return;
  }
  std::FILE* console = severity <= Severity::ERROR ? stderr : stdout;
  std::fprintf(redirected != nullptr ? redirected : console, "%s %s@%d: %s\n",
               logger_detail::kSeverities[index].name, file, line, log);
}

/// Receives every line; may be replaced.
inline void (*LoggingFunction)(const char* file, int line, Severity severity, const char* log,
                               void* argument) = DefaultConsoleLogging;
/// Last argument of `LoggingFunction`.
inline void* LoggingFunctionArg = nullptr;

/// Sends lines of a severity, or of all severities, to a file; null: back to where they went.
inline void Redirect(std::FILE* file, Severity severity = Severity::ALL) {
  auto& files = logger_detail::GetSettings().files;
  for (size_t index = 0; index < static_cast<size_t>(Severity::COUNT); index++) {
    if (severity == Severity::ALL || static_cast<size_t>(severity) == index) {
      files[index] = file;
    }
  }
}

/// Drops lines above a severity. The host may drop more.
inline void SetSeverity(Severity severity) {
  logger_detail::GetSettings().severity = severity;
}

/// The highest severity that is shown.
inline Severity GetSeverity() {
  const Severity own = logger_detail::GetSettings().severity;
  if (own != Severity::ALL || !gxf::sdk::HasHost()) {
    return own == Severity::ALL ? Severity::INFO : own;
  }
  const int32_t host = gxf::sdk::Host().log_severity();
  return host < 0 ? Severity::NONE : static_cast<Severity>(host);
}

/// The severity an environment variable names; ALL when it is not set. An unknown name ends the
/// program, or sets `error_code` to 1.
inline Severity GetSeverityFromEnv(const char* variable = kGxfLogEnvName,
                                   int* error_code = nullptr) {
  if (error_code != nullptr) { *error_code = 0; }
  const char* value = std::getenv(variable);
  if (value == nullptr) { return Severity::ALL; }
  std::string name{value};
  for (char& letter : name) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  for (const SeverityContainer& known : logger_detail::kSeverities) {
    if (name == known.name) { return known.severity; }
  }
  if (error_code != nullptr) {
    *error_code = 1;
    return Severity::ALL;
  }
  std::fprintf(stderr, "%s: there is no log level `%s`\n", variable, value);
  std::abort();
}

/// Takes the severity from an environment variable; false when it is not set.
inline bool SetSeverityFromEnv(const char* variable = kGxfLogEnvName) {
  const Severity severity = GetSeverityFromEnv(variable);
  if (severity == Severity::ALL) { return false; }
  SetSeverity(severity);
  return true;
}

namespace logger_detail {

/// Whether a line of this severity would be shown.
inline bool IsShown(Severity severity) {
  const Severity own = GetSettings().severity;
  if (own != Severity::ALL && severity > own) { return false; }
  // Panics are always written. A replaced function sees every line.
  if (LoggingFunction != DefaultConsoleLogging || severity == Severity::PANIC) { return true; }
  return !gxf::sdk::HasHost() || static_cast<int32_t>(severity) <= gxf::sdk::Host().log_severity();
}

inline void LogV(const char* file, int line, Severity severity, const char* format,
                 va_list arguments) {
  char buffer[512];
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(buffer, sizeof(buffer), format, arguments);
  if (length < 0) {
    LoggingFunction(file, line, severity, format, LoggingFunctionArg);
  } else if (static_cast<size_t>(length) < sizeof(buffer)) {
    LoggingFunction(file, line, severity, buffer, LoggingFunctionArg);
  } else {
    std::string text(static_cast<size_t>(length), '\0');
    std::vsnprintf(&text[0], text.size() + 1, format, again);
    LoggingFunction(file, line, severity, text.c_str(), LoggingFunctionArg);
  }
  va_end(again);
}

}  // namespace logger_detail

/// Writes a log line. The macros below are the usual way to call it.
__attribute__((format(printf, 4, 5))) inline void Log(const char* file, int line,
                                                      Severity severity, const char* format,
                                                      ...) {
  if (!logger_detail::IsShown(severity)) { return; }
  va_list arguments;
  va_start(arguments, format);
  logger_detail::LogV(file, line, severity, format, arguments);
  va_end(arguments);
}

}  // namespace nvidia

#endif  // NVIDIA_COMMON_LOGGER_HPP_

// Outside the guard: each source file may define another active level and include this again.
#undef GXF_LOG_PANIC
#undef GXF_LOG_ERROR
#undef GXF_LOG_WARNING
#undef GXF_LOG_INFO
#undef GXF_LOG_DEBUG
#undef GXF_LOG_VERBOSE

#define GXF_LOG_PANIC(...) \
  ::nvidia::Log(__FILE__, __LINE__, ::nvidia::Severity::PANIC, __VA_ARGS__)

#if GXF_LOG_ACTIVE_LEVEL >= GXF_LOG_LEVEL_ERROR
#define GXF_LOG_ERROR(...) \
  ::nvidia::Log(__FILE__, __LINE__, ::nvidia::Severity::ERROR, __VA_ARGS__)
#else
#define GXF_LOG_ERROR(...) (void)0
#endif

#if GXF_LOG_ACTIVE_LEVEL >= GXF_LOG_LEVEL_WARNING
#define GXF_LOG_WARNING(...) \
  ::nvidia::Log(__FILE__, __LINE__, ::nvidia::Severity::WARNING, __VA_ARGS__)
#else
#define GXF_LOG_WARNING(...) (void)0
#endif

#if GXF_LOG_ACTIVE_LEVEL >= GXF_LOG_LEVEL_INFO
#define GXF_LOG_INFO(...) \
  ::nvidia::Log(__FILE__, __LINE__, ::nvidia::Severity::INFO, __VA_ARGS__)
#else
#define GXF_LOG_INFO(...) (void)0
#endif

#if GXF_LOG_ACTIVE_LEVEL >= GXF_LOG_LEVEL_DEBUG
#define GXF_LOG_DEBUG(...) \
  ::nvidia::Log(__FILE__, __LINE__, ::nvidia::Severity::DEBUG, __VA_ARGS__)
#else
#define GXF_LOG_DEBUG(...) (void)0
#endif

#if GXF_LOG_ACTIVE_LEVEL >= GXF_LOG_LEVEL_VERBOSE
#define GXF_LOG_VERBOSE(...) \
  ::nvidia::Log(__FILE__, __LINE__, ::nvidia::Severity::VERBOSE, __VA_ARGS__)
#else
#define GXF_LOG_VERBOSE(...) (void)0
#endif
