/// Sends the time of a clock.
#ifndef NVIDIA_GXF_NETWORK_CLOCK_SYNC_PRIMARY_HPP_
#define NVIDIA_GXF_NETWORK_CLOCK_SYNC_PRIMARY_HPP_

#include "gxf/std/codelet.hpp"
#include "gxf/sdk/proxies/codelet.hpp"

namespace nvidia {
namespace gxf {

/// Sends the time of a clock; a component of `libgxf_network.so`.
class ClockSyncPrimary : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<ClockSyncPrimary> : ProxyOf<CodeletProxy<ClockSyncPrimary>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_NETWORK_CLOCK_SYNC_PRIMARY_HPP_
