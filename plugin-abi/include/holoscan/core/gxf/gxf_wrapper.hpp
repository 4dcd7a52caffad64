/// `GXFWrapper`, which is declared with the other wrappers.
#ifndef HOLOSCAN_CORE_GXF_GXF_WRAPPER_HPP_
#define HOLOSCAN_CORE_GXF_GXF_WRAPPER_HPP_

#include "holoscan/core/gxf/wrappers.hpp"

#endif  // HOLOSCAN_CORE_GXF_GXF_WRAPPER_HPP_
