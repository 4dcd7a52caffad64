/// Links between graphs.
#ifndef NVIDIA_GXF_UCX_UCX_CONTEXT_HPP_
#define NVIDIA_GXF_UCX_UCX_CONTEXT_HPP_

#include "gxf/std/network_context.hpp"
#include "gxf/sdk/proxies/network_context.hpp"

namespace nvidia {
namespace gxf {

/// Opens the links of a graph; a component of `libgxf_ucx.so`.
class UcxContext : public NetworkContext {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<UcxContext> : ProxyOf<NetworkContextProxy<UcxContext>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_UCX_UCX_CONTEXT_HPP_
