/// The host's way into queues.
#ifndef GXF_SDK_TABLES_QUEUE_HPP_
#define GXF_SDK_TABLES_QUEUE_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/std/queue.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/transmitter.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

/// Hands a message to a function that takes an id and holds a reference of its own if it wants to;
/// our reference is given back.
template <typename F>
gxf_result_t GiveById(GxeMessage* message, F&& give) {
  struct Release {
    GxeMessage* message;
    ~Release() { Host().message_release(message); }
  } release{message};
  return give(Host().message_id(message));
}

/// Takes the message a function names by its id. `owned`: the function gave its reference away.
template <typename F>
gxf_result_t TakeById(gxf_context_t context, bool owned, GxeMessage** message, F&& take) {
  gxf_uid_t uid = kNullUid;
  const gxf_result_t code = take(&uid);
  if (code != GXF_SUCCESS) { return code; }
  const auto found = MessageOf(context, uid);
  if (!found) { return found.error(); }
  if (owned) { Host().message_release(found.value()); }
  *message = found.value();
  return GXF_SUCCESS;
}

template <typename T>
struct QueueTable {
  static T& Self(void* object) { return *static_cast<T*>(object); }

  static GxeResultCode Push(void* object, GxeMessage* message) noexcept {
    return Guard("push_abi", [&] {
      return GiveById(message, [&](gxf_uid_t uid) { return Self(object).push_abi(uid); });
    });
  }
  static GxeResultCode Pop(void* object, GxeMessage** message) noexcept {
    return Guard("pop_abi", [&] {
      return TakeById(Self(object).context(), true, message,
                      [&](gxf_uid_t* uid) { return Self(object).pop_abi(uid); });
    });
  }
  static GxeResultCode Peek(void* object, int32_t index, GxeMessage** message) noexcept {
    return Guard("peek_abi", [&] {
      return TakeById(Self(object).context(), false, message,
                      [&](gxf_uid_t* uid) { return Self(object).peek_abi(uid, index); });
    });
  }
  static size_t Capacity(void* object) noexcept {
    return GuardValue<size_t>("capacity_abi", 0, [&] { return Self(object).capacity_abi(); });
  }
  static size_t MessageCount(void* object) noexcept {
    return GuardValue<size_t>("size_abi", 0, [&] { return Self(object).size_abi(); });
  }
  static size_t BackCount(void* object) noexcept {
    if constexpr (std::is_base_of_v<Receiver, T> || std::is_base_of_v<Transmitter, T>) {
      return GuardValue<size_t>("back_size_abi", 0, [&] { return Self(object).back_size_abi(); });
    } else {
      return 0;
    }
  }
  static GxeResultCode Sync(void* object) noexcept {
    if constexpr (std::is_base_of_v<Receiver, T> || std::is_base_of_v<Transmitter, T>) {
      return Guard("sync_abi", [&] { return Self(object).sync_abi(); });
    } else {
      return GxeResultCode_SUCCESS;
    }
  }

  static constexpr GxeQueueVtable kTable = {
      sizeof(GxeQueueVtable), Push, Pop, Peek, Capacity, MessageCount, BackCount, Sync};
};

template <typename T>
struct ReceiverTable {
  static Receiver& Self(void* object) { return *static_cast<T*>(object); }

  static GxeResultCode Receive(void* object, GxeMessage** message) noexcept {
    return Guard("receive_abi", [&] {
      return TakeById(Self(object).context(), true, message,
                      [&](gxf_uid_t* uid) { return Self(object).receive_abi(uid); });
    });
  }
  static GxeResultCode PeekBack(void* object, int32_t index, GxeMessage** message) noexcept {
    return Guard("peek_back_abi", [&] {
      return TakeById(Self(object).context(), false, message,
                      [&](gxf_uid_t* uid) { return Self(object).peek_back_abi(uid, index); });
    });
  }
  static GxeResultCode SyncIo(void* object) noexcept {
    return Guard("sync_io_abi", [&] { return OrNothing(Self(object).sync_io_abi()); });
  }
  static GxeResultCode Wait(void* object) noexcept {
    return Guard("wait_abi", [&] { return Self(object).wait_abi(); });
  }
  /// Queues without a network say "not implemented", which is no failure.
  static gxf_result_t OrNothing(gxf_result_t code) {
    return code == GXF_NOT_IMPLEMENTED ? GXF_SUCCESS : code;
  }

  static constexpr GxeReceiverVtable kTable = {sizeof(GxeReceiverVtable), Receive, PeekBack,
                                               SyncIo, Wait};
};

template <typename T>
struct TransmitterTable {
  static Transmitter& Self(void* object) { return *static_cast<T*>(object); }

  static GxeResultCode PublishAsIs(void* object, GxeMessage* message) noexcept {
    return Guard("publish_abi", [&] {
      return GiveById(message, [&](gxf_uid_t uid) { return Self(object).publish_abi(uid); });
    });
  }
  static GxeResultCode SyncIo(void* object) noexcept {
    return Guard("sync_io_abi",
                 [&] { return ReceiverTable<Receiver>::OrNothing(Self(object).sync_io_abi()); });
  }

  static constexpr GxeTransmitterVtable kTable = {sizeof(GxeTransmitterVtable), PublishAsIs,
                                                  SyncIo};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_QUEUE_HPP_
