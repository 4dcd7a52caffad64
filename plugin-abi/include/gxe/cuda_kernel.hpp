/// Kernels on devices, for codelets in C++ that need no CUDA to be built: `CudaWork` allocates memory,
/// launches kernels from PTX text, and orders them after other work, on the device. With CUDA's own
/// headers and compiler, use streams of `gxf/cuda` instead.
#ifndef GXE_CUDA_KERNEL_HPP_
#define GXE_CUDA_KERNEL_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "gxf/core/entity.hpp"
#include "gxf/core/handle.hpp"
#include "gxf/cuda/cuda_buffer.hpp"
#include "gxf/cuda/cuda_stream.hpp"
#include "gxf/cuda/cuda_stream_id.hpp"
#include "gxf/std/allocator.hpp"
#include "gxf/std/memory_buffer.hpp"

namespace gxe {

/// A payload: the point in the work of a stream at which the data of a message is valid.
class CudaFence {
 public:
  CudaFence() = default;
  CudaFence(const CudaFence&) = delete;
  CudaFence& operator=(const CudaFence&) = delete;
  CudaFence(CudaFence&& other) noexcept : fence_(std::exchange(other.fence_, GxeCudaFence{})) {}
  CudaFence& operator=(CudaFence&& other) noexcept {
    if (this != &other) {
      Release();
      fence_ = std::exchange(other.fence_, GxeCudaFence{});
    }
    return *this;
  }
  ~CudaFence() { Release(); }

 private:
  friend class CudaWork;

  void Release() {
    if (fence_.release != nullptr) { fence_.release(fence_.owner); }
  }

  GxeCudaFence fence_{};
};
static_assert(sizeof(CudaFence) == sizeof(GxeCudaFence), "messages share this layout");

/// A kernel: a function of PTX text, which the driver compiles for a device when that needs it first.
/// It has one parameter, a structure laid out like `Arguments`. Both texts are literals, or stay in
/// place until the process ends in another way.
template <typename Arguments>
struct CudaKernel {
  static_assert(std::is_trivially_copyable_v<Arguments>, "the device gets a copy of the bytes");

  const char* ptx;
  const char* name;
};

/// How many threads execute a kernel.
struct CudaGrid {
  std::array<uint32_t, 3> blocks{1, 1, 1};
  std::array<uint32_t, 3> threads{1, 1, 1};
  /// Memory that the threads of a block share, beside what the kernel itself declares.
  uint32_t shared_bytes = 0;

  /// Threads for a kernel with a loop over `steps` independent steps, in one dimension: a thread for
  /// each, up to 16 Mi; the loop does the rest.
  static CudaGrid ForSteps(uint64_t steps) {
    constexpr uint32_t kThreads = 256;
    constexpr uint64_t kBlocks = 65536;
    const uint64_t blocks = steps / kThreads + (steps % kThreads != 0 ? 1 : 0);
    return {{static_cast<uint32_t>(blocks < kBlocks ? blocks : kBlocks), 1, 1}, {kThreads, 1, 1}, 0};
  }
};

/// A piece of work for one message: what it waits for, the memory it uses, and a kernel. Nothing here
/// waits for the device.
class CudaWork {
 public:
  /// Work on this stream.
  explicit CudaWork(nvidia::gxf::Handle<nvidia::gxf::CudaStream> stream)
      : stream_(std::move(stream)) {}

  /// Orders the following work after that on the data of a message.
  nvidia::gxf::Expected<void> after(const nvidia::gxf::Entity& message) {
    const GxeCudaTable* const table = nvidia::gxf::sdk::CudaTable();
    if (table == nullptr) { return nvidia::gxf::Unexpected{GXF_NOT_IMPLEMENTED}; }
    const auto fences = message.findAllHeap<CudaFence>();
    if (!fences) { return nvidia::gxf::ForwardError(fences); }
    for (size_t i = 0; i < fences->size(); i++) {
      const auto waited = Wait(*table, fences->at(i).value()->fence_);
      if (!waited) { return waited; }
    }
    // Others may have enqueued more on the streams that it names, and sent it on with fences of before.
    const auto named = message.findAllHeap<nvidia::gxf::CudaStreamId>();
    if (!named) { return nvidia::gxf::ForwardError(named); }
    for (size_t i = 0; i < named->size(); i++) {
      const gxf_uid_t stream = named->at(i).value()->stream_cid;
      if (stream == kNullUid || stream == stream_.cid()) { continue; }
      CudaFence now;
      const GxeResultCode code = table->record(Context(), stream, &now.fence_);
      if (code != GxeResultCode_SUCCESS) {
        // With a fence, nothing is left to wait for of a stream that is gone.
        if (!fences->empty()) { continue; }
        return nvidia::gxf::Unexpected{nvidia::gxf::sdk::ToGxf(code)};
      }
      const auto waited = Wait(*table, now.fence_);
      if (!waited) { return waited; }
    }
    return nvidia::gxf::Success;
  }

  /// Memory for this work, which goes back to its allocator behind all work that uses it.
  nvidia::gxf::Expected<nvidia::gxf::MemoryBuffer> allocate(
      nvidia::gxf::Handle<nvidia::gxf::Allocator> allocator, uint64_t size,
      nvidia::gxf::MemoryStorageType storage = nvidia::gxf::MemoryStorageType::kDevice) {
    const GxeCudaTable* const table = nvidia::gxf::sdk::CudaTable();
    if (table == nullptr) { return nvidia::gxf::Unexpected{GXF_NOT_IMPLEMENTED}; }
    GxeMemoryBuffer memory{};
    gxf_uid_t stream = stream_.cid();
    const GxeResultCode code = table->allocate(Context(), allocator.cid(), size,
                                               static_cast<int32_t>(storage), kNullUid, &stream,
                                               &memory);
    if (code != GxeResultCode_SUCCESS) {
      return nvidia::gxf::Unexpected{nvidia::gxf::sdk::ToGxf(code)};
    }
    return nvidia::gxf::detail::MemoryAccess::Own(memory);
  }

  /// The address of memory that the kernel reads. A tensor's is `tensor.memory_buffer()`.
  template <typename T>
  const T* reads(nvidia::gxf::MemoryBuffer& memory) {
    return Use<T>(memory, false);
  }
  /// The address of memory that the kernel writes, and perhaps reads.
  template <typename T>
  T* writes(nvidia::gxf::MemoryBuffer& memory) {
    return Use<T>(memory, true);
  }

  /// Enqueues a kernel, which uses the memory named since the last one and no other.
  template <typename Arguments>
  nvidia::gxf::Expected<CudaFence> launch(const CudaKernel<Arguments>& kernel, const CudaGrid& grid,
                                          const Arguments& arguments) {
    static const auto* const table = static_cast<const GxeKernelTable*>(
        nvidia::gxf::sdk::Host().host_interface(GXE_TID_CUDA_KERNELS));
    const std::vector<GxeKernelUse> uses = std::exchange(uses_, {});
    if (table == nullptr) {
      GXF_LOG_ERROR("this gxe launches no kernels of extensions in C++; it is older than ABI 1.11");
      return nvidia::gxf::Unexpected{GXF_NOT_IMPLEMENTED};
    }
    GxeKernelLaunch launch{};
    launch.ptx = Text(kernel.ptx);
    launch.name = Text(kernel.name);
    for (size_t i = 0; i < 3; i++) {
      launch.blocks[i] = grid.blocks[i];
      launch.threads[i] = grid.threads[i];
    }
    launch.shared_bytes = grid.shared_bytes;
    launch.arguments = &arguments;
    launch.arguments_size = sizeof(Arguments);
    launch.uses = uses.data();
    launch.use_count = uses.size();
    CudaFence fence;
    const GxeResultCode code = table->launch(Context(), stream_.cid(), &launch, &fence.fence_);
    if (code != GxeResultCode_SUCCESS) {
      return nvidia::gxf::Unexpected{nvidia::gxf::sdk::ToGxf(code)};
    }
    return fence;
  }

  /// Says in a new message when its data is valid.
  static nvidia::gxf::Expected<void> set_fence(nvidia::gxf::Entity& message, CudaFence fence) {
    auto added = message.add<CudaFence>("fence");
    if (!added) { return nvidia::gxf::ForwardError(added); }
    *added.value() = std::move(fence);
    return nvidia::gxf::Success;
  }

 private:
  GxeContext* Context() const { return nvidia::gxf::sdk::ToAbi(stream_.context()); }

  static GxeText Text(const char* text) {
    return {reinterpret_cast<const uint8_t*>(text), std::strlen(text)};
  }

  nvidia::gxf::Expected<void> Wait(const GxeCudaTable& table, const GxeCudaFence& fence) const {
    return nvidia::gxf::ExpectedOrCode(
        nvidia::gxf::sdk::ToGxf(table.wait(Context(), stream_.cid(), &fence)));
  }

  template <typename T>
  T* Use(nvidia::gxf::MemoryBuffer& memory, bool is_write) {
    static_assert(sizeof(nvidia::gxf::MemoryBuffer) == sizeof(GxeMemoryBuffer), "one layout");
    uses_.push_back({reinterpret_cast<GxeMemoryBuffer*>(&memory), is_write});
    return reinterpret_cast<T*>(memory.pointer());
  }

  nvidia::gxf::Handle<nvidia::gxf::CudaStream> stream_;
  std::vector<GxeKernelUse> uses_;
};

}  // namespace gxe

#endif  // GXE_CUDA_KERNEL_HPP_
