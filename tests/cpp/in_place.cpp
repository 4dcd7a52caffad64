// Work on the streams that messages name, as extensions for GXF enqueue it: in place, with the message sent
// on as it is, fences of before and all.
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>

#include "gxe/cuda_kernel.hpp"
#include "gxf/core/gxf.h"
#include "gxf/cuda/cuda_buffer.hpp"
#include "gxf/cuda/cuda_event.hpp"
#include "gxf/cuda/cuda_stream.hpp"
#include "gxf/cuda/cuda_stream_id.hpp"
#include "gxf/cuda/cuda_stream_pool.hpp"
#include "gxf/std/allocator.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/transmitter.hpp"

namespace in_place {

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
using nvidia::gxf::Receiver;
using nvidia::gxf::Registrar;
using nvidia::gxf::Shape;
using nvidia::gxf::Tensor;
using nvidia::gxf::ToResultCode;
using nvidia::gxf::Transmitter;

constexpr uint8_t kPaint = 0x40;

template <typename F>
F driver(const char* name) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return library == nullptr ? nullptr : reinterpret_cast<F>(dlsym(library, name));
}

// Calls a function of the driver, whose last argument is a stream, in the device's context.
template <typename To, typename From>
bool enqueue(const char* name, To to, From from, size_t size, const Handle<CudaStream>& on) {
  const auto stream = on->stream();
  const auto retain = driver<unsigned (*)(void**, int)>("cuDevicePrimaryCtxRetain");
  const auto push = driver<unsigned (*)(void*)>("cuCtxPushCurrent_v2");
  const auto pop = driver<unsigned (*)(void**)>("cuCtxPopCurrent_v2");
  const auto function = driver<unsigned (*)(To, From, size_t, void*)>(name);
  void* device = nullptr;
  if (!stream || retain == nullptr || retain(&device, 0) != 0 || push(device) != 0) {
    return false;
  }
  const auto code = function(to, from, size, reinterpret_cast<void*>(stream.value()));
  pop(&device);
  return code == 0;
}

bool paint(Tensor& tensor, const Handle<CudaStream>& on) {
  const auto to = reinterpret_cast<uint64_t>(tensor.pointer());
  return enqueue("cuMemsetD8Async", to, static_cast<unsigned char>(kPaint), tensor.size(), on);
}

// Copies a tensor to one on the host, which becomes the message's tensor `host`.
bool copy(Entity& message, Tensor& from, Handle<Allocator> pool, const Handle<CudaStream>& on) {
  auto host = message.add<Tensor>("host");
  const Shape shape{static_cast<int32_t>(from.size() / 4), 4};
  if (!host || !host.value()->reshape<uint8_t>(shape, MemoryStorageType::kHost, pool)) {
    return false;
  }
  const auto source = reinterpret_cast<uint64_t>(from.pointer());
  std::fill_n(host.value()->pointer(), from.size(), uint8_t{0});
  return enqueue("cuMemcpyDtoHAsync_v2", static_cast<void*>(host.value()->pointer()), source,
                 from.size(), on);
}

bool is_painted(const Tensor& tensor) {
  const uint8_t* const bytes = tensor.pointer();
  return std::all_of(bytes, bytes + tensor.size(), [](uint8_t byte) { return byte == kPaint; });
}

// Writes to the tensor of a message on the stream that the message names, copies it to the host there, and
// sends the message on.
class Paint : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(rx_, "rx");
    result &= registrar->parameter(tx_, "tx");
    result &= registrar->parameter(pool_, "pool");
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    auto message = rx_->receive();
    if (!message) { return message.error(); }
    auto tensor = message->get<Tensor>();
    const auto id = message->get<CudaStreamId>();
    if (!tensor || !id) { return GXF_FAILURE; }
    const auto stream = Handle<CudaStream>::Create(context(), id.value()->stream_cid);
    if (!stream || !paint(*tensor.value().get(), stream.value()) ||
        !copy(message.value(), *tensor.value().get(), pool_, stream.value())) {
      return GXF_FAILURE;
    }
    return ToResultCode(tx_->publish(message.value()));
  }

 private:
  Parameter<Handle<Receiver>> rx_;
  Parameter<Handle<Transmitter>> tx_;
  Parameter<Handle<Allocator>> pool_;
};

// Captures what comes on the stream of the first message, until the end.
class Capture : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(rx_, "rx");
    result &= registrar->parameter(tx_, "tx");
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    auto message = rx_->receive();
    if (!message) { return message.error(); }
    const auto id = message->get<CudaStreamId>();
    if (!id) { return id.error(); }
    auto stream = Handle<CudaStream>::Create(context(), id.value()->stream_cid);
    if (!stream) { return stream.error(); }
    const auto raw = stream.value()->stream();
    constexpr int kRelaxed = 2;
    if (!raw) { return raw.error(); }
    captured_ = reinterpret_cast<void*>(raw.value());
    if (driver<unsigned (*)(void*, int)>("cuStreamBeginCapture_v2")(captured_, kRelaxed) != 0) {
      return GXF_FAILURE;
    }
    // Its memory goes home on the stream, which must not be captured then.
    kept_ = message.value();
    return ToResultCode(tx_->publish(message.value()));
  }
  gxf_result_t stop() override {
    void* graph = nullptr;
    const auto ended = driver<unsigned (*)(void*, void**)>("cuStreamEndCapture")(captured_, &graph);
    const auto destroyed = driver<unsigned (*)(void*)>("cuGraphDestroy")(graph);
    kept_ = Entity();
    return ended == 0 && destroyed == 0 ? GXF_SUCCESS : GXF_FAILURE;
  }

 private:
  Parameter<Handle<Receiver>> rx_;
  Parameter<Handle<Transmitter>> tx_;
  void* captured_ = nullptr;
  Entity kept_;
};

// Sends messages that name two streams, with work on the second.
class Two : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(tx_, "tx");
    result &= registrar->parameter(device_, "device");
    result &= registrar->parameter(pool_, "pool");
    result &= registrar->parameter(streams_, "streams");
    return ToResultCode(result);
  }
  gxf_result_t start() override {
    for (auto& stream : both_) {
      auto lent = streams_->allocateStream();
      if (!lent) { return lent.error(); }
      stream = lent.value();
    }
    return GXF_SUCCESS;
  }
  gxf_result_t tick() override {
    auto message = Entity::New(context());
    if (!message) { return message.error(); }
    auto tensor = message->add<Tensor>("picture");
    if (!tensor) { return tensor.error(); }
    const auto shaped =
        tensor.value()->reshape<uint8_t>(Shape{64}, MemoryStorageType::kDevice, device_);
    if (!shaped || !paint(*tensor.value().get(), both_[1]) ||
        !copy(message.value(), *tensor.value().get(), pool_, both_[1])) {
      return GXF_FAILURE;
    }
    for (const auto& stream : both_) {
      auto id = message->add<CudaStreamId>("stream");
      if (!id) { return id.error(); }
      id.value()->stream_cid = stream.cid();
    }
    return ToResultCode(tx_->publish(message.value()));
  }
  gxf_result_t stop() override {
    for (auto& stream : both_) {
      if (!stream->syncStream() || !streams_->releaseStream(stream)) { return GXF_FAILURE; }
    }
    return GXF_SUCCESS;
  }

 private:
  Parameter<Handle<Transmitter>> tx_;
  Parameter<Handle<Allocator>> device_;
  Parameter<Handle<Allocator>> pool_;
  Parameter<Handle<CudaStreamPool>> streams_;
  Handle<CudaStream> both_[2] = {Handle<CudaStream>::Null(), Handle<CudaStream>::Null()};
};

// Says whether the tensor `host` of a message has its content.
class Look : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(rx_, "rx"));
  }
  gxf_result_t tick() override {
    auto message = rx_->receive();
    if (!message) { return message.error(); }
    const auto host = message->get<Tensor>("host");
    GXF_LOG_INFO("looked: %s", !host                               ? "nothing"
                               : is_painted(*host.value().get()) ? "painted"
                                                                   : "too early");
    return GXF_SUCCESS;
  }

 private:
  Parameter<Handle<Receiver>> rx_;
};

// Reads the tensor of a message on a stream of its own, behind a `gxe::CudaWork`.
class Behind : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(rx_, "rx");
    result &= registrar->parameter(pool_, "pool");
    result &= registrar->parameter(streams_, "streams");
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    auto message = rx_->receive();
    auto stream = streams_->allocateStream();
    if (!message || !stream) { return GXF_FAILURE; }
    auto tensor = message->get<Tensor>();
    auto answer = Entity::New(context());
    gxe::CudaWork work(stream.value());
    if (!tensor || !answer || !work.after(message.value()) ||
        !copy(answer.value(), *tensor.value().get(), pool_, stream.value()) ||
        !stream.value()->syncStream()) {
      return GXF_FAILURE;
    }
    const auto host = answer->get<Tensor>("host");
    GXF_LOG_INFO("behind: %s", is_painted(*host.value().get()) ? "painted" : "too early");
    return ToResultCode(streams_->releaseStream(stream.value()));
  }

 private:
  Parameter<Handle<Receiver>> rx_;
  Parameter<Handle<Allocator>> pool_;
  Parameter<Handle<CudaStreamPool>> streams_;
};

// Sends an event that was not initialised and a buffer that nothing makes valid.
class Unset : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(tx_, "tx"));
  }
  gxf_result_t tick() override {
    auto message = Entity::New(context());
    if (!message || !message->add<nvidia::gxf::CudaEvent>("event") ||
        !message->add<nvidia::gxf::CudaBuffer>("buffer")) {
      return GXF_FAILURE;
    }
    return ToResultCode(tx_->publish(message.value()));
  }

 private:
  Parameter<Handle<Transmitter>> tx_;
};

}  // namespace in_place

GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x2b94e6d07c3f4a51, 0x9e08b1f5d6273ca4, "InPlaceExtension",
                         "Works on the streams of messages", "gxe", "1.0.0", "Apache-2.0");
GXF_EXT_FACTORY_ADD(0x5d1c83a6f9e2470b, 0xb64f20d97ae3851c, in_place::Paint, nvidia::gxf::Codelet,
                    "Paints tensors in place");
GXF_EXT_FACTORY_ADD(0x3f7c92e1b05d4a86, 0xa8e614f09c2b7d53, in_place::Capture, nvidia::gxf::Codelet,
                    "Captures the work of a stream");
GXF_EXT_FACTORY_ADD(0x7a60f4c2e58b4d39, 0x8f13d6a0b9c7425e, in_place::Two, nvidia::gxf::Codelet,
                    "Names two streams");
GXF_EXT_FACTORY_ADD(0x91b3d7e04a2c4f68, 0xa05c6e8f1d7b2394, in_place::Look, nvidia::gxf::Codelet,
                    "Looks at a tensor on the host");
GXF_EXT_FACTORY_ADD(0xc8e5a1704fb6423d, 0x97d20b3c5e8fa164, in_place::Behind, nvidia::gxf::Codelet,
                    "Reads behind the work on a message");
GXF_EXT_FACTORY_ADD(0xe02f69b8d37a4c15, 0x8ba4f17c06d9e352, in_place::Unset, nvidia::gxf::Codelet,
                    "Sends what is not valid");
GXF_EXT_FACTORY_END()
