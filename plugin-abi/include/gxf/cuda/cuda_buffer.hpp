/// Memory of a device that becomes valid some time.
#ifndef NVIDIA_GXF_CUDA_CUDA_BUFFER_HPP_
#define NVIDIA_GXF_CUDA_CUDA_BUFFER_HPP_

#include <cstdint>
#include <functional>
#include <utility>

#include "gxf/cuda/cuda_allocator.hpp"
#include "gxf/cuda/cuda_stream.hpp"
#include "gxf/cuda/cuda_stream_pool.hpp"
#include "gxf/std/memory_buffer.hpp"

namespace nvidia {
namespace gxf {

/// A payload: memory of a device, and the point in the work of a stream at which it is valid.
/// `libgxf_cuda.so` has the type. Unlike GXF's, its end makes no thread wait: the memory returns to
/// its allocator behind the work that uses it.
class CudaBuffer : public MemoryBuffer {
 public:
  enum class State : int32_t {
    /// Nothing was enqueued that makes the memory valid.
    UNSET = 0,
    /// The device has not reached the point yet.
    CALLBACK_REGISTERED = 1,
    /// The memory is valid.
    DATA_AVAILABLE = 2,
  };

  CudaBuffer() = default;
  CudaBuffer(const CudaBuffer&) = delete;
  CudaBuffer& operator=(const CudaBuffer&) = delete;
  ~CudaBuffer() { ReleaseFence(); }

  /// New memory for work on a stream, which comes from the pool unless one is given. A stream of the
  /// pool returns there with the memory.
  Expected<void> resizeAsync(Handle<CudaAllocator> allocator, Handle<CudaStreamPool> pool,
                             uint64_t size, Handle<CudaStream> stream = Handle<CudaStream>::Null()) {
    const GxeCudaTable* const table = sdk::CudaTable();
    if (table == nullptr) { return Unexpected{GXF_NOT_IMPLEMENTED}; }
    ReleaseFence();
    auto freed = freeBuffer();
    if (!freed) { return freed; }
    stream_cid_ = stream ? stream.cid() : kNullUid;
    GxeMemoryBuffer memory{};
    const GxeResultCode code =
        table->allocate(sdk::ToAbi(allocator.context()), allocator.cid(), size,
                        static_cast<int32_t>(MemoryStorageType::kDevice),
                        pool ? pool.cid() : kNullUid, &stream_cid_, &memory);
    if (code != GxeResultCode_SUCCESS) {
      stream_cid_ = kNullUid;
      return Unexpected{sdk::ToGxf(code)};
    }
    static_cast<MemoryBuffer&>(*this) = detail::MemoryAccess::Own(memory);
    return Success;
  }

  /// The stream of the work on the memory.
  Expected<Handle<CudaStream>> stream(gxf_context_t context) const {
    if (stream_cid_ == kNullUid) { return Unexpected{GXF_FAILURE}; }
    return Handle<CudaStream>::Create(context, stream_cid_);
  }

  /// Takes the stream out of the buffer. The caller gives it back to its pool.
  Expected<Handle<CudaStream>> transferStreamOwnership(gxf_context_t context) {
    const GxeCudaTable* const table = sdk::CudaTable();
    if (table == nullptr || stream_cid_ == kNullUid) { return Unexpected{GXF_FAILURE}; }
    const GxeResultCode code = table->take_stream(&detail::MemoryAccess::Abi(*this));
    if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
    return Handle<CudaStream>::Create(context, std::exchange(stream_cid_, kNullUid));
  }

  /// Says that the memory is valid once the stream has done its work so far, and calls back then, on
  /// a thread that may use CUDA.
  Expected<void> registerCallbackOnStream(gxf_context_t context,
                                          std::function<void()> callback = nullptr) {
    const GxeCudaTable* const table = sdk::CudaTable();
    if (table == nullptr || stream_cid_ == kNullUid) { return Unexpected{GXF_FAILURE}; }
    ReleaseFence();
    GxeResultCode code = table->record(sdk::ToAbi(context), stream_cid_, &fence_);
    if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
    state_ = 1;
    if (!callback) { return Success; }
    GxeCallback call{};
    call.user = new std::function<void()>(std::move(callback));
    call.call = [](void* user) {
      try {
        (*static_cast<std::function<void()>*>(user))();
      } catch (...) { GXF_LOG_ERROR("%s", sdk::Thrown("the callback of a buffer").c_str()); }
    };
    call.release = [](void* user) { delete static_cast<std::function<void()>*>(user); };
    code = table->when_done(&fence_, call);
    return ExpectedOrCode(sdk::ToGxf(code));
  }
  /// What is known of the data now.
  State state() const {
    if (state_ == 0) { return State::UNSET; }
    const GxeCudaTable* const table = sdk::CudaTable();
    bool done = false;
    const bool known =
        table != nullptr && table->is_done(&fence_, &done) == GxeResultCode_SUCCESS;
    return known && done ? State::DATA_AVAILABLE : State::CALLBACK_REGISTERED;
  }

 private:
  void ReleaseFence() {
    if (fence_.release != nullptr) { fence_.release(fence_.owner); }
    fence_ = GxeCudaFence{};
    state_ = 0;
  }

  // Behind the memory, as in GxeCudaBuffer.
  GxeCudaFence fence_{};
  gxf_uid_t stream_cid_ = kNullUid;
  uint32_t state_ = 0;
  uint32_t reserved_ = 0;
};
static_assert(sizeof(CudaBuffer) == sizeof(GxeCudaBuffer), "the type that libgxf_cuda.so registers");

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CUDA_CUDA_BUFFER_HPP_
