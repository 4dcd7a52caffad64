/// Services over HTTP.
#ifndef NVIDIA_GXF_IPC_HTTP_HTTP_SERVER_HPP_
#define NVIDIA_GXF_IPC_HTTP_HTTP_SERVER_HPP_

#include "gxf/std/ipc_server.hpp"
#include "gxf/sdk/proxies/ipc_server.hpp"

namespace nvidia {
namespace gxf {

/// Offers services to other processes over HTTP; a component of `libgxf_http.so`.
class HttpServer : public IPCServer {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<HttpServer> : ProxyOf<IPCServerProxy<HttpServer>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_IPC_HTTP_HTTP_SERVER_HPP_
