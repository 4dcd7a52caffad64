/// Holoscan's API of operators for C++, on gxe's engine: an operator is an entity with a codelet, its
/// ports are queues, its conditions are scheduling terms.
///
/// A program includes this header, is compiled as C++17 and linked to `libgxf_core.so`. What is here
/// has the names and meanings of Holoscan's documentation. The fragments of an application run in one
/// process. Not here: data loggers, codelets as operators (`GXFCodeletOp`), `track_distributed`,
/// options of the command line, services of fragments, and most operators for devices.
#ifndef HOLOSCAN_HOLOSCAN_HPP_
#define HOLOSCAN_HOLOSCAN_HPP_

#include "holoscan/core/application.hpp"
#include "holoscan/core/arg.hpp"
#include "holoscan/core/component_spec.hpp"
#include "holoscan/core/condition.hpp"
#include "holoscan/core/dataflow_tracker.hpp"
#include "holoscan/core/domain/tensor.hpp"
#include "holoscan/core/execution_context.hpp"
#include "holoscan/core/expected.hpp"
#include "holoscan/core/flow_graph.hpp"
#include "holoscan/core/fragment.hpp"
#include "holoscan/core/gxf/entity.hpp"
#include "holoscan/core/io_context.hpp"
#include "holoscan/core/io_spec.hpp"
#include "holoscan/core/message.hpp"
#include "holoscan/core/metadata.hpp"
#include "holoscan/core/operator.hpp"
#include "holoscan/core/operator_spec.hpp"
#include "holoscan/core/parameter.hpp"
#include "holoscan/core/resource.hpp"
#include "holoscan/core/scheduler.hpp"
#include "holoscan/core/subgraph.hpp"
#include "holoscan/core/thread_pool.hpp"
#include "holoscan/logger/format.hpp"
#include "holoscan/logger/logger.hpp"

#endif  // HOLOSCAN_HOLOSCAN_HPP_
