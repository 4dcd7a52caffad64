/// Proxies for the host's serialization buffers.
#ifndef GXF_SDK_PROXIES_SERIALIZATION_BUFFER_HPP_
#define GXF_SDK_PROXIES_SERIALIZATION_BUFFER_HPP_

#include <utility>

#include "gxf/sdk/proxies/endpoint.hpp"
#include "gxf/serialization/serialization_buffer.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

class SerializationBufferProxy : public EndpointProxy<SerializationBuffer> {
 public:
  using SerializationBuffer::resize;

  Expected<void> Connect() {
    auto connected = EndpointProxy<SerializationBuffer>::Connect();
    connected &= buffer_.Connect(context(), cid(), GXE_TID_SERIALIZATION_BUFFER);
    return connected;
  }
  Expected<void> resize(size_t size, MemoryStorageType storage_type) override {
    return ExpectedOrCode(ToGxf(buffer_.table().resize(
        buffer_.object(), size, static_cast<GxeStorageType>(storage_type))));
  }
  Expected<void> wrapMemory(void* pointer, uint64_t size, MemoryStorageType storage_type,
                            release_function_t release_func) override {
    MemoryBuffer memory;
    const auto wrapped = memory.wrapMemory(pointer, size, storage_type, std::move(release_func));
    if (!wrapped) { return wrapped; }
    return ExpectedOrCode(
        ToGxf(buffer_.table().wrap(buffer_.object(), detail::MemoryAccess::Take(memory))));
  }
  MemoryStorageType storage_type() const override {
    return static_cast<MemoryStorageType>(buffer_.table().storage_type(buffer_.object()));
  }
  const byte* data() const override { return buffer_.table().data(buffer_.object()); }
  size_t capacity() const override { return buffer_.table().capacity(buffer_.object()); }
  size_t size() const override { return buffer_.table().written(buffer_.object()); }
  void reset() override { buffer_.table().reset(buffer_.object()); }

 private:
  Link<GxeSerializationBufferVtable> buffer_;
};
template <>
struct Proxy<SerializationBuffer> : ProxyOf<SerializationBufferProxy> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_SERIALIZATION_BUFFER_HPP_
