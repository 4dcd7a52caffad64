/// Byte order.
#ifndef NVIDIA_COMMON_ENDIAN_HPP_
#define NVIDIA_COMMON_ENDIAN_HPP_

#include "gxf/sdk/requirements.hpp"

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace nvidia {

/// Whether numbers are stored with the lowest byte first.
constexpr bool IsLittleEndian() {
  return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}
/// Whether numbers are stored with the highest byte first.
constexpr bool IsBigEndian() {
  return !IsLittleEndian();
}

namespace detail {

template <typename T>
T ReverseBytes(T value) {
  static_assert(std::is_trivially_copyable_v<T>, "only plain values have a byte order");
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  for (size_t i = 0; i < sizeof(T) / 2; i++) {
    const unsigned char byte = bytes[i];
    bytes[i] = bytes[sizeof(T) - 1 - i];
    bytes[sizeof(T) - 1 - i] = byte;
  }
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

}  // namespace detail

/// A value of this machine in a byte order, and back.
template <typename T>
T EncodeLittleEndian(T value) {
  return IsLittleEndian() ? value : detail::ReverseBytes(value);
}
template <typename T>
T DecodeLittleEndian(T value) {
  return EncodeLittleEndian(value);
}
template <typename T>
T EncodeBigEndian(T value) {
  return IsBigEndian() ? value : detail::ReverseBytes(value);
}
template <typename T>
T DecodeBigEndian(T value) {
  return EncodeBigEndian(value);
}

}  // namespace nvidia

#endif  // NVIDIA_COMMON_ENDIAN_HPP_
