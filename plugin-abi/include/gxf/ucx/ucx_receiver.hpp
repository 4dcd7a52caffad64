/// The receiving end of a link.
#ifndef NVIDIA_GXF_UCX_UCX_RECEIVER_HPP_
#define NVIDIA_GXF_UCX_UCX_RECEIVER_HPP_

#include "gxf/std/receiver.hpp"
#include "gxf/sdk/proxies/receiver.hpp"

namespace nvidia {
namespace gxf {

/// Receives messages of another graph; a component of `libgxf_ucx.so`.
class UcxReceiver : public Receiver {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<UcxReceiver> : ProxyOf<ReceiverProxy<UcxReceiver>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_UCX_UCX_RECEIVER_HPP_
