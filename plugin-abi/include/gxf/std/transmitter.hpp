/// Where messages leave an entity.
#ifndef NVIDIA_GXF_STD_TRANSMITTER_HPP_
#define NVIDIA_GXF_STD_TRANSMITTER_HPP_

#include <cstddef>
#include <cstdint>

#include "gxf/sdk/stream_uses.hpp"
#include "gxf/std/queue.hpp"
#include "gxf/std/timestamp.hpp"

namespace nvidia {
namespace gxf {

/// A queue whose messages the graph takes to the connected receivers after each tick.
class Transmitter : public Queue {
 public:
  /// Puts a message into the back stage, with a reference of the transmitter's own.
  virtual gxf_result_t publish_abi(gxf_uid_t uid) = 0;
  /// Messages in the back stage.
  virtual size_t back_size_abi() = 0;
  /// Moves the back stage to the main stage.
  virtual gxf_result_t sync_abi() = 0;
  /// Output to a network.
  virtual gxf_result_t sync_io_abi() { return GXF_NOT_IMPLEMENTED; }
  virtual gxf_result_t pop_io_abi(gxf_uid_t* uid) {
    (void)uid;
    return GXF_NOT_IMPLEMENTED;
  }

  /// Publishes a message; its publication time is set when it is sent.
  Expected<void> publish(const Entity& entity);
  /// Publishes a message with an acquisition time, in nanoseconds.
  Expected<void> publish(Entity& entity, const int64_t acquisition_time);
  size_t back_size() { return back_size_abi(); }
  Expected<void> sync() { return ExpectedOrCode(sync_abi()); }
  Expected<void> sync_io() { return ExpectedOrCode(sync_io_abi()); }

 protected:
  friend struct detail::MessagePorts;

  /// As `Queue::DirectQueue`.
  struct DirectTransmitter {
    void* object;
    const GxeTransmitterVtable* table;
  };
  const DirectTransmitter* direct_transmitter_ = nullptr;
};

inline Expected<void> Transmitter::publish(const Entity& entity) {
  GxeMessage* message = detail::EntityAccess::Message(entity);
  if (sdk::before_publishing != nullptr && message != nullptr) {
    sdk::before_publishing(context(), message);
  }
  if (direct_transmitter_ != nullptr && message != nullptr) {
    sdk::Host().message_retain(message);
    return ExpectedOrCode(sdk::ToGxf(
        direct_transmitter_->table->publish_as_is(direct_transmitter_->object, message)));
  }
  if (entity.is_null()) { return Unexpected{GXF_ARGUMENT_NULL}; }
  return ExpectedOrCode(publish_abi(entity.eid()));
}

inline Expected<void> Transmitter::publish(Entity& entity, const int64_t acquisition_time) {
  GxeMessage* message = detail::EntityAccess::Message(entity);
  if (message == nullptr) { return Unexpected{GXF_ARGUMENT_NULL}; }
  // A message with a sole holder is changed in place; a shared one is replaced by a new one with
  // the same payloads, and other holders keep theirs.
  const bool sole = sdk::Host().message_reference_count(message) == 1;
  if (!sole) { sdk::Host().message_retain(message); }
  GxeMessage* stamped = nullptr;
  const GxeResultCode code = sdk::Host().message_stamp(message, acquisition_time, &stamped);
  if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
  if (!sole) { detail::EntityAccess::Replace(entity, stamped); }
  return publish(static_cast<const Entity&>(entity));
}

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/transmitter.hpp"
#include "gxf/sdk/tables/transmitter.hpp"

#endif  // NVIDIA_GXF_STD_TRANSMITTER_HPP_
