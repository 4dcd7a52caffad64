/// What tells memory of devices which streams use it, when codelets that call CUDA themselves publish
/// messages that name their streams.
#ifndef GXF_SDK_STREAM_USES_HPP_
#define GXF_SDK_STREAM_USES_HPP_

#include <cstdint>
#include <vector>

#include "gxf/sdk/types.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

/// The host's functions for memory and fences of devices; null if the host has none.
inline const GxeCudaTable* CudaTable() {
  static const auto* const table =
      static_cast<const GxeCudaTable*>(Host().host_interface(GXE_TID_CUDA));
  return table;
}

/// Called with each message before it is published; null in extensions that know no streams.
inline void (*before_publishing)(gxf_context_t context, GxeMessage* message) = nullptr;

/// The memory of a payload; null for types without.
inline const GxeMemoryBuffer* MemoryOf(const GxePayloadRef& payload) {
  const gxf_tid_t tid = ToGxf(payload.tid);
  if (tid == ToGxf(GxeTid GXE_TID_TENSOR)) { return &static_cast<const GxeTensor*>(payload.data)->memory; }
  if (tid == ToGxf(GxeTid GXE_TID_VIDEO_BUFFER)) {
    return &static_cast<const GxeVideoBuffer*>(payload.data)->memory;
  }
  if (tid == ToGxf(GxeTid GXE_TID_AUDIO_BUFFER)) {
    return &static_cast<const GxeAudioBuffer*>(payload.data)->memory;
  }
  if (tid == ToGxf(GxeTid GXE_TID_CUDA_BUFFER)) {
    return &static_cast<const GxeCudaBuffer*>(payload.data)->memory;
  }
  return nullptr;
}

/// Tells the memory of a message that the streams it names use it up to now. A message with a fence
/// is left alone: whoever added that has done so.
inline void NoteStreams(gxf_context_t context, GxeMessage* message) {
  const gxf_tid_t stream_id = ToGxf(GxeTid GXE_TID_CUDA_STREAM_ID);
  const gxf_tid_t fence_id = ToGxf(GxeTid GXE_TID_CUDA_FENCE);
  const GxeHostTable& host = Host();
  std::vector<gxf_uid_t> streams;
  std::vector<const GxeMemoryBuffer*> memory;
  GxePayloadRef payload{};
  for (size_t i = 0; host.message_at(message, i, &payload) == GxeResultCode_SUCCESS; i++) {
    const gxf_tid_t tid = ToGxf(payload.tid);
    if (tid == fence_id) { return; }
    if (tid == stream_id) {
      const auto* const id = static_cast<const GxeCudaStreamId*>(payload.data);
      if (id->stream_cid != kNullUid) { streams.push_back(id->stream_cid); }
    } else if (const GxeMemoryBuffer* const of = MemoryOf(payload); of != nullptr) {
      memory.push_back(of);
    }
  }
  const GxeCudaTable* const table = CudaTable();
  if (streams.empty() || memory.empty() || table == nullptr) { return; }
  // What comes after a write comes after all before it, so only the first is one.
  bool is_write = true;
  for (const gxf_uid_t stream : streams) {
    GxeCudaFence fence{};
    // Whoever reads the data finds a stream that is gone.
    if (table->record(ToAbi(context), stream, &fence) != GxeResultCode_SUCCESS) { continue; }
    for (const GxeMemoryBuffer* const each : memory) { table->after_use(each, &fence, is_write); }
    if (fence.release != nullptr) { fence.release(fence.owner); }
    is_write = false;
  }
}

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_STREAM_USES_HPP_
