/// The library fmt where it is installed; otherwise the functions of it that Holoscan's programs use.
#pragma GCC system_header
#if __has_include_next(<fmt/format.h>)
#include_next <fmt/format.h>
#else
#include "holoscan/logger/format.hpp"
#endif
