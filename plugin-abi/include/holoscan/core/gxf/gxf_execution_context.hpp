/// `ExecutionContext`, which every operator has.
#ifndef HOLOSCAN_CORE_GXF_GXF_EXECUTION_CONTEXT_HPP_
#define HOLOSCAN_CORE_GXF_GXF_EXECUTION_CONTEXT_HPP_

#include "holoscan/core/execution_context.hpp"

#endif  // HOLOSCAN_CORE_GXF_GXF_EXECUTION_CONTEXT_HPP_
