/// Several routers seen as one.
#ifndef NVIDIA_GXF_STD_ROUTER_GROUP_HPP_
#define NVIDIA_GXF_STD_ROUTER_GROUP_HPP_

#include <algorithm>
#include <utility>
#include <vector>

#include "gxf/std/router.hpp"

namespace nvidia {
namespace gxf {

/// Passes everything on to its routers, in the order they were added. The first error ends a call.
class RouterGroup : public Router {
 public:
  Expected<void> addRouter(Handle<Router> router) {
    if (router.is_null()) { return Unexpected{GXF_ARGUMENT_NULL}; }
    routers_.push_back(std::move(router));
    return Success;
  }
  Expected<void> removeRouter(Handle<Router> router) {
    const auto found = std::find(routers_.begin(), routers_.end(), router);
    if (found == routers_.end()) { return Unexpected{GXF_QUERY_NOT_FOUND}; }
    routers_.erase(found);
    return Success;
  }

  Expected<void> addRoutes(const Entity& entity) override {
    return Each([&](Router& router) { return router.addRoutes(entity); });
  }
  Expected<void> removeRoutes(const Entity& entity) override {
    return Each([&](Router& router) { return router.removeRoutes(entity); });
  }
  Expected<void> syncInbox(const Entity& entity) override {
    return Each([&](Router& router) { return router.syncInbox(entity); });
  }
  Expected<void> syncOutbox(const Entity& entity) override {
    return Each([&](Router& router) { return router.syncOutbox(entity); });
  }
  Expected<void> wait(const Entity& entity) override {
    return Each([&](Router& router) { return router.wait(entity); });
  }
  Expected<void> setClock(Handle<Clock> clock) override {
    return Each([&](Router& router) { return router.setClock(clock); });
  }
  Expected<void> addNetworkContext(Handle<NetworkContext> context) override {
    return Each([&](Router& router) { return router.addNetworkContext(context); });
  }

 private:
  template <typename F>
  Expected<void> Each(F&& call) {
    for (const Handle<Router>& router : routers_) {
      const Expected<void> called = call(*router.get());
      if (!called) { return called; }
    }
    return Success;
  }

  std::vector<Handle<Router>> routers_;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_ROUTER_GROUP_HPP_
