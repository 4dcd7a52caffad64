/// The host's way into network contexts.
#ifndef GXF_SDK_TABLES_NETWORK_CONTEXT_HPP_
#define GXF_SDK_TABLES_NETWORK_CONTEXT_HPP_

#include "gxf/sdk/tables/routes.hpp"
#include "gxf/std/network_context.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct NetworkContextTable : RoutesTable<T, NetworkContext> {
  using Routes = RoutesTable<T, NetworkContext>;
  static GxeResultCode InitializeNetwork(void* object) noexcept {
    NetworkContext& self = Routes::Self(object);
    return Guard(self, "init_context", [&] { return self.init_context(); });
  }
  static constexpr GxeNetworkContextVtable kTable = {
      sizeof(GxeNetworkContextVtable), InitializeNetwork, Routes::AddRoutes,
      Routes::RemoveRoutes};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_NETWORK_CONTEXT_HPP_
