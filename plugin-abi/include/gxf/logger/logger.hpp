/// Loggers as objects.
#ifndef NVIDIA_GXF_LOGGER_LOGGER_HPP_
#define NVIDIA_GXF_LOGGER_LOGGER_HPP_

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "common/logger.hpp"

namespace nvidia {
namespace logger {

/// Where lines go: file, line, name of the level, level, text, and an argument of the caller's.
using LogFunction =
    std::function<void(const char* file, int line, const char* name, int level,
                       const char* message, void* argument)>;

/// Writes lines. Levels are the numbers of `nvidia::Severity`.
class ILogger {
 public:
  virtual ~ILogger() = default;

  virtual void log(const char* file, int line, const char* name, int level, const char* message,
                   void* argument = nullptr) = 0;
  /// Format of a line; its meaning depends on the logger.
  virtual void pattern(const char* pattern) = 0;
  virtual const char* pattern() const = 0;
  /// The highest level that is written.
  virtual void level(int level) = 0;
  virtual int level() const = 0;
  /// Sends lines of a level to a `FILE*`; null: back to where they went.
  virtual void redirect(int level, void* output) = 0;
  virtual void* redirect(int level) const = 0;
};

namespace detail {

/// Writes to where the macros write.
class HostLogger : public ILogger {
 public:
  void log(const char* file, int line, const char* name, int level, const char* message,
           void* argument = nullptr) override {
    (void)name;
    const auto severity = static_cast<Severity>(level);
    if (logger_detail::IsShown(severity)) {
      LoggingFunction(file, line, severity, message,
                      argument != nullptr ? argument : LoggingFunctionArg);
    }
  }
  void pattern(const char* pattern) override { pattern_ = pattern == nullptr ? "" : pattern; }
  const char* pattern() const override { return pattern_.c_str(); }
  void level(int level) override { SetSeverity(static_cast<Severity>(level)); }
  int level() const override { return static_cast<int>(GetSeverity()); }
  void redirect(int level, void* output) override {
    Redirect(static_cast<std::FILE*>(output), static_cast<Severity>(level));
  }
  void* redirect(int level) const override {
    const auto index = static_cast<size_t>(level);
    return index < static_cast<size_t>(Severity::COUNT)
               ? logger_detail::GetSettings().files[index]
               : nullptr;
  }

 private:
  // The host gives its lines their form.
  std::string pattern_;
};

}  // namespace detail

/// Passes lines on to a logger, or to a function in its place.
class Logger {
 public:
  explicit Logger(std::shared_ptr<ILogger> logger = nullptr, LogFunction function = nullptr)
      : logger_(logger != nullptr ? std::move(logger) : std::make_shared<detail::HostLogger>()),
        function_(std::move(function)) {}
  virtual ~Logger() = default;

  void log(const char* file, int line, const char* name, int level, const char* message) {
    if (function_) {
      function_(file, line, name, level, message, nullptr);
    } else {
      logger_->log(file, line, name, level, message);
    }
  }
  void logger(std::shared_ptr<ILogger> logger) {
    if (logger != nullptr) { logger_ = std::move(logger); }
  }
  const std::shared_ptr<ILogger>& logger() const { return logger_; }
  /// Replaces the logger; an empty function: the logger again.
  void func(LogFunction function) { function_ = std::move(function); }
  const LogFunction& func() const { return function_; }
  void pattern(const char* pattern) { logger_->pattern(pattern); }
  const char* pattern() const { return logger_->pattern(); }
  void level(int level) { logger_->level(level); }
  int level() const { return logger_->level(); }
  void redirect(int level, void* output) { logger_->redirect(level, output); }
  void* redirect(int level) const { return logger_->redirect(level); }

 private:
  std::shared_ptr<ILogger> logger_;
  LogFunction function_;
};

}  // namespace logger
}  // namespace nvidia

#endif  // NVIDIA_GXF_LOGGER_LOGGER_HPP_
