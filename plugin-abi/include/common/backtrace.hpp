/// Shows how a program got where it is.
#ifndef NVIDIA_COMMON_BACKTRACE_HPP_
#define NVIDIA_COMMON_BACKTRACE_HPP_

#include "gxf/sdk/requirements.hpp"

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#include <unistd.h>
#define GXF_HAS_BACKTRACE 1
#endif

namespace nvidia {
namespace backtrace_detail {

/// Writes the calls that led here to standard error.
inline void Print() {
#ifdef GXF_HAS_BACKTRACE
  constexpr int kMostFrames = 64;
  void* frames[kMostFrames];
  ::backtrace_symbols_fd(frames, ::backtrace(frames, kMostFrames), STDERR_FILENO);
#endif
}

}  // namespace backtrace_detail
}  // namespace nvidia

/// Writes the calls that led here to standard error.
inline void PrettyPrintBacktrace() {
  ::nvidia::backtrace_detail::Print();
}

#undef GXF_HAS_BACKTRACE

#endif  // NVIDIA_COMMON_BACKTRACE_HPP_
