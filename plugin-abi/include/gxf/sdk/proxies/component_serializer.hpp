/// Proxies for foreign component serializers.
#ifndef GXF_SDK_PROXIES_COMPONENT_SERIALIZER_HPP_
#define GXF_SDK_PROXIES_COMPONENT_SERIALIZER_HPP_

#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/sdk/tables/endpoint.hpp"
#include "gxf/serialization/component_serializer.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename Base>
class ComponentSerializerProxy : public Base {
 public:
  Expected<void> Connect() {
    const auto connected =
        link_.Connect(this->context(), this->cid(), GXE_TID_COMPONENT_SERIALIZER);
    return connected;
  }
  gxf_result_t is_supported_abi(gxf_tid_t tid) override {
    return link_.table().is_supported(link_.object(), ToAbi(tid)) ? GXF_SUCCESS : GXF_FAILURE;
  }
  gxf_result_t serialize_component_abi(gxf_uid_t cid, Endpoint* endpoint, uint64_t* size) override {
    const auto payload = detail::SerializerAccess::Find(*this, cid);
    if (!payload) { return payload.error(); }
    return ToGxf(link_.table().serialize(link_.object(), ToAbi(payload->tid), payload->data,
                                         EndpointReference(endpoint), size));
  }
  gxf_result_t deserialize_component_abi(gxf_uid_t cid, Endpoint* endpoint) override {
    const auto payload = detail::SerializerAccess::Find(*this, cid);
    if (!payload) { return payload.error(); }
    return ToGxf(link_.table().deserialize(link_.object(), ToAbi(payload->tid), payload->data,
                                           EndpointReference(endpoint)));
  }

 private:
  Link<GxeComponentSerializerVtable> link_;
};
template <>
struct Proxy<ComponentSerializer> : ProxyOf<ComponentSerializerProxy<ComponentSerializer>> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_COMPONENT_SERIALIZER_HPP_
