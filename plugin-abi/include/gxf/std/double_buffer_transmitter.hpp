/// The usual transmitter.
#ifndef NVIDIA_GXF_STD_DOUBLE_BUFFER_TRANSMITTER_HPP_
#define NVIDIA_GXF_STD_DOUBLE_BUFFER_TRANSMITTER_HPP_

#include "gxf/sdk/announce.hpp"
#include "gxf/sdk/double_buffer_queue.hpp"
#include "gxf/std/transmitter.hpp"

namespace nvidia {
namespace gxf {

/// The usual transmitter: messages wait in a back stage until the graph moves them on.
class DoubleBufferTransmitter : public detail::DoubleBufferQueue<Transmitter> {
 public:
  gxf_result_t publish_abi(gxf_uid_t uid) override { return push_abi(uid); }
};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<DoubleBufferTransmitter>
    : ProxyOf<DoubleBufferProxy<TransmitterProxy<DoubleBufferTransmitter>>> {};
inline const Announced<DoubleBufferTransmitter> kDoubleBufferTransmitterAnnounced;
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_DOUBLE_BUFFER_TRANSMITTER_HPP_
