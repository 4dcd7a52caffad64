/// The host's way into routers.
#ifndef GXF_SDK_TABLES_ROUTER_HPP_
#define GXF_SDK_TABLES_ROUTER_HPP_

#include "gxf/sdk/tables/routes.hpp"
#include "gxf/std/router.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct RouterTable : RoutesTable<T, Router> {
  using Routes = RoutesTable<T, Router>;
  static GxeResultCode SyncInbox(void* object, GxeUid eid) noexcept {
    return Routes::Call("syncInbox", object, eid, &Router::syncInbox);
  }
  static GxeResultCode SyncOutbox(void* object, GxeUid eid) noexcept {
    return Routes::Call("syncOutbox", object, eid, &Router::syncOutbox);
  }
  static constexpr GxeRouterVtable kTable = {sizeof(GxeRouterVtable), Routes::AddRoutes,
                                             Routes::RemoveRoutes, SyncInbox, SyncOutbox};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_ROUTER_HPP_
