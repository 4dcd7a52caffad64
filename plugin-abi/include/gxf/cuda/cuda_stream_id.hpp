/// Which stream the data of a message was written on.
#ifndef NVIDIA_GXF_CUDA_CUDA_STREAM_ID_HPP_
#define NVIDIA_GXF_CUDA_CUDA_STREAM_ID_HPP_

#include "gxf/core/gxf.h"
#include "gxf/sdk/stream_uses.hpp"

namespace nvidia {
namespace gxf {

namespace sdk __attribute__((visibility("hidden"))) {

/// Messages of this extension may name streams.
inline const bool kNotesStreams = (before_publishing = &NoteStreams) != nullptr;

}  // namespace sdk

/// A payload.
struct CudaStreamId {
  /// The stream; `kNullUid`: none.
  gxf_uid_t stream_cid = kNullUid;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CUDA_CUDA_STREAM_ID_HPP_
