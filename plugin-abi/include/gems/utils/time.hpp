/// Times and periods.
#ifndef NVIDIA_GEMS_UTILS_TIME_HPP_
#define NVIDIA_GEMS_UTILS_TIME_HPP_

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "common/logger.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"

namespace nvidia {
namespace gxf {

/// Seconds to nanoseconds.
inline int64_t TimeToTimestamp(double time) {
  return static_cast<int64_t>(std::llround(time * 1e9));
}
/// Nanoseconds to seconds.
inline double TimestampToTime(int64_t timestamp) {
  return static_cast<double>(timestamp) / 1e9;
}

/// Microseconds since 1970.
inline uint64_t getCurrentTimeUs() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count());
}

/// A period in nanoseconds from text such as `100Hz`, `10ms`, `2s`, or plain nanoseconds.
inline Expected<int64_t> ParseRecessPeriodString(std::string text, const gxf_uid_t& cid) {
  for (char& letter : text) {
    if (letter >= 'A' && letter <= 'Z') { letter = static_cast<char>(letter - 'A' + 'a'); }
  }
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  std::string unit = end;
  if (!unit.empty() && unit.front() == ' ') { unit.erase(0, 1); }
  const bool is_number = end != text.c_str() && std::isfinite(number) && number > 0.0;
  double period = -1.0;
  if (unit.empty()) { period = number; }
  if (unit == "hz") { period = 1e9 / number; }
  if (unit == "ms") { period = number * 1e6; }
  if (unit == "s") { period = number * 1e9; }
  if (!is_number || period < 0.0 || period >= 9.2e18) {
    GXF_LOG_ERROR("`%s` of component %ld is no period; expected a number above 0 with `Hz`, `ms`, "
                  "`s` or no unit (nanoseconds)",
                  text.c_str(), static_cast<long>(cid));
    return Unexpected{GXF_ARGUMENT_INVALID};
  }
  return static_cast<int64_t>(period);
}

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GEMS_UTILS_TIME_HPP_
