/// A graph in a graph.
#ifndef NVIDIA_GXF_STD_SUBGRAPH_HPP_
#define NVIDIA_GXF_STD_SUBGRAPH_HPP_

#include "gxf/sdk/proxies/proxy.hpp"

namespace nvidia {
namespace gxf {

/// A component of the host; a handle to one names it.
class Subgraph : public Component {};

namespace sdk __attribute__((visibility("hidden"))) {
class SubgraphProxy : public Subgraph {
 public:
  Expected<void> Connect() { return Success; }
};
template <>
struct Proxy<Subgraph> : ProxyOf<SubgraphProxy> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_SUBGRAPH_HPP_
