/// `Executor`, which is declared by itself.
#ifndef HOLOSCAN_CORE_EXECUTORS_GXF_GXF_EXECUTOR_HPP_
#define HOLOSCAN_CORE_EXECUTORS_GXF_GXF_EXECUTOR_HPP_

#include "holoscan/core/executor.hpp"

#endif  // HOLOSCAN_CORE_EXECUTORS_GXF_GXF_EXECUTOR_HPP_
