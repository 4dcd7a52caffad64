/// Proxies for foreign routers.
#ifndef GXF_SDK_PROXIES_ROUTER_HPP_
#define GXF_SDK_PROXIES_ROUTER_HPP_

#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/std/router.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

class RouterProxy : public Router {
 public:
  Expected<void> Connect() { return router_.Connect(context(), cid(), GXE_TID_ROUTER); }
  Expected<void> addRoutes(const Entity& entity) override {
    return ExpectedOrCode(ToGxf(router_.table().add_routes(router_.object(), entity.eid())));
  }
  Expected<void> removeRoutes(const Entity& entity) override {
    return ExpectedOrCode(ToGxf(router_.table().remove_routes(router_.object(), entity.eid())));
  }
  Expected<void> syncInbox(const Entity& entity) override {
    return ExpectedOrCode(ToGxf(router_.table().sync_inbox(router_.object(), entity.eid())));
  }
  Expected<void> syncOutbox(const Entity& entity) override {
    return ExpectedOrCode(ToGxf(router_.table().sync_outbox(router_.object(), entity.eid())));
  }

 private:
  Link<GxeRouterVtable> router_;
};
template <>
struct Proxy<Router> : ProxyOf<RouterProxy> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_ROUTER_HPP_
