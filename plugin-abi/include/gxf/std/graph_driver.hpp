/// Connects the segments of a graph in several processes, starts and ends them.
#ifndef NVIDIA_GXF_STD_GRAPH_DRIVER_HPP_
#define NVIDIA_GXF_STD_GRAPH_DRIVER_HPP_

#include "gxf/std/system.hpp"
#include "gxf/sdk/proxies/system.hpp"

namespace nvidia {
namespace gxf {

/// Connects the segments of a graph in several processes, starts and ends them.
class GraphDriver : public System {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<GraphDriver> : ProxyOf<SystemProxy<GraphDriver>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_GRAPH_DRIVER_HPP_
