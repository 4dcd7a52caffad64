/// Where messages arrive at an entity.
#ifndef NVIDIA_GXF_STD_RECEIVER_HPP_
#define NVIDIA_GXF_STD_RECEIVER_HPP_

#include <cstddef>
#include <cstdint>

#include "gxf/std/queue.hpp"

namespace nvidia {
namespace gxf {

class Transmitter;

/// A queue whose back stage the graph fills and moves to the main stage before each tick.
class Receiver : public Queue {
 public:
  /// Takes the oldest message of the main stage; the caller owns a reference then.
  virtual gxf_result_t receive_abi(gxf_uid_t* uid) = 0;
  /// Messages in the back stage.
  virtual size_t back_size_abi() = 0;
  /// The message at a position of the back stage, without a reference.
  virtual gxf_result_t peek_back_abi(gxf_uid_t* uid, int32_t index) = 0;
  /// Moves the back stage to the main stage.
  virtual gxf_result_t sync_abi() = 0;
  /// Input from a network.
  virtual gxf_result_t sync_io_abi() { return GXF_NOT_IMPLEMENTED; }
  /// Blocks until a message arrived.
  virtual gxf_result_t wait_abi() { return GXF_NOT_IMPLEMENTED; }

  /// The oldest message.
  Expected<Entity> receive();
  size_t back_size() { return back_size_abi(); }
  Expected<void> sync() { return ExpectedOrCode(sync_abi()); }
  Expected<void> sync_io() { return ExpectedOrCode(sync_io_abi()); }
  Expected<void> wait() { return ExpectedOrCode(wait_abi()); }
  /// A message of the back stage.
  Expected<Entity> peekBack(int32_t index = 0);
  /// Remembers the transmitter whose messages arrive here.
  Expected<void> setTransmitter(Handle<Transmitter> transmitter) {
    transmitter_ = std::move(transmitter);
    return Success;
  }

 protected:
  friend struct detail::MessagePorts;

  /// As `Queue::DirectQueue`.
  struct DirectReceiver {
    void* object;
    const GxeReceiverVtable* table;
  };
  const DirectReceiver* direct_receiver_ = nullptr;

 private:
  UntypedHandle transmitter_ = UntypedHandle::Null();
};

inline Expected<Entity> Receiver::receive() {
  if (direct_receiver_ != nullptr) {
    GxeMessage* message = nullptr;
    const GxeResultCode code =
        direct_receiver_->table->receive(direct_receiver_->object, &message);
    if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
    return detail::EntityAccess::Take(context(), message);
  }
  gxf_uid_t uid = kNullUid;
  const gxf_result_t code = receive_abi(&uid);
  if (code != GXF_SUCCESS) { return Unexpected{code}; }
  return Entity::Own(context(), uid);
}

inline Expected<Entity> Receiver::peekBack(int32_t index) {
  if (direct_receiver_ != nullptr) {
    GxeMessage* message = nullptr;
    const GxeResultCode code =
        direct_receiver_->table->peek_back(direct_receiver_->object, index, &message);
    if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
    return detail::EntityAccess::Take(context(), message);
  }
  gxf_uid_t uid = kNullUid;
  const gxf_result_t code = peek_back_abi(&uid, index);
  if (code != GXF_SUCCESS) { return Unexpected{code}; }
  return Entity::Shared(context(), uid);
}

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/receiver.hpp"
#include "gxf/sdk/tables/receiver.hpp"

#endif  // NVIDIA_GXF_STD_RECEIVER_HPP_
