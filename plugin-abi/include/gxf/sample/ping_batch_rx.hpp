/// The sample extension's PingBatchRx.
// Sources of the sample extension come with a header of their own under this name, which is found
// later on the path. The next line allows `#include_next`, which is no part of C++.
#pragma GCC system_header
#ifndef NVIDIA_GXF_SAMPLE_PING_BATCH_RX_HPP_
#if __has_include_next("gxf/sample/ping_batch_rx.hpp")
#include_next "gxf/sample/ping_batch_rx.hpp"
#else
#define NVIDIA_GXF_SAMPLE_PING_BATCH_RX_HPP_

#include "gxf/std/codelet.hpp"

namespace nvidia {
namespace gxf {

/// A codelet of the sample extension; a handle to one names it.
class PingBatchRx : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<PingBatchRx> : ProxyOf<CodeletProxy<PingBatchRx>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif
#endif  // NVIDIA_GXF_SAMPLE_PING_BATCH_RX_HPP_
