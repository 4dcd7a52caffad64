/// Requests over HTTP.
#ifndef NVIDIA_GXF_IPC_HTTP_HTTP_IPC_CLIENT_HPP_
#define NVIDIA_GXF_IPC_HTTP_HTTP_IPC_CLIENT_HPP_

#include "gxf/std/ipc_client.hpp"
#include "gxf/sdk/proxies/ipc_client.hpp"

namespace nvidia {
namespace gxf {

/// Calls services of other processes over HTTP; a component of `libgxf_http.so`.
class HttpIPCClient : public IPCClient {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<HttpIPCClient> : ProxyOf<IPCClientProxy<HttpIPCClient>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_IPC_HTTP_HTTP_IPC_CLIENT_HPP_
