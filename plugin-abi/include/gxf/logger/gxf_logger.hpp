/// The logger of GXF's macros as an object.
#ifndef NVIDIA_GXF_LOGGER_GXF_LOGGER_HPP_
#define NVIDIA_GXF_LOGGER_GXF_LOGGER_HPP_

#include "common/logger.hpp"
#include "common/singleton.hpp"
#include "gxf/logger/logger.hpp"

namespace nvidia {
namespace logger {

/// A logger that writes to the host's log.
class GxfLogger : public Logger {
 public:
  GxfLogger() = default;
};

/// The one of this library.
class GlobalGxfLogger {
 public:
  static GxfLogger& instance() { return Singleton<GxfLogger>::Get(); }
  static bool SetSeverityFromEnv(const char* variable = kGxfLogEnvName) {
    return nvidia::SetSeverityFromEnv(variable);
  }
  static int GetSeverityFromEnv(const char* variable = kGxfLogEnvName, int* error_code = nullptr) {
    return static_cast<int>(nvidia::GetSeverityFromEnv(variable, error_code));
  }
};

}  // namespace logger
}  // namespace nvidia

#endif  // NVIDIA_GXF_LOGGER_GXF_LOGGER_HPP_
