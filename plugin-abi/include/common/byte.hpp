/// The type raw memory is counted in.
#ifndef NVIDIA_COMMON_BYTE_HPP_
#define NVIDIA_COMMON_BYTE_HPP_

namespace nvidia {

/// One byte of raw memory.
using byte = unsigned char;

}  // namespace nvidia

using nvidia::byte;

#endif  // NVIDIA_COMMON_BYTE_HPP_
