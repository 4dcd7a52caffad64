/// `InputContext` and `OutputContext`, which every operator has.
#ifndef HOLOSCAN_CORE_GXF_GXF_IO_CONTEXT_HPP_
#define HOLOSCAN_CORE_GXF_GXF_IO_CONTEXT_HPP_

#include "holoscan/core/io_context.hpp"

#endif  // HOLOSCAN_CORE_GXF_GXF_IO_CONTEXT_HPP_
