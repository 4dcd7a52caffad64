/// Orders the work of one stream after that of another.
#ifndef NVIDIA_GXF_STREAM_STREAM_SYNC_HPP_
#define NVIDIA_GXF_STREAM_STREAM_SYNC_HPP_

#include "gxf/core/component.hpp"
#include "gxf/cuda/cuda_common.hpp"
#include "gxf/sdk/announce.hpp"
#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/stream/stream_sync_id.hpp"

namespace nvidia {
namespace gxf {

/// A component of `libgxf_stream.so`. One codelet signals behind its work and names this component in
/// its messages, by a `StreamSyncId`; another one, which works on another stream, waits.
class StreamSync : public Component {
 public:
  /// Marks the end of the work that is on a stream so far.
  virtual Expected<void> signal(cudaStream_t stream) = 0;
  /// Makes the following work of a stream wait, on the device, for the last mark. An error before the
  /// first one.
  virtual Expected<void> wait(cudaStream_t stream) = 0;
};

namespace sdk __attribute__((visibility("hidden"))) {

class StreamSyncProxy : public StreamSync {
 public:
  Expected<void> Connect() { return sync_.Connect(context(), cid(), GXE_TID_STREAM_SYNC); }
  Expected<void> signal(cudaStream_t stream) override {
    return ExpectedOrCode(ToGxf(sync_.table().signal(sync_.object(), stream)));
  }
  Expected<void> wait(cudaStream_t stream) override {
    return ExpectedOrCode(ToGxf(sync_.table().wait(sync_.object(), stream)));
  }

 private:
  Link<GxeStreamSyncVtable> sync_;
};
template <>
struct Proxy<StreamSync> : ProxyOf<StreamSyncProxy> {};
inline const Announced<StreamSync> kStreamSyncAnnounced;

}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STREAM_STREAM_SYNC_HPP_
