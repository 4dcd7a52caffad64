/// Components that are described before their entity exists.
#ifndef NVIDIA_GXF_APP_PROXY_COMPONENT_HPP_
#define NVIDIA_GXF_APP_PROXY_COMPONENT_HPP_

#include "gxf/app/arg.hpp"

#endif  // NVIDIA_GXF_APP_PROXY_COMPONENT_HPP_
