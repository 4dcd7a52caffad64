/// Moves a clock to the time that it receives.
#ifndef NVIDIA_GXF_NETWORK_CLOCK_SYNC_SECONDARY_HPP_
#define NVIDIA_GXF_NETWORK_CLOCK_SYNC_SECONDARY_HPP_

#include "gxf/std/codelet.hpp"
#include "gxf/sdk/proxies/codelet.hpp"

namespace nvidia {
namespace gxf {

/// Moves a clock to the time that it receives; a component of `libgxf_network.so`.
class ClockSyncSecondary : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<ClockSyncSecondary> : ProxyOf<CodeletProxy<ClockSyncSecondary>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_NETWORK_CLOCK_SYNC_SECONDARY_HPP_
