/// Sizes of memory.
#ifndef NVIDIA_GEMS_UTILS_STORAGE_SIZE_HPP_
#define NVIDIA_GEMS_UTILS_STORAGE_SIZE_HPP_

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "common/logger.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"

namespace nvidia {
namespace gxf {

/// Converts between bytes and their multiples by 1024.
class StorageSize {
 public:
  static constexpr uint64_t KB = uint64_t{1} << 10;
  static constexpr uint64_t MB = uint64_t{1} << 20;
  static constexpr uint64_t GB = uint64_t{1} << 30;
  static constexpr uint64_t TB = uint64_t{1} << 40;

  static uint64_t toBytesFromKB(double size) { return ToBytes(size, KB); }
  static uint64_t toBytesFromMB(double size) { return ToBytes(size, MB); }
  static uint64_t toBytesFromGB(double size) { return ToBytes(size, GB); }
  static uint64_t toBytesFromTB(double size) { return ToBytes(size, TB); }
  static double fromBytesToKB(uint64_t bytes) { return FromBytes(bytes, KB); }
  static double fromBytesToMB(uint64_t bytes) { return FromBytes(bytes, MB); }
  static double fromBytesToGB(uint64_t bytes) { return FromBytes(bytes, GB); }
  static double fromBytesToTB(uint64_t bytes) { return FromBytes(bytes, TB); }

  /// Bytes from text such as `16MB`, `1.5 GB` or a plain number.
  static Expected<uint64_t> ParseStorageSizeString(std::string text, const gxf_uid_t& cid) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    std::string unit;
    for (const char* letter = end; *letter != '\0'; letter++) {
      if (*letter == ' ') { continue; }
      const bool is_small = *letter >= 'a' && *letter <= 'z';
      unit += is_small ? static_cast<char>(*letter - 'a' + 'A') : *letter;
    }
    uint64_t factor = 0;
    if (unit.empty() || unit == "B") { factor = 1; }
    if (unit == "KB") { factor = KB; }
    if (unit == "MB") { factor = MB; }
    if (unit == "GB") { factor = GB; }
    if (unit == "TB") { factor = TB; }
    const bool is_number = end != text.c_str() && std::isfinite(number) && number >= 0.0;
    // What is above does not fit into 64 bits.
    if (!is_number || factor == 0 || number * static_cast<double>(factor) >= 18446744073709551616.0) {
      GXF_LOG_ERROR("`%s` of component %ld is no size; expected a number with `KB`, `MB`, `GB`, "
                    "`TB` or no unit (bytes)",
                    text.c_str(), static_cast<long>(cid));
      return Unexpected{GXF_ARGUMENT_INVALID};
    }
    return ToBytes(number, factor);
  }

 private:
  static uint64_t ToBytes(double size, uint64_t unit) {
    return static_cast<uint64_t>(size * static_cast<double>(unit));
  }
  static double FromBytes(uint64_t bytes, uint64_t unit) {
    return static_cast<double>(bytes) / static_cast<double>(unit);
  }
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GEMS_UTILS_STORAGE_SIZE_HPP_
