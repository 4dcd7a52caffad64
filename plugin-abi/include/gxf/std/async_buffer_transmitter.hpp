/// A transmitter that keeps the latest message only.
#ifndef NVIDIA_GXF_STD_ASYNC_BUFFER_TRANSMITTER_HPP_
#define NVIDIA_GXF_STD_ASYNC_BUFFER_TRANSMITTER_HPP_

#include "gxf/std/transmitter.hpp"

namespace nvidia {
namespace gxf {

/// The host's transmitter for the latest message. A handle to one leads there.
class AsyncBufferTransmitter : public Transmitter {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<AsyncBufferTransmitter> : ProxyOf<TransmitterProxy<AsyncBufferTransmitter>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_ASYNC_BUFFER_TRANSMITTER_HPP_
