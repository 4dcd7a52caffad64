/// Messages from and to other processes.
#ifndef NVIDIA_GXF_STD_NETWORK_ROUTER_HPP_
#define NVIDIA_GXF_STD_NETWORK_ROUTER_HPP_

#include <utility>
#include <vector>

#include "gxf/std/receiver.hpp"
#include "gxf/std/router.hpp"
#include "gxf/std/transmitter.hpp"

namespace nvidia {
namespace gxf {

/// A router for programs and tests that move messages themselves. A graph has a router of its own,
/// in the host, which this one does not touch.
class NetworkRouter : public Router {
 public:
  Expected<void> addNetworkContext(Handle<NetworkContext> context) override {
    if (context.is_null()) { return Unexpected{GXF_ARGUMENT_NULL}; }
    contexts_.push_back(std::move(context));
    return Success;
  }
  Expected<void> addRoutes(const Entity& entity) override {
    for (const Handle<NetworkContext>& context : contexts_) {
      const auto added = context->addRoutes(entity);
      if (!added) { return added; }
    }
    return Success;
  }
  Expected<void> removeRoutes(const Entity& entity) override {
    for (const Handle<NetworkContext>& context : contexts_) {
      const auto removed = context->removeRoutes(entity);
      if (!removed) { return removed; }
    }
    return Success;
  }
  Expected<void> syncInbox(const Entity& entity) override { return SyncIo<Receiver>(entity); }
  Expected<void> syncOutbox(const Entity& entity) override { return SyncIo<Transmitter>(entity); }

 private:
  /// Queues without a network return this.
  template <typename Q>
  static Expected<void> SyncIo(const Entity& entity) {
    auto queues = entity.findAllHeap<Q>();
    if (!queues) { return ForwardError(queues); }
    for (size_t i = 0; i < queues->size(); i++) {
      const auto synced = queues->data()[i]->sync_io();
      if (!synced && synced.error() != GXF_NOT_IMPLEMENTED) { return synced; }
    }
    return Success;
  }

  std::vector<Handle<NetworkContext>> contexts_;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_NETWORK_ROUTER_HPP_
