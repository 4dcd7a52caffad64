/// Proxies for foreign entity serializers.
#ifndef GXF_SDK_PROXIES_ENTITY_SERIALIZER_HPP_
#define GXF_SDK_PROXIES_ENTITY_SERIALIZER_HPP_

#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/sdk/proxies/queue.hpp"
#include "gxf/sdk/tables/endpoint.hpp"
#include "gxf/serialization/entity_serializer.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename Base>
class EntitySerializerProxy : public Base {
 public:
  Expected<void> Connect() {
    return link_.Connect(this->context(), this->cid(), GXE_TID_ENTITY_SERIALIZER);
  }
  gxf_result_t serialize_entity_abi(gxf_uid_t eid, Endpoint* endpoint, uint64_t* size) override {
    const auto message = MessageOf(this->context(), eid);
    if (!message) { return message.error(); }
    const GxeResultCode code = link_.table().serialize(link_.object(), message.value(),
                                                       EndpointReference(endpoint), size);
    Host().message_release(message.value());
    return ToGxf(code);
  }
  /// The host reads header and payloads together.
  Expected<Entity> deserialize_entity_header_abi(Endpoint* endpoint) override {
    auto entity = Entity::New(this->context());
    if (!entity) { return entity; }
    const auto read = this->deserializeEntity(entity.value(), endpoint);
    if (!read) { return ForwardError(read); }
    return entity;
  }
  gxf_result_t deserialize_entity_abi(gxf_uid_t eid, Endpoint* endpoint) override {
    const auto message = MessageOf(this->context(), eid);
    if (!message) { return message.error(); }
    // The caller's reference keeps the message alive; it must be the only one to be filled.
    Host().message_release(message.value());
    return ToGxf(link_.table().deserialize(link_.object(), message.value(),
                                           EndpointReference(endpoint)));
  }

 private:
  Link<GxeEntitySerializerVtable> link_;
};
template <>
struct Proxy<EntitySerializer> : ProxyOf<EntitySerializerProxy<EntitySerializer>> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_ENTITY_SERIALIZER_HPP_
