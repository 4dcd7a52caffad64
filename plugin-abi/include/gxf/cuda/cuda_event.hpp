/// Events of a device.
#ifndef NVIDIA_GXF_CUDA_CUDA_EVENT_HPP_
#define NVIDIA_GXF_CUDA_CUDA_EVENT_HPP_

#include <cstdint>
#include <functional>
#include <utility>

#include "gxf/cuda/cuda_common.hpp"
#include "gxf/plugin_abi.h"

namespace nvidia {
namespace gxf {

/// A payload: an event of CUDA's. `libgxf_cuda.so` has the type.
class CudaEvent {
 public:
  CudaEvent() = default;
  ~CudaEvent() { Release(); }
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;

#if __has_include(<cuda_runtime.h>)
  /// Creates an event on a device; -1: the current one.
  Expected<void> init(uint32_t flags = 0, int32_t dev_id = -1) {
    if (dev_id >= 0) { CHECK_CUDA_ERROR(cudaSetDevice(dev_id), "cannot use device %d", dev_id); }
    cudaEvent_t event = nullptr;
    CHECK_CUDA_ERROR(cudaEventCreateWithFlags(&event, flags), "cannot create an event");
    return initWithEvent(event, dev_id, [](cudaEvent_t event) {
      CONTINUE_CUDA_ERROR(cudaEventDestroy(event), "cannot destroy an event");
    });
  }
#endif
  /// Adopts an event; `free_fnc` is called with it at the end.
  Expected<void> initWithEvent(cudaEvent_t event, int32_t dev_id = -1,
                               std::function<void(cudaEvent_t)> free_fnc = nullptr) {
    Release();
    event_ = event;
    dev_id_ = dev_id;
    if (free_fnc) {
      free_.user = new Owned{event, std::move(free_fnc)};
      free_.call = [](void* user) {
        auto* owned = static_cast<Owned*>(user);
        owned->second(owned->first);
      };
      free_.release = [](void* user) { delete static_cast<Owned*>(user); };
    }
    return Success;
  }
  /// Gives the event back.
  Expected<void> deinit() {
    Release();
    return Success;
  }
  Expected<cudaEvent_t> event() const {
    if (event_ == nullptr) { return Unexpected{GXF_FAILURE}; }
    return event_;
  }
  /// Number of the device; -1: unknown.
  int32_t dev_id() const { return dev_id_; }

 private:
  using Owned = std::pair<cudaEvent_t, std::function<void(cudaEvent_t)>>;

  void Release() {
    if (free_.call != nullptr) { free_.call(free_.user); }
    if (free_.release != nullptr) { free_.release(free_.user); }
    free_ = GxeCallback{};
    event_ = nullptr;
    dev_id_ = -1;
  }

  cudaEvent_t event_ = nullptr;
  int32_t dev_id_ = -1;
  uint32_t reserved_ = 0;
  GxeCallback free_{};
};
static_assert(sizeof(CudaEvent) == sizeof(GxeCudaEvent), "the type that libgxf_cuda.so registers");

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CUDA_CUDA_EVENT_HPP_
