/// Streams of a device.
#ifndef NVIDIA_GXF_CUDA_CUDA_STREAM_HPP_
#define NVIDIA_GXF_CUDA_CUDA_STREAM_HPP_

#include <cstdint>
#include <functional>
#include <utility>

#include "gxf/core/component.hpp"
#include "gxf/core/entity.hpp"
#include "gxf/core/handle.hpp"
#include "gxf/cuda/cuda_common.hpp"
#include "gxf/cuda/cuda_event.hpp"
#include "gxf/sdk/announce.hpp"
#include "gxf/sdk/guard.hpp"
#include "gxf/sdk/proxies/proxy.hpp"

namespace nvidia {
namespace gxf {

/// A stream that a `CudaStreamPool` lends.
class CudaStream : public Component {
 public:
  virtual Expected<cudaStream_t> stream() const = 0;
  /// Number of the device; -1: none.
  virtual int32_t dev_id() const = 0;
  /// Waits until the device has done all work of the stream.
  virtual Expected<void> syncStream() = 0;
  /// Waits until all callbacks are done.
  virtual Expected<void> resetEvents() = 0;
  /// As below, without a callback.
  Expected<void> record(cudaEvent_t event) { return record(event, std::function<void(cudaEvent_t)>()); }
  /// Records the event, and calls back when the device has reached it.
  Expected<void> record(cudaEvent_t event, std::function<void(cudaEvent_t)> callback) {
    return Record(event, [event, callback = std::move(callback)] {
      if (callback) { callback(event); }
    });
  }
  /// As above, for an event that is a payload; keeps the message until then.
  Expected<void> record(Handle<CudaEvent> event, Entity message,
                        std::function<void()> callback = nullptr) {
    const auto recorded = event->event();
    if (!recorded) { return ForwardError(recorded); }
    return Record(recorded.value(), [message, callback = std::move(callback)] {
      if (callback) { callback(); }
    });
  }

 protected:
  virtual Expected<void> Record(cudaEvent_t event, std::function<void()> function) = 0;
};

namespace sdk __attribute__((visibility("hidden"))) {

class CudaStreamProxy : public CudaStream {
 public:
  Expected<void> Connect() { return stream_.Connect(context(), cid(), GXE_TID_CUDA_STREAM); }
  Expected<cudaStream_t> stream() const override {
    void* const stream = stream_.table().stream(stream_.object());
    if (stream == nullptr) { return Unexpected{GXF_INVALID_LIFECYCLE_STAGE}; }
    return static_cast<cudaStream_t>(stream);
  }
  int32_t dev_id() const override { return stream_.table().device(stream_.object()); }
  Expected<void> syncStream() override {
    return ExpectedOrCode(ToGxf(stream_.table().synchronize(stream_.object())));
  }
  Expected<void> resetEvents() override {
    return ExpectedOrCode(ToGxf(stream_.table().reset_events(stream_.object())));
  }

 protected:
  Expected<void> Record(cudaEvent_t event, std::function<void()> function) override {
    GxeCallback callback{};
    callback.user = new Function(std::move(function));
    callback.call = [](void* user) {
      try {
        (*static_cast<Function*>(user))();
      } catch (...) { GXF_LOG_ERROR("%s", Thrown("the callback of a stream").c_str()); }
    };
    callback.release = [](void* user) { delete static_cast<Function*>(user); };
    return ExpectedOrCode(ToGxf(stream_.table().record(stream_.object(), event, callback)));
  }

 private:
  using Function = std::function<void()>;

  Link<GxeCudaStreamVtable> stream_;
};
template <>
struct Proxy<CudaStream> : ProxyOf<CudaStreamProxy> {};
inline const Announced<CudaStream> kCudaStreamAnnounced;

}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CUDA_CUDA_STREAM_HPP_
