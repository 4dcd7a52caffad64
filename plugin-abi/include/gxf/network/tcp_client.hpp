/// Exchanges messages with a server.
#ifndef NVIDIA_GXF_NETWORK_TCP_CLIENT_HPP_
#define NVIDIA_GXF_NETWORK_TCP_CLIENT_HPP_

#include "gxf/std/codelet.hpp"
#include "gxf/sdk/proxies/codelet.hpp"

namespace nvidia {
namespace gxf {

/// Exchanges messages with a server; a component of `libgxf_network.so`.
class TcpClient : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<TcpClient> : ProxyOf<CodeletProxy<TcpClient>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_NETWORK_TCP_CLIENT_HPP_
