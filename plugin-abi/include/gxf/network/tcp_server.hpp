/// Exchanges messages with a client.
#ifndef NVIDIA_GXF_NETWORK_TCP_SERVER_HPP_
#define NVIDIA_GXF_NETWORK_TCP_SERVER_HPP_

#include "gxf/std/codelet.hpp"
#include "gxf/sdk/proxies/codelet.hpp"

namespace nvidia {
namespace gxf {

/// Exchanges messages with a client; a component of `libgxf_network.so`.
class TcpServer : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<TcpServer> : ProxyOf<CodeletProxy<TcpServer>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_NETWORK_TCP_SERVER_HPP_
