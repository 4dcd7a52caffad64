/// GXF's second name for the logger.
#ifndef NVIDIA_GXF_LOGGER_GXF_LOGGER_HPP_
#define NVIDIA_GXF_LOGGER_GXF_LOGGER_HPP_

#include "common/logger.hpp"

#endif  // NVIDIA_GXF_LOGGER_GXF_LOGGER_HPP_
