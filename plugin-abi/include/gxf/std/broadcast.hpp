/// Messages of one receiver through several transmitters.
#ifndef NVIDIA_GXF_STD_BROADCAST_HPP_
#define NVIDIA_GXF_STD_BROADCAST_HPP_

#include "gxf/std/codelet.hpp"

namespace nvidia {
namespace gxf {

/// The recipients of a message.
enum struct BroadcastMode {
  /// Every transmitter.
  kBroadcast = 0,
  /// One after the other.
  kRoundRobin = 1,
};

/// A codelet of the host; a handle to one names it.
class Broadcast : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<Broadcast> : ProxyOf<CodeletProxy<Broadcast>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_BROADCAST_HPP_
