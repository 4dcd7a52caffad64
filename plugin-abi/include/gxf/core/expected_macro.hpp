/// Returns from a function when something failed.
#ifndef NVIDIA_GXF_CORE_EXPECTED_MACRO_HPP_
#define NVIDIA_GXF_CORE_EXPECTED_MACRO_HPP_

#include "gxf/core/common_expected_macro.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"

extern "C" {
// An extension works without the C API in its process; then codes are shown as numbers.
const char* GxfResultStr(gxf_result_t result) __attribute__((weak));
}

namespace nvidia {
namespace expected_macro {

template <>
struct IsStatus<gxf_result_t> : std::true_type {};

template <>
struct StatusName<gxf_result_t> {
  static std::string Get(gxf_result_t code) {
    const std::string name = ::GxfResultStr != nullptr ? ::GxfResultStr(code) : "N/A";
    return name == "N/A" ? "result code " + std::to_string(static_cast<int>(code)) : name;
  }
};

template <>
constexpr gxf_result_t DefaultError<gxf_result_t>() {
  return GXF_FAILURE;
}

template <>
constexpr bool IsValid<gxf_result_t>(const gxf_result_t code) {
  return code == GXF_SUCCESS;
}

}  // namespace expected_macro
}  // namespace nvidia

/// Returns the error of an expression from the function, in whatever type it returns, and logs it.
/// More arguments: a severity, and a text with its arguments as for printf.
#define GXF_RETURN_IF_ERROR(...) RETURN_IF_ERROR(__VA_ARGS__)

/// The value of an expression; when there is none, as `GXF_RETURN_IF_ERROR`.
#define GXF_UNWRAP_OR_RETURN(...) UNWRAP_OR_RETURN(__VA_ARGS__)

#endif  // NVIDIA_GXF_CORE_EXPECTED_MACRO_HPP_
