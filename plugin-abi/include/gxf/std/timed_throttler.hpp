/// Sends messages when another clock reaches their time.
#ifndef NVIDIA_GXF_STD_TIMED_THROTTLER_HPP_
#define NVIDIA_GXF_STD_TIMED_THROTTLER_HPP_

#include "gxf/std/codelet.hpp"

namespace nvidia {
namespace gxf {

/// A codelet of the host; a handle to one names it.
class TimedThrottler : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<TimedThrottler> : ProxyOf<CodeletProxy<TimedThrottler>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_TIMED_THROTTLER_HPP_
