/// The host's function table, as the C++ headers reach it.
///
/// Everything in `nvidia::gxf::sdk` is the headers' own machinery and not meant for extensions. It
/// is hidden from other libraries: two extensions in one process must not share function tables of
/// types that happen to have the same name.
#ifndef GXF_SDK_HOST_HPP_
#define GXF_SDK_HOST_HPP_

#include "gxf/sdk/requirements.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "gxf/plugin_abi.h"

extern "C" {
/// The table of a process that has the runtime in it; there when a program uses the C++ headers
/// without being an extension. Null when nothing in the process exports it.
__attribute__((weak)) const GxeHostTable* GxeGetHostTable(void);
}

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

/// Set when the host calls the extension's factory.
inline const GxeHostTable* host_table = nullptr;

[[noreturn]] void HostMissing();

/// The host's functions.
inline const GxeHostTable& Host() {
  if (__builtin_expect(host_table == nullptr, 0)) {
    if (GxeGetHostTable != nullptr) { host_table = GxeGetHostTable(); }
    if (host_table == nullptr) { HostMissing(); }
  }
  return *host_table;
}

/// Whether there are host functions to call.
inline bool HasHost() {
  if (host_table == nullptr && GxeGetHostTable != nullptr) { host_table = GxeGetHostTable(); }
  return host_table != nullptr;
}

/// Text in its ABI form; null becomes a text without data, which matches every name.
inline GxeText ToText(const char* text) {
  return {reinterpret_cast<const uint8_t*>(text), text == nullptr ? 0 : std::strlen(text)};
}
inline GxeText ToText(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

/// Text from its ABI form.
inline std::string_view FromText(GxeText text) {
  return text.data == nullptr
             ? std::string_view{}
             : std::string_view{reinterpret_cast<const char*>(text.data), text.length};
}

/// Where texts go while the extension is being loaded and has no host yet; null for nowhere.
inline std::string* early_report = nullptr;

/// Leaves a text for the error the caller is about to return to the host.
inline void Report(std::string_view text) {
  if (early_report != nullptr) {
    *early_report = text;
  } else if (HasHost()) {
    host_table->report_error(ToText(text));
  }
}

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#include <cstdio>
#include <cstdlib>

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

inline void HostMissing() {
  std::fputs(
      "gxf: there is no runtime in this process; load the extension with gxe, or link the program "
      "with libgxf_core\n",
      stderr);
  std::exit(1);
}

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_HOST_HPP_
