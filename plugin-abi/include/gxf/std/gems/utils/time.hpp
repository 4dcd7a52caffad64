/// Where sources of GXF 4.x find it.
#ifndef NVIDIA_GXF_STD_GEMS_UTILS_TIME_HPP_
#define NVIDIA_GXF_STD_GEMS_UTILS_TIME_HPP_

#include "gems/utils/time.hpp"

#endif  // NVIDIA_GXF_STD_GEMS_UTILS_TIME_HPP_
