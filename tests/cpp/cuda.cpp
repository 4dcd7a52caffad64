// Streams and memory of libgxf_cuda.so in C++: one from a pool, and memory in its order.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "gxf/core/gxf.h"
#include "gxf/cuda/cuda_allocator.hpp"
#include "gxf/cuda/cuda_buffer.hpp"
#include "gxf/cuda/cuda_event.hpp"
#include "gxf/cuda/cuda_scheduling_terms.hpp"
#include "gxf/cuda/cuda_stream.hpp"
#include "gxf/cuda/cuda_stream_id.hpp"
#include "gxf/cuda/cuda_stream_pool.hpp"
#include "gxf/cuda/cuda_stream_sync.hpp"
#include "gxf/cuda/stream_ordered_allocator.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/transmitter.hpp"

namespace streams {

using namespace std::chrono_literals;

using nvidia::gxf::Codelet;
using nvidia::gxf::CudaAllocator;
using nvidia::gxf::CudaBuffer;
using nvidia::gxf::CudaEvent;
using nvidia::gxf::CudaStream;
using nvidia::gxf::CudaStreamId;
using nvidia::gxf::CudaStreamPool;
using nvidia::gxf::Entity;
using nvidia::gxf::Expected;
using nvidia::gxf::Handle;
using nvidia::gxf::MemoryStorageType;
using nvidia::gxf::Parameter;
using nvidia::gxf::Receiver;
using nvidia::gxf::Registrar;
using nvidia::gxf::ToResultCode;
using nvidia::gxf::Transmitter;

class Sender : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(tx_, "tx");
    result &= registrar->parameter(pool_, "pool");
    result &= registrar->parameter(allocator_, "allocator");
    result &= registrar->parameter(ordered_, "allocator_by_type");
    return ToResultCode(result);
  }
  gxf_result_t start() override {
    auto stream = pool_->allocateStream();
    if (!stream) { return stream.error(); }
    stream_ = stream.value();
    nvidia::gxf::Tensor pinned;
    const auto wrapped = pinned.wrapMemory(
        nvidia::gxf::Shape{1}, nvidia::gxf::PrimitiveType::kUnsigned8, 1,
        nvidia::gxf::Unexpected{GXF_UNINITIALIZED_VALUE}, MemoryStorageType::kHost, this, nullptr);
    if (!wrapped) { return wrapped.error(); }
    // Nobody reads it.
    nvidia::gxf::Tensor elsewhere;
    const auto stated = elsewhere.wrapMemory(
        nvidia::gxf::Shape{1}, nvidia::gxf::PrimitiveType::kUnsigned8, 1,
        nvidia::gxf::Unexpected{GXF_UNINITIALIZED_VALUE}, MemoryStorageType::kDevice, this, nullptr);
    auto& memory = elsewhere.memory_buffer();
    if (!stated || memory.device() != 0 || memory.setDevice(-1) || memory.setDevice(256) ||
        !memory.setDevice(3) || memory.device() != 3 || elsewhere.device()->device_id != 3) {
      return GXF_FAILURE;
    }
    const auto exported = pinned.toDLPack();
    if (!exported) { return exported.error(); }
    const nvidia::gxf::Tensor back(exported.value());
    GXF_LOG_INFO("host memory is %d in DLPack, and %d again",
                 static_cast<int>(exported.value()->dl_tensor.device.device_type),
                 static_cast<int>(back.storage_type()));
    return GXF_SUCCESS;
  }
  gxf_result_t tick() override {
    const auto stream = stream_->stream();
    if (!stream) { return stream.error(); }
    auto memory = allocator_->allocate_async(1000, stream.value());
    if (!memory) { return memory.error(); }
    held_ = std::max(held_, allocator_->get_pool_size(MemoryStorageType::kDevice));
    const auto freed = allocator_->free_async(memory.value(), stream.value());
    if (!freed) { return freed.error(); }
    auto message = Entity::New(context());
    if (!message) { return message.error(); }
    auto id = message->add<CudaStreamId>("stream");
    if (!id) { return id.error(); }
    id.value()->stream_cid = stream_.cid();
    if (!ordered_->is_available(500)) { return GXF_FAILURE; }
    auto buffer = message->add<CudaBuffer>("buffer");
    if (!buffer) { return buffer.error(); }
    if (buffer.value()->state() != CudaBuffer::State::UNSET) { return GXF_FAILURE; }
    // The first ones on a stream of the pool, which goes home with the memory, the others on ours.
    const bool own = calls_ > 1;
    const auto resized = own ? buffer.value()->resizeAsync(allocator_, pool_, 500, stream_)
                             : buffer.value()->resizeAsync(allocator_, pool_, 500);
    if (!resized) { return resized.error(); }
    if (buffer.value()->size() != 500 || !buffer.value()->stream(context())) { return GXF_FAILURE; }
    const auto registered =
        buffer.value()->registerCallbackOnStream(context(), [this] { buffers_++; });
    if (!registered) { return registered.error(); }
    if (!own && ++taken_ == 1) {
      const auto taken = buffer.value()->transferStreamOwnership(context());
      if (!taken) { return taken.error(); }
      const auto released = pool_->releaseStream(taken.value());
      if (!released) { return released.error(); }
    }
    const auto recorded = stream_->record(nullptr, [this](cudaEvent_t) { calls_++; });
    if (!recorded) { return recorded.error(); }
    return ToResultCode(tx_->publish(message.value(), 0));
  }
  gxf_result_t stop() override {
    const auto synced = stream_->syncStream();
    if (!synced) { return synced.error(); }
    const auto reset = stream_->resetEvents();
    if (!reset) { return reset.error(); }
    for (int i = 0; i < 10000 && buffers_ < calls_; i++) { std::this_thread::sleep_for(1ms); }
    const uint64_t on_host = allocator_->get_pool_size(MemoryStorageType::kHost);
    GXF_LOG_INFO("streams: %d calls, device %d, %d bytes on the host", calls_.load(),
                 stream_->dev_id(), static_cast<int>(on_host));
    GXF_LOG_INFO("%d buffers were valid", buffers_.load());
    GXF_LOG_INFO("the pool had %s bytes", held_ < 1000 ? "no" : "its");
    return ToResultCode(pool_->releaseStream(stream_));
  }

 private:
  Parameter<Handle<Transmitter>> tx_;
  Parameter<Handle<CudaStreamPool>> pool_;
  Parameter<Handle<CudaAllocator>> allocator_;
  Handle<CudaStream> stream_ = Handle<CudaStream>::Null();
  Parameter<Handle<nvidia::gxf::StreamOrderedAllocator>> ordered_;
  std::atomic<int> calls_{0};
  std::atomic<int> buffers_{0};
  int taken_ = 0;
  uint64_t held_ = 0;
};

}  // namespace streams

GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x2f6d1b84c05e4793, 0xa1b7e3905d28f64c, "StreamsExtension", "Streams in C++",
                         "gxe", "1.0.0", "Apache-2.0");
GXF_EXT_FACTORY_ADD(0x81c5f20e7a934db6, 0x94e0d7263fb815ca, streams::Sender, nvidia::gxf::Codelet,
                    "Enqueues work");
GXF_EXT_FACTORY_END()
