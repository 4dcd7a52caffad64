// What an extension does that calls CUDA itself: work of its own on a stream of a pool, on memory of an
// allocator and on memory that does not know its users, in messages that only name the stream.
#include <dlfcn.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <thread>
#include <vector>

#include "gxe/cuda_kernel.hpp"
#include "gxf/core/gxf.h"
#include "gxf/cuda/cuda_allocator.hpp"
#include "gxf/cuda/cuda_buffer.hpp"
#include "gxf/cuda/cuda_stream.hpp"
#include "gxf/cuda/cuda_stream_id.hpp"
#include "gxf/cuda/cuda_stream_pool.hpp"
#include "gxf/std/allocator.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/transmitter.hpp"
#include "gxf/stream/stream_sync.hpp"

namespace foreign {

using nvidia::gxf::Allocator;
using nvidia::gxf::Codelet;
using nvidia::gxf::CudaStream;
using nvidia::gxf::CudaStreamId;
using nvidia::gxf::CudaStreamPool;
using nvidia::gxf::Entity;
using nvidia::gxf::Expected;
using nvidia::gxf::Handle;
using nvidia::gxf::MemoryStorageType;
using nvidia::gxf::Parameter;
using nvidia::gxf::Registrar;
using nvidia::gxf::Shape;
using nvidia::gxf::StreamSync;
using nvidia::gxf::StreamSyncId;
using nvidia::gxf::Tensor;
using nvidia::gxf::ToResultCode;
using nvidia::gxf::Transmitter;

// A function of the driver that gxe has opened.
template <typename F>
F driver(const char* name) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return library == nullptr ? nullptr : reinterpret_cast<F>(dlsym(library, name));
}

// A codelet with a stream of a pool and memory of its own.
class OnStream : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(tx_, "tx");
    result &= registrar->parameter(pool_, "pool");
    result &= registrar->parameter(streams_, "streams");
    result &= registrar->parameter(order_, "order", "Order", "Orders streams",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    return ToResultCode(result);
  }
  gxf_result_t start() override {
    auto stream = streams_->allocateStream();
    if (!stream) { return stream.error(); }
    stream_ = stream.value();
    return GXF_SUCCESS;
  }
  gxf_result_t stop() override {
    const auto synced = stream_->syncStream();
    if (!synced) { return synced.error(); }
    return ToResultCode(streams_->releaseStream(stream_));
  }

 protected:
  // Calls a function of the driver, whose last argument is the stream, in the device's context.
  template <typename From>
  bool copy(const char* name, Tensor& to, From from, size_t size) {
    return copy_on(stream_, name, to, from, size);
  }
  template <typename From>
  static bool copy_on(const Handle<CudaStream>& of, const char* name, Tensor& to, From from, size_t size) {
    const auto stream = of->stream();
    const auto retain = driver<unsigned (*)(void**, int)>("cuDevicePrimaryCtxRetain");
    const auto push = driver<unsigned (*)(void*)>("cuCtxPushCurrent_v2");
    const auto pop = driver<unsigned (*)(void**)>("cuCtxPopCurrent_v2");
    const auto function = driver<unsigned (*)(uint64_t, From, size_t, void*)>(name);
    void* device = nullptr;
    if (!stream || retain == nullptr || retain(&device, 0) != 0 || push(device) != 0) {
      return false;
    }
    const auto code = function(reinterpret_cast<uint64_t>(to.pointer()), from, size,
                               reinterpret_cast<void*>(stream.value()));
    pop(&device);
    return code == 0;
  }

  // Publishes a message that names the stream or, if there is one, what orders others behind it.
  gxf_result_t publish(Entity& message) {
    const auto order = order_.try_get();
    if (!order) { return publish_on(message, stream_.cid()); }
    auto id = message.add<StreamSyncId>("order");
    const auto stream = stream_->stream();
    if (!id || !stream || !order.value()->signal(stream.value())) { return GXF_FAILURE; }
    id.value()->stream_sync_cid = order.value().cid();
    return ToResultCode(tx_->publish(message, 0));
  }
  gxf_result_t publish_on(Entity& message, gxf_uid_t stream) {
    auto id = message.add<CudaStreamId>("stream");
    if (!id) { return id.error(); }
    id.value()->stream_cid = stream;
    return ToResultCode(tx_->publish(message, 0));
  }

  Parameter<Handle<Transmitter>> tx_;
  Parameter<Handle<Allocator>> pool_;
  Parameter<Handle<CudaStreamPool>> streams_;
  Parameter<Handle<StreamSync>> order_;
  Handle<CudaStream> stream_ = Handle<CudaStream>::Null();
};

class Source : public OnStream {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(wraps_, "wraps", "Wraps", "Every other tensor is wrapped memory",
                                   true);
    const auto code = ToResultCode(result);
    return code == GXF_SUCCESS ? OnStream::registerInterface(registrar) : code;
  }
  gxf_result_t tick() override {
    auto message = Entity::New(context());
    if (!message) { return message.error(); }
    auto tensor = message->add<Tensor>("picture");
    if (!tensor) { return tensor.error(); }
    const Shape shape{2, 5, 3};
    const bool wraps = wraps_.get() && sent_.size() % 2 == 0;
    const auto shaped = wraps ? wrap(*tensor.value().get(), shape)
                              : tensor.value()->reshape<uint8_t>(shape, MemoryStorageType::kDevice, pool_);
    if (!shaped) { return shaped.error(); }
    std::vector<uint8_t> bytes(30);
    for (auto& byte : bytes) { byte = next_++; }
    sent_.push_back(bytes);
    const void* const from = sent_.back().data();
    if (!copy("cuMemcpyHtoDAsync_v2", *tensor.value().get(), from, bytes.size())) {
      return GXF_FAILURE;
    }
    return publish(message.value());
  }

 private:
  Expected<void> wrap(Tensor& tensor, const Shape& shape) {
    const Handle<Allocator> pool = pool_.get();
    const auto memory = pool->allocate(shape.size(), MemoryStorageType::kDevice);
    if (!memory) { return nvidia::gxf::ForwardError(memory); }
    return tensor.wrapMemory(shape, nvidia::gxf::PrimitiveType::kUnsigned8, 1,
                             nvidia::gxf::ComputeTrivialStrides(shape, 1),
                             MemoryStorageType::kDevice, memory.value(), [pool](void* pointer) {
                               return pool->free(static_cast<nvidia::byte*>(pointer));
                             });
  }

  Parameter<bool> wraps_;
  // What the device still copies.
  std::deque<std::vector<uint8_t>> sent_;
  uint8_t next_ = 0;
};

// Allocates memory for its stream, and frees it without one.
class Mixed : public OnStream {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    const auto code = ToResultCode(registrar->parameter(memory_, "memory"));
    return code == GXF_SUCCESS ? OnStream::registerInterface(registrar) : code;
  }
  gxf_result_t tick() override {
    const auto stream = stream_->stream();
    if (!stream) { return stream.error(); }
    const auto memory = memory_->allocate_async(64, stream.value());
    if (!memory) { return memory.error(); }
    const Handle<Allocator> plain = pool_.get();
    return ToResultCode(plain->free(memory.value()));
  }

 private:
  Parameter<Handle<nvidia::gxf::CudaAllocator>> memory_;
};

// Drops messages.
class Drop : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(rx_, "rx"));
  }
  gxf_result_t tick() override { return ToResultCode(rx_->receive()); }

 private:
  Parameter<Handle<nvidia::gxf::Receiver>> rx_;
};

// Copies tensors on a stream of its own, ordered by what the memory knows of its users.
class Copy : public OnStream {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(rx_, "rx");
    const auto code = ToResultCode(result);
    return code == GXF_SUCCESS ? OnStream::registerInterface(registrar) : code;
  }
  gxf_result_t tick() override {
    auto received = rx_->receive();
    if (!received) { return received.error(); }
    auto from = received->get<Tensor>();
    auto message = Entity::New(context());
    if (!from || !message) { return GXF_FAILURE; }
    auto to = message->add<Tensor>("picture");
    if (!to) { return to.error(); }
    const auto shaped =
        to.value()->reshape<uint8_t>(from.value()->shape(), MemoryStorageType::kDevice, pool_);
    if (!shaped) { return shaped.error(); }
    if (const auto id = received->get<StreamSyncId>()) {
      auto order = Handle<StreamSync>::Create(context(), id.value()->stream_sync_cid);
      const auto stream = stream_->stream();
      if (!order || !stream || !order.value()->wait(stream.value())) { return GXF_FAILURE; }
    }
    const auto* const table = nvidia::gxf::sdk::CudaTable();
    auto* const own = nvidia::gxf::sdk::ToAbi(context());
    const auto& memory = nvidia::gxf::detail::MemoryAccess::Abi(from.value()->memory_buffer());
    if (table->before_use(own, stream_.cid(), &memory, false) != GxeResultCode_SUCCESS) {
      return GXF_FAILURE;
    }
    const auto source = reinterpret_cast<uint64_t>(from.value()->pointer());
    GxeCudaFence fence{};
    if (!copy("cuMemcpyDtoDAsync_v2", *to.value().get(), source, from.value()->size()) ||
        table->record(own, stream_.cid(), &fence) != GxeResultCode_SUCCESS ||
        table->after_use(&memory, &fence, false) != GxeResultCode_SUCCESS) {
      return GXF_FAILURE;
    }
    fence.release(fence.owner);
    return publish(message.value());
  }

 private:
  Parameter<Handle<nvidia::gxf::Receiver>> rx_;
};

// Captures nothing for a while, in the mode in which the driver forbids all threads what may harm a capture.
class Capture : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(streams_, "streams"));
  }
  gxf_result_t start() override {
    auto stream = streams_->allocateStream();
    if (!stream) { return stream.error(); }
    stream_ = stream.value();
    return GXF_SUCCESS;
  }
  gxf_result_t tick() override {
    const auto begin = driver<unsigned (*)(void*, int)>("cuStreamBeginCapture_v2");
    const auto end = driver<unsigned (*)(void*, void**)>("cuStreamEndCapture");
    const auto destroy = driver<unsigned (*)(void*)>("cuGraphDestroy");
    auto* const stream = reinterpret_cast<void*>(stream_->stream().value());
    void* graph = nullptr;
    if (begin(stream, 0) != 0) { return GXF_FAILURE; }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const auto code = end(stream, &graph);
    if (code != 0 || destroy(graph) != 0) {
      GXF_LOG_ERROR("the capture ends with %u", code);
      return GXF_FAILURE;
    }
    GXF_LOG_INFO("captured in peace");
    return GXF_SUCCESS;
  }
  gxf_result_t stop() override { return ToResultCode(streams_->releaseStream(stream_)); }

 private:
  Parameter<Handle<CudaStreamPool>> streams_;
  Handle<CudaStream> stream_ = Handle<CudaStream>::Null();
};

// Copies tensors on the stream that messages name, and tells nobody.
class CopyOnTheirs : public OnStream {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    const auto code = ToResultCode(registrar->parameter(rx_, "rx"));
    return code == GXF_SUCCESS ? OnStream::registerInterface(registrar) : code;
  }
  gxf_result_t tick() override {
    auto received = rx_->receive();
    if (!received) { return received.error(); }
    const auto from = received->get<Tensor>();
    const auto id = received->get<CudaStreamId>();
    auto message = Entity::New(context());
    if (!from || !id || !message) { return GXF_FAILURE; }
    auto stream = Handle<CudaStream>::Create(context(), id.value()->stream_cid);
    // What made the tensor is done then.
    if (!stream || !stream.value()->syncStream()) { return GXF_FAILURE; }
    auto to = message->add<Tensor>("picture");
    if (!to) { return to.error(); }
    const auto shaped =
        to.value()->reshape<uint8_t>(from.value()->shape(), MemoryStorageType::kDevice, pool_);
    if (!shaped) { return shaped.error(); }
    const auto source = reinterpret_cast<uint64_t>(from.value()->pointer());
    if (!copy_on(stream.value(), "cuMemcpyDtoDAsync_v2", *to.value().get(), source, from.value()->size())) {
      return GXF_FAILURE;
    }
    return publish_on(message.value(), stream->cid());
  }

 private:
  Parameter<Handle<nvidia::gxf::Receiver>> rx_;
};

// Launches kernels whose threads share more and more memory. On a GPU the kernel does nothing.
class Share : public OnStream {
 public:
  gxf_result_t tick() override {
    struct Arguments {
      float* to;
      const float* from;
      uint64_t count;
      float factor;
    };
    constexpr gxe::CudaKernel<Arguments> kernel{
        ".version 6.0\n.target sm_52\n.address_size 64\n"
        ".visible .entry scale(.param .align 8 .b8 scale_param_0[32])\n{\n  ret;\n}\n",
        "scale"};
    for (const uint32_t kilobytes : {16, 100, 64, 200, 512}) {
      gxe::CudaWork work(stream_);
      auto to = work.allocate(pool_, 256);
      auto from = work.allocate(pool_, 256);
      if (!to || !from) { return GXF_OUT_OF_MEMORY; }
      const Arguments arguments{work.writes<float>(to.value()), work.reads<float>(from.value()), 64, 2};
      gxe::CudaGrid grid = gxe::CudaGrid::ForSteps(64);
      grid.shared_bytes = kilobytes << 10;
      const auto launched = work.launch(kernel, grid, arguments);
      GXF_LOG_INFO("%u KiB: %s", kilobytes, launched ? "launched" : GxfResultStr(launched.error()));
    }
    return GXF_SUCCESS;
  }
};

}  // namespace foreign

GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x6c2e91f7d4a84b03, 0x8d5f3a1b7e60c924, "ForeignExtension",
                         "Calls CUDA itself", "gxe", "1.0.0", "Apache-2.0");
GXF_EXT_FACTORY_ADD(0x4b7de08253f14c9a, 0xb6a19c7f02e8d345, foreign::Source, nvidia::gxf::Codelet,
                    "Sends pictures that its own work makes");
GXF_EXT_FACTORY_ADD(0x9a0c4d7be3f1482c, 0x87d5e6b2c14f09a3, foreign::Copy, nvidia::gxf::Codelet,
                    "Copies pictures on a stream of its own");
GXF_EXT_FACTORY_ADD(0x5d3e8b17c9a24f60, 0x91c6f08d2b7a4e35, foreign::CopyOnTheirs, nvidia::gxf::Codelet,
                    "Copies pictures on the streams that messages name");
GXF_EXT_FACTORY_ADD(0x71c0e5a94b2d4f36, 0x9be2703fd5a81c4e, foreign::Mixed, nvidia::gxf::Codelet,
                    "Allocates for a stream, and frees without one");
GXF_EXT_FACTORY_ADD(0x2f91b35c0d7e4a68, 0xa4c81d9e6075f3b2, foreign::Drop, nvidia::gxf::Codelet,
                    "Drops messages");
GXF_EXT_FACTORY_ADD(0x8e63d0f7425b4c19, 0xb50a9c2e71d84f6b, foreign::Capture, nvidia::gxf::Codelet,
                    "Captures in the mode global");
GXF_EXT_FACTORY_ADD(0x27f4b18e9d3c4a50, 0x96e1c8d05b7f3a42, foreign::Share, nvidia::gxf::Codelet,
                    "Launches kernels with shared memory");
GXF_EXT_FACTORY_END()
