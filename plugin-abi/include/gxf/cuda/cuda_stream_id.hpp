/// Which stream the data of a message was written on.
#ifndef NVIDIA_GXF_CUDA_CUDA_STREAM_ID_HPP_
#define NVIDIA_GXF_CUDA_CUDA_STREAM_ID_HPP_

#include "gxf/core/gxf.h"

namespace nvidia {
namespace gxf {

/// A payload.
struct CudaStreamId {
  /// The stream; `kNullUid`: none.
  gxf_uid_t stream_cid = kNullUid;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CUDA_CUDA_STREAM_ID_HPP_
