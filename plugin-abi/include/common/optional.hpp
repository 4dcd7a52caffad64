/// A value or nothing; the standard one.
#ifndef NVIDIA_COMMON_OPTIONAL_HPP_
#define NVIDIA_COMMON_OPTIONAL_HPP_

#include <optional>

namespace nvidia {

template <typename T>
using optional = std::optional<T>;
using std::nullopt;

}  // namespace nvidia

#endif  // NVIDIA_COMMON_OPTIONAL_HPP_
