/// Messages from transmitters to receivers of one process.
#ifndef NVIDIA_GXF_STD_MESSAGE_ROUTER_HPP_
#define NVIDIA_GXF_STD_MESSAGE_ROUTER_HPP_

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "gxf/core/entity.hpp"
#include "gxf/std/connection.hpp"
#include "gxf/std/router.hpp"

namespace nvidia {
namespace gxf {

/// A router for programs and tests that move messages themselves. A graph has a router of its own,
/// in the host, which this one does not touch.
class MessageRouter : public Router {
 public:
  /// Sends the messages of a transmitter to a receiver as well.
  Expected<void> connect(Handle<Transmitter> transmitter, Handle<Receiver> receiver) {
    if (transmitter.is_null() || receiver.is_null()) { return Unexpected{GXF_ARGUMENT_NULL}; }
    const std::lock_guard<std::mutex> lock(mutex_);
    routes_[transmitter].insert(receiver);
    return Success;
  }
  Expected<void> disconnect(Handle<Transmitter> transmitter, Handle<Receiver> receiver) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = routes_.find(transmitter);
    if (found == routes_.end() || found->second.erase(receiver) == 0) {
      return Unexpected{GXF_QUERY_NOT_FOUND};
    }
    if (found->second.empty()) { routes_.erase(found); }
    return Success;
  }
  /// One receiver of a transmitter.
  Expected<Handle<Receiver>> getRx(Handle<Transmitter> transmitter) const {
    const auto receivers = getConnectedReceivers(std::move(transmitter));
    if (!receivers) { return ForwardError(receivers); }
    return *receivers->begin();
  }
  Expected<std::set<Handle<Receiver>>> getConnectedReceivers(
      Handle<Transmitter> transmitter) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = routes_.find(transmitter);
    if (found == routes_.end()) { return Unexpected{GXF_QUERY_NOT_FOUND}; }
    return found->second;
  }
  Expected<std::set<Handle<Transmitter>>> getConnectedTransmitters(Handle<Receiver> receiver) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::set<Handle<Transmitter>> transmitters;
    for (const auto& [transmitter, receivers] : routes_) {
      if (receivers.count(receiver) != 0) { transmitters.insert(transmitter); }
    }
    if (transmitters.empty()) { return Unexpected{GXF_QUERY_NOT_FOUND}; }
    return transmitters;
  }

  Expected<void> addRoutes(const Entity& entity) override {
    return EachConnection(entity, [this](const Connection& connection) {
      return connect(connection.source(), connection.target());
    });
  }
  Expected<void> removeRoutes(const Entity& entity) override {
    return EachConnection(entity, [this](const Connection& connection) {
      return disconnect(connection.source(), connection.target());
    });
  }
  Expected<void> syncInbox(const Entity& entity) override {
    auto receivers = entity.findAllHeap<Receiver>();
    if (!receivers) { return ForwardError(receivers); }
    for (size_t i = 0; i < receivers->size(); i++) {
      const auto synced = receivers->data()[i]->sync();
      if (!synced) { return synced; }
    }
    return Success;
  }
  Expected<void> syncOutbox(const Entity& entity) override {
    auto transmitters = entity.findAllHeap<Transmitter>();
    if (!transmitters) { return ForwardError(transmitters); }
    for (size_t i = 0; i < transmitters->size(); i++) {
      const auto sent = Send(transmitters->data()[i]);
      if (!sent) { return sent; }
    }
    return Success;
  }

 private:
  template <typename F>
  Expected<void> EachConnection(const Entity& entity, F&& use) {
    auto connections = entity.findAllHeap<Connection>();
    if (!connections) { return ForwardError(connections); }
    for (size_t i = 0; i < connections->size(); i++) {
      const Expected<void> used = use(*connections->data()[i].get());
      if (!used) { return used; }
    }
    return Success;
  }

  Expected<void> Send(const Handle<Transmitter>& transmitter) {
    const auto synced = transmitter->sync();
    if (!synced) { return synced; }
    const auto receivers = getConnectedReceivers(transmitter);
    if (!receivers) { return Success; }
    while (transmitter->size() > 0) {
      const auto message = transmitter->pop();
      if (!message) { return ForwardError(message); }
      for (const Handle<Receiver>& receiver : receivers.value()) {
        const auto pushed = receiver->push(message.value());
        if (!pushed) { return pushed; }
      }
    }
    return Success;
  }

  mutable std::mutex mutex_;
  std::map<Handle<Transmitter>, std::set<Handle<Receiver>>> routes_;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_MESSAGE_ROUTER_HPP_
