// An extension that uses CUDA's runtime library beside gxf/cuda and gxf/rmm, as published ones do: streams
// of an optional pool, memory of an allocator for streams, events and buffers in messages, and a term
// that asks the device itself. gxf/cuda brings CUDA's header, with the functions that know types.
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "gxf/core/expected_macro.hpp"
#include "gxf/core/gxf.h"
#include "gxf/core/registrar.hpp"
#include "gxf/cuda/cuda_allocator.hpp"
#include "gxf/cuda/cuda_buffer.hpp"
#include "gxf/cuda/cuda_common.hpp"
#include "gxf/cuda/cuda_event.hpp"
#include "gxf/cuda/cuda_scheduling_terms.hpp"
#include "gxf/cuda/cuda_stream.hpp"
#include "gxf/cuda/cuda_stream_id.hpp"
#include "gxf/cuda/cuda_stream_pool.hpp"
#include "gxf/cuda/cuda_stream_sync.hpp"
#include "gxf/cuda/stream_ordered_allocator.hpp"
#include "gxf/multimedia/video.hpp"
#include "gxf/rmm/rmm_allocator.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/resources.hpp"
#include "gxf/std/scheduling_term.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/transmitter.hpp"

namespace toolkit {

using nvidia::byte;
using nvidia::gxf::Allocator;
using nvidia::gxf::Codelet;
using nvidia::gxf::CudaAllocator;
using nvidia::gxf::CudaBuffer;
using nvidia::gxf::CudaEvent;
using nvidia::gxf::CudaStream;
using nvidia::gxf::CudaStreamId;
using nvidia::gxf::CudaStreamPool;
using nvidia::gxf::Entity;
using nvidia::gxf::Expected;
using nvidia::gxf::GPUDevice;
using nvidia::gxf::Handle;
using nvidia::gxf::MemoryBuffer;
using nvidia::gxf::MemoryStorageType;
using nvidia::gxf::Parameter;
using nvidia::gxf::PrimitiveType;
using nvidia::gxf::Receiver;
using nvidia::gxf::Registrar;
using nvidia::gxf::Resource;
using nvidia::gxf::RMMAllocator;
using nvidia::gxf::SchedulingConditionType;
using nvidia::gxf::SchedulingTerm;
using nvidia::gxf::Shape;
using nvidia::gxf::SurfaceLayout;
using nvidia::gxf::Tensor;
using nvidia::gxf::ToResultCode;
using nvidia::gxf::Transmitter;
using nvidia::gxf::Unexpected;
using nvidia::gxf::VideoBuffer;
using nvidia::gxf::VideoFormat;

// The stream of an operator, from a pool that need not be there, behind the streams of its messages.
class OwnStream {
 public:
  ~OwnStream() {
    for (const auto event : events_) { CONTINUE_CUDA_ERROR(cudaEventDestroy(event), "an event"); }
  }
  Expected<void> Register(Registrar* registrar) {
    return registrar->parameter(pool_, "cuda_stream_pool", "Streams", "Where the stream is from",
                                Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
  }
  Expected<cudaStream_t> Get() {
    const auto pool = pool_.try_get();
    if (!stream_ && pool) { stream_ = GXF_UNWRAP_OR_RETURN(pool.value()->allocateStream()); }
    if (!stream_) { return cudaStream_t{nullptr}; }
    return stream_->stream();
  }
  Expected<void> Follow(gxf_context_t context, const Entity& message) {
    const auto own = GXF_UNWRAP_OR_RETURN(Get());
    const auto id = message.get<CudaStreamId>();
    if (!id) { return nvidia::gxf::Success; }
    const auto other =
        GXF_UNWRAP_OR_RETURN(Handle<CudaStream>::Create(context, id.value()->stream_cid));
    cudaEvent_t event = nullptr;
    CHECK_CUDA_ERROR(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event %d", 1);
    events_.push_back(event);
    CHECK_CUDA_ERROR(cudaEventRecord(event, other->stream().value()), "recording");
    CHECK_CUDA_ERROR(cudaStreamWaitEvent(own, event, 0), "waiting");
    return nvidia::gxf::Success;
  }
  Expected<void> Mark(Entity& message) {
    if (!stream_) { return nvidia::gxf::Success; }
    const auto id = GXF_UNWRAP_OR_RETURN(message.add<CudaStreamId>("stream"));
    id->stream_cid = stream_.cid();
    return nvidia::gxf::Success;
  }

 private:
  Parameter<Handle<CudaStreamPool>> pool_;
  Handle<CudaStream> stream_ = Handle<CudaStream>::Null();
  std::vector<cudaEvent_t> events_;
};

// Sends a frame, a tensor, a buffer and an event, all of one stream.
class Source : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(tx_, "signal", "Signal", "What it sends");
    result &= registrar->parameter(frames_, "frames", "Frames", "Memory of the frames");
    result &= registrar->parameter(allocator_, "allocator", "Allocator", "Memory of the rest");
    result &= registrar->parameter(rmm_, "rmm", "RMM", "The same by its type",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(streams_, "streams", "Streams", "Where the stream is from");
    result &= registrar->resource(device_, "The device of the group");
    return ToResultCode(result);
  }
  gxf_result_t start() override {
    stream_ = GXF_UNWRAP_OR_RETURN(streams_->allocateStream());
    float* numbers = nullptr;
    CHECK_CUDA_ERROR_RESULT(cudaMalloc(&numbers, 64 * sizeof(float)), "memory of its own");
    CHECK_CUDA_ERROR_RESULT(cudaFree(numbers), "memory of its own");
    return GXF_SUCCESS;
  }
  gxf_result_t tick() override {
    auto message = GXF_UNWRAP_OR_RETURN(Entity::New(context()));
    const auto stream = GXF_UNWRAP_OR_RETURN(stream_->stream());
    auto frame = GXF_UNWRAP_OR_RETURN(message.add<VideoBuffer>("frame"));
    RETURN_IF_ERROR(frame->resize<VideoFormat::GXF_VIDEO_FORMAT_RGB>(
        16u, 4u, SurfaceLayout::GXF_SURFACE_LAYOUT_PITCH_LINEAR, MemoryStorageType::kDevice, frames_,
        false));
    CHECK_CUDA_ERROR_RESULT(cudaMemsetAsync(frame->pointer(), 1, frame->size(), stream), "frame");

    auto tensor = GXF_UNWRAP_OR_RETURN(message.add<Tensor>("numbers"));
    byte* const numbers = GXF_UNWRAP_OR_RETURN(allocator_->allocate_async(64, stream));
    CHECK_CUDA_ERROR_RESULT(cudaMemsetAsync(numbers, 2, 64, stream), "%s", "numbers");
    RETURN_IF_ERROR(tensor->wrapMemory(
        Shape{64}, PrimitiveType::kUnsigned8, 1, Unexpected{GXF_UNINITIALIZED_VALUE},
        MemoryStorageType::kDevice, numbers,
        [allocator = allocator_.get(), stream = stream_](void* pointer) mutable -> Expected<void> {
          return allocator->free_async(static_cast<byte*>(pointer), stream->stream().value());
        }));

    auto buffer = GXF_UNWRAP_OR_RETURN(message.add<CudaBuffer>("buffer"));
    RETURN_IF_ERROR(buffer->resizeAsync(allocator_, streams_, 128, stream_));
    CHECK_CUDA_ERROR_RESULT(cudaMemsetAsync(buffer->pointer(), 3, buffer->size(), stream), "buffer");
    if (buffer->state() != CudaBuffer::State::UNSET) { return GXF_FAILURE; }
    RETURN_IF_ERROR(buffer->registerCallbackOnStream(context(), [this] { valid_++; }));

    auto event = GXF_UNWRAP_OR_RETURN(message.add<CudaEvent>("done"));
    RETURN_IF_ERROR(event->init(cudaEventDisableTiming, stream_->dev_id()));
    RETURN_IF_ERROR(stream_->record(event, message, [this] { reached_++; }));
    const auto id = GXF_UNWRAP_OR_RETURN(message.add<CudaStreamId>("stream"));
    id->stream_cid = stream_.cid();
    return ToResultCode(tx_->publish(message));
  }
  gxf_result_t stop() override {
    RETURN_IF_ERROR(stream_->syncStream());
    RETURN_IF_ERROR(stream_->resetEvents());
    const auto device = device_.try_get();
    GXF_LOG_INFO("%d events, device %d, %s", reached_.load(),
                 device ? static_cast<int>(device.value()->device_id()) : -1,
                 rmm_.try_get() ? "RMM" : "no RMM");
    return ToResultCode(streams_->releaseStream(stream_));
  }

 private:
  Parameter<Handle<Transmitter>> tx_;
  Parameter<Handle<Allocator>> frames_;
  Parameter<Handle<CudaAllocator>> allocator_;
  Parameter<Handle<RMMAllocator>> rmm_;
  Parameter<Handle<CudaStreamPool>> streams_;
  Resource<Handle<GPUDevice>> device_;
  Handle<CudaStream> stream_ = Handle<CudaStream>::Null();
  std::atomic<int> reached_{0};
  std::atomic<int> valid_{0};
};

// Lets an entity tick when the device has reached the event of a message.
class Reached : public SchedulingTerm {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(receiver_, "receiver", "Receiver", "To watch"));
  }
  gxf_result_t check_abi(int64_t, SchedulingConditionType* type, int64_t*) const override {
    *type = SchedulingConditionType::WAIT;
    if (receiver_->back_size() == 0) { return GXF_SUCCESS; }
    auto message = GXF_UNWRAP_OR_RETURN(receiver_->peekBack());
    const auto event = GXF_UNWRAP_OR_RETURN(message.get<CudaEvent>("done"));
    if (cudaEventQuery(event->event().value()) == cudaSuccess) {
      *type = SchedulingConditionType::READY;
    } else {
      *type = SchedulingConditionType::WAIT_TIME;
    }
    return GXF_SUCCESS;
  }
  gxf_result_t onExecute_abi(int64_t) override { return GXF_SUCCESS; }

 private:
  Parameter<Handle<Receiver>> receiver_;
};

// Copies all of a message to the host on a stream of its own, and adds up.
class Sum : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(rx_, "in", "In", "What it adds up");
    result &= registrar->parameter(pool_, "pool", "Pool", "Memory on the host");
    result &= stream_.Register(registrar);
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    auto message = GXF_UNWRAP_OR_RETURN(rx_->receive());
    RETURN_IF_ERROR(stream_.Follow(context(), message));
    const auto frame = GXF_UNWRAP_OR_RETURN(message.get<VideoBuffer>());
    const auto numbers = GXF_UNWRAP_OR_RETURN(message.get<Tensor>("numbers"));
    const auto buffer = GXF_UNWRAP_OR_RETURN(message.get<CudaBuffer>());
    for (const auto& [pointer, size] : {std::pair{frame->pointer(), frame->size()},
                                        std::pair{numbers->pointer(), numbers->size()},
                                        std::pair{buffer->pointer(), buffer->size()}}) {
      MemoryBuffer host;
      RETURN_IF_ERROR(host.resize(pool_, size, MemoryStorageType::kHost));
      const auto stream = GXF_UNWRAP_OR_RETURN(stream_.Get());
      CHECK_CUDA_ERROR_RESULT(
          cudaMemcpyAsync(host.pointer(), pointer, size, cudaMemcpyDeviceToHost, stream), "copy");
      CHECK_CUDA_ERROR_RESULT(cudaStreamSynchronize(stream), "stream");
      for (uint64_t i = 0; i < size; i++) { sum_ += static_cast<int>(host.pointer()[i]); }
    }
    if (buffer->state() != CudaBuffer::State::DATA_AVAILABLE) { return GXF_FAILURE; }
    return ToResultCode(stream_.Mark(message));
  }
  gxf_result_t stop() override {
    GXF_LOG_INFO("the sum is %d", sum_);
    return GXF_SUCCESS;
  }

 private:
  Parameter<Handle<Receiver>> rx_;
  Parameter<Handle<Allocator>> pool_;
  OwnStream stream_;
  int sum_ = 0;
};

}  // namespace toolkit

GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x2c2e91f7d4a84b03, 0x8d5f3a1b7e60c926, "ToolkitExtension",
                         "Calls CUDA's runtime library", "gxe", "1.0.0", "Apache-2.0");
GXF_EXT_FACTORY_ADD(0x2b7de08253f14c9a, 0xb6a19c7f02e8d347, toolkit::Source, nvidia::gxf::Codelet,
                    "Sends what a device makes");
GXF_EXT_FACTORY_ADD(0x2a0c4d7be3f1482c, 0x87d5e6b2c14f09a5, toolkit::Reached,
                    nvidia::gxf::SchedulingTerm, "Waits for an event");
GXF_EXT_FACTORY_ADD(0x2d0c4d7be3f1482c, 0x87d5e6b2c14f09a6, toolkit::Sum, nvidia::gxf::Codelet,
                    "Adds up what a device made");
GXF_EXT_FACTORY_END()
