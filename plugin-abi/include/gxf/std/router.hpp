/// Carries messages between entities.
#ifndef NVIDIA_GXF_STD_ROUTER_HPP_
#define NVIDIA_GXF_STD_ROUTER_HPP_

#include "gxf/core/component.hpp"
#include "gxf/std/clock.hpp"
#include "gxf/std/network_context.hpp"

namespace nvidia {
namespace gxf {

/// Takes messages from transmitters to receivers. In GXF this is no component; here it is one, so
/// that an extension can register its own.
class Router : public Component {
 public:
  ~Router() override = default;

  /// Learns the routes of an entity, before any component is initialised.
  virtual Expected<void> addRoutes(const Entity& entity) = 0;
  /// Forgets them.
  virtual Expected<void> removeRoutes(const Entity& entity) = 0;
  /// Before the tick of an entity.
  virtual Expected<void> syncInbox(const Entity& entity) = 0;
  /// After the tick of an entity.
  virtual Expected<void> syncOutbox(const Entity& entity) = 0;
  virtual Expected<void> wait(const Entity& entity) {
    (void)entity;
    return Unexpected{GXF_NOT_IMPLEMENTED};
  }
  virtual Expected<void> setClock(Handle<Clock> clock) {
    (void)clock;
    return Success;
  }
  virtual Expected<void> addNetworkContext(Handle<NetworkContext> context) {
    (void)context;
    return Success;
  }
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/router.hpp"
#include "gxf/sdk/tables/router.hpp"

#endif  // NVIDIA_GXF_STD_ROUTER_HPP_
