/// Requests over gRPC.
#ifndef NVIDIA_GXF_IPC_GRPC_GRPC_CLIENT_HPP_
#define NVIDIA_GXF_IPC_GRPC_GRPC_CLIENT_HPP_

#include "gxf/std/ipc_client.hpp"
#include "gxf/sdk/proxies/ipc_client.hpp"

namespace nvidia {
namespace gxf {

/// Calls services of other processes over gRPC; a component of `libgxf_grpc.so`.
class GrpcClient : public IPCClient {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<GrpcClient> : ProxyOf<IPCClientProxy<GrpcClient>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_IPC_GRPC_GRPC_CLIENT_HPP_
