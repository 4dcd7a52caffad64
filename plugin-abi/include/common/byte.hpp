/// The type raw memory is counted in.
#ifndef NVIDIA_COMMON_BYTE_HPP_
#define NVIDIA_COMMON_BYTE_HPP_

#include "gxf/sdk/requirements.hpp"

namespace nvidia {

/// One byte of raw memory.
using byte = unsigned char;

}  // namespace nvidia

using nvidia::byte;

#endif  // NVIDIA_COMMON_BYTE_HPP_
