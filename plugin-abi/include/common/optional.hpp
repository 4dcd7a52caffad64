/// A value or nothing; the standard one.
#ifndef NVIDIA_COMMON_OPTIONAL_HPP_
#define NVIDIA_COMMON_OPTIONAL_HPP_

#include "gxf/sdk/requirements.hpp"

#include <optional>

namespace nvidia {

template <typename T>
using optional = std::optional<T>;
using std::nullopt;

}  // namespace nvidia

#endif  // NVIDIA_COMMON_OPTIONAL_HPP_
