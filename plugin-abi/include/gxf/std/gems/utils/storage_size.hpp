/// Where sources of GXF 4.x find it.
#ifndef NVIDIA_GXF_STD_GEMS_UTILS_STORAGE_SIZE_HPP_
#define NVIDIA_GXF_STD_GEMS_UTILS_STORAGE_SIZE_HPP_

#include "gems/utils/storage_size.hpp"

#endif  // NVIDIA_GXF_STD_GEMS_UTILS_STORAGE_SIZE_HPP_
