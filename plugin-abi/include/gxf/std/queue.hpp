/// Queues of messages.
#ifndef NVIDIA_GXF_STD_QUEUE_HPP_
#define NVIDIA_GXF_STD_QUEUE_HPP_

#include <cstddef>
#include <cstdint>

#include "gxf/core/component.hpp"

namespace nvidia {
namespace gxf {

namespace detail {
struct MessagePorts;
}  // namespace detail

/// The common part of receivers and transmitters. Messages wait in the back stage until `sync`
/// moves them to the main stage.
class Queue : public Component {
 public:
  ~Queue() override = default;

  /// Takes the oldest message; the caller owns a reference then.
  virtual gxf_result_t pop_abi(gxf_uid_t* uid) = 0;
  /// Adds a message to the back stage, with a reference of the queue's own.
  virtual gxf_result_t push_abi(gxf_uid_t other) = 0;
  /// The message at a position of the main stage, without a reference.
  virtual gxf_result_t peek_abi(gxf_uid_t* uid, int32_t index) = 0;
  virtual size_t capacity_abi() = 0;
  /// Messages in the main stage.
  virtual size_t size_abi() = 0;

  Expected<Entity> pop();
  Expected<void> push(const Entity& other);
  Expected<Entity> peek(int32_t index = 0);
  size_t capacity() { return capacity_abi(); }
  size_t size() { return size_abi(); }

 protected:
  friend struct detail::MessagePorts;

  /// Where messages go by their address and not by their id; null for queues of this extension.
  /// Queues of the host have it, and calling them takes no look-up that way.
  struct DirectQueue {
    void* object;
    const GxeQueueVtable* table;
  };
  const DirectQueue* direct_queue_ = nullptr;
};

inline Expected<Entity> Queue::pop() {
  if (direct_queue_ != nullptr) {
    GxeMessage* message = nullptr;
    const GxeResultCode code = direct_queue_->table->pop(direct_queue_->object, &message);
    if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
    return detail::EntityAccess::Take(context(), message);
  }
  gxf_uid_t uid = kNullUid;
  const gxf_result_t code = pop_abi(&uid);
  if (code != GXF_SUCCESS) { return Unexpected{code}; }
  return Entity::Own(context(), uid);
}

inline Expected<void> Queue::push(const Entity& other) {
  GxeMessage* message = detail::EntityAccess::Message(other);
  if (direct_queue_ != nullptr && message != nullptr) {
    sdk::Host().message_retain(message);
    return ExpectedOrCode(
        sdk::ToGxf(direct_queue_->table->push(direct_queue_->object, message)));
  }
  return ExpectedOrCode(push_abi(other.eid()));
}

inline Expected<Entity> Queue::peek(int32_t index) {
  if (direct_queue_ != nullptr) {
    GxeMessage* message = nullptr;
    const GxeResultCode code = direct_queue_->table->peek(direct_queue_->object, index, &message);
    if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
    return detail::EntityAccess::Take(context(), message);
  }
  gxf_uid_t uid = kNullUid;
  const gxf_result_t code = peek_abi(&uid, index);
  if (code != GXF_SUCCESS) { return Unexpected{code}; }
  return Entity::Shared(context(), uid);
}

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/queue.hpp"
#include "gxf/sdk/tables/queue.hpp"

#endif  // NVIDIA_GXF_STD_QUEUE_HPP_
