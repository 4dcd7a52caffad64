/// What orders the work on the data of a message.
#ifndef NVIDIA_GXF_STREAM_STREAM_SYNC_ID_HPP_
#define NVIDIA_GXF_STREAM_STREAM_SYNC_ID_HPP_

#include "gxf/core/gxf.h"
#include "gxf/plugin_abi.h"

namespace nvidia {
namespace gxf {

/// A payload: whoever works on the data on another stream first lets that wait for this `StreamSync`.
struct StreamSyncId {
  /// The component; `kNullUid`: none.
  gxf_uid_t stream_sync_cid = kNullUid;
};
static_assert(sizeof(StreamSyncId) == sizeof(GxeStreamSyncId), "the type that libgxf_stream.so registers");

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STREAM_STREAM_SYNC_ID_HPP_
