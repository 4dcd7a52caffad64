/// Loads segments, registers them with a driver, and runs them when it says so.
#ifndef NVIDIA_GXF_STD_GRAPH_WORKER_HPP_
#define NVIDIA_GXF_STD_GRAPH_WORKER_HPP_

#include "gxf/std/system.hpp"
#include "gxf/sdk/proxies/system.hpp"

namespace nvidia {
namespace gxf {

/// Loads segments, registers them with a driver, and runs them when it says so.
class GraphWorker : public System {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<GraphWorker> : ProxyOf<SystemProxy<GraphWorker>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_GRAPH_WORKER_HPP_
