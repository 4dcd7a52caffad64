/// Proxies for foreign network contexts.
#ifndef GXF_SDK_PROXIES_NETWORK_CONTEXT_HPP_
#define GXF_SDK_PROXIES_NETWORK_CONTEXT_HPP_

#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/std/network_context.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename Base>
class NetworkContextProxy : public Base {
 public:
  Expected<void> Connect() {
    return link_.Connect(this->context(), this->cid(), GXE_TID_NETWORK_CONTEXT);
  }
  gxf_result_t init_context() override {
    return ToGxf(link_.table().initialize_network(link_.object()));
  }
  Expected<void> addRoutes(const Entity& entity) override {
    return ExpectedOrCode(ToGxf(link_.table().add_routes(link_.object(), entity.eid())));
  }
  Expected<void> removeRoutes(const Entity& entity) override {
    return ExpectedOrCode(ToGxf(link_.table().remove_routes(link_.object(), entity.eid())));
  }

 private:
  Link<GxeNetworkContextVtable> link_;
};
template <>
struct Proxy<NetworkContext> : ProxyOf<NetworkContextProxy<NetworkContext>> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_NETWORK_CONTEXT_HPP_
