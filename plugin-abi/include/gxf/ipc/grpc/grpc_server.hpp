/// Services over gRPC.
#ifndef NVIDIA_GXF_IPC_GRPC_GRPC_SERVER_HPP_
#define NVIDIA_GXF_IPC_GRPC_GRPC_SERVER_HPP_

#include "gxf/std/ipc_server.hpp"
#include "gxf/sdk/proxies/ipc_server.hpp"

namespace nvidia {
namespace gxf {

/// Offers services to other processes over gRPC; a component of `libgxf_grpc.so`.
class GrpcServer : public IPCServer {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<GrpcServer> : ProxyOf<IPCServerProxy<GrpcServer>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_IPC_GRPC_GRPC_SERVER_HPP_
