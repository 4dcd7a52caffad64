/// Any value; the standard one.
#ifndef NVIDIA_COMMON_ANY_HPP_
#define NVIDIA_COMMON_ANY_HPP_

#include "gxf/sdk/requirements.hpp"

#include <any>

namespace nvidia {

using any = std::any;
using std::any_cast;

}  // namespace nvidia

#endif  // NVIDIA_COMMON_ANY_HPP_
