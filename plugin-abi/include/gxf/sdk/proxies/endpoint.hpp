/// Proxies for foreign endpoints.
#ifndef GXF_SDK_PROXIES_ENDPOINT_HPP_
#define GXF_SDK_PROXIES_ENDPOINT_HPP_

#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/serialization/endpoint.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

/// The functions of an endpoint, called through a table.
template <typename Base>
class EndpointFunctions : public Base {
 public:
  gxf_result_t is_write_available_abi() override {
    return table_->is_write_available(object_) ? GXF_SUCCESS : GXF_FAILURE;
  }
  gxf_result_t is_read_available_abi() override {
    return table_->is_read_available(object_) ? GXF_SUCCESS : GXF_FAILURE;
  }
  gxf_result_t write_abi(const void* data, size_t size, size_t* bytes_written) override {
    return ToGxf(table_->write(object_, static_cast<const uint8_t*>(data), size, bytes_written));
  }
  gxf_result_t read_abi(void* data, size_t size, size_t* bytes_read) override {
    return ToGxf(table_->read(object_, static_cast<uint8_t*>(data), size, bytes_read));
  }
  gxf_result_t write_ptr_abi(const void* pointer, size_t size, MemoryStorageType type) override {
    if (table_->write_pointer == nullptr) { return GXF_NOT_IMPLEMENTED; }
    return ToGxf(table_->write_pointer(object_, static_cast<const uint8_t*>(pointer), size,
                                       static_cast<GxeStorageType>(type)));
  }

  /// How to hand this endpoint on to the host.
  GxeEndpointRef Reference() const { return {object_, table_}; }

 protected:
  void* object_ = nullptr;
  const GxeEndpointVtable* table_ = nullptr;
};

/// The endpoint a serializer is called with.
class BorrowedEndpoint : public EndpointFunctions<Endpoint> {
 public:
  BorrowedEndpoint(gxf_context_t context, GxeEndpointRef reference) {
    context_ = context;
    object_ = reference.object;
    table_ = reference.vtable;
  }
};

template <typename Base>
class EndpointProxy : public EndpointFunctions<Base> {
 public:
  Expected<void> Connect() {
    const auto connected = link_.Connect(this->context(), this->cid(), GXE_TID_ENDPOINT);
    if (!connected) { return connected; }
    this->object_ = link_.object();
    this->table_ = &link_.table();
    return Success;
  }

 private:
  Link<GxeEndpointVtable> link_;
};
template <>
struct Proxy<Endpoint> : ProxyOf<EndpointProxy<Endpoint>> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_ENDPOINT_HPP_
