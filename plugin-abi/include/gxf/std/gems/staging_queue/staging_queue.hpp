/// Where sources of GXF 4.x find it.
#ifndef NVIDIA_GXF_STD_GEMS_STAGING_QUEUE_STAGING_QUEUE_HPP_
#define NVIDIA_GXF_STD_GEMS_STAGING_QUEUE_STAGING_QUEUE_HPP_

#include "gems/staging_queue/staging_queue.hpp"

#endif  // NVIDIA_GXF_STD_GEMS_STAGING_QUEUE_STAGING_QUEUE_HPP_
