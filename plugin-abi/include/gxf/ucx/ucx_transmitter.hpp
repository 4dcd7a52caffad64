/// The sending end of a link.
#ifndef NVIDIA_GXF_UCX_UCX_TRANSMITTER_HPP_
#define NVIDIA_GXF_UCX_UCX_TRANSMITTER_HPP_

#include "gxf/std/transmitter.hpp"
#include "gxf/sdk/proxies/transmitter.hpp"

namespace nvidia {
namespace gxf {

/// Sends messages to another graph; a component of `libgxf_ucx.so`.
class UcxTransmitter : public Transmitter {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<UcxTransmitter> : ProxyOf<TransmitterProxy<UcxTransmitter>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_UCX_UCX_TRANSMITTER_HPP_
