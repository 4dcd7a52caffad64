/// The host's way into queues.
#ifndef GXF_SDK_TABLES_QUEUE_HPP_
#define GXF_SDK_TABLES_QUEUE_HPP_

#include <type_traits>
#include <utility>

#include "gxf/sdk/guard.hpp"
#include "gxf/std/queue.hpp"

namespace nvidia {
namespace gxf {

class Receiver;
class Transmitter;

namespace sdk __attribute__((visibility("hidden"))) {

/// Passes a message to a function that takes an id and keeps its own reference if it needs one;
/// then releases this one.
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

/// Queues without a network say "not implemented", which is no failure.
inline gxf_result_t OrNothing(gxf_result_t code) {
  return code == GXF_NOT_IMPLEMENTED ? GXF_SUCCESS : code;
}

template <typename T>
struct QueueTable {
  static Queue& Self(void* object) { return BaseOf<Queue, T>(object); }
  static constexpr bool kIsReceiver = std::is_base_of_v<Receiver, T>;
  /// A plain queue has one stage.
  static constexpr bool kIsStaged = kIsReceiver || std::is_base_of_v<Transmitter, T>;
  using Staged = std::conditional_t<
      kIsReceiver, Receiver, std::conditional_t<kIsStaged, Transmitter, T>>;
  static Staged& SelfStaged(void* object) { return BaseOf<Staged, T>(object); }

  static GxeResultCode Push(void* object, GxeMessage* message) noexcept {
    return Guard(Self(object), "push_abi", [&] {
      return GiveById(message, [&](gxf_uid_t uid) { return Self(object).push_abi(uid); });
    });
  }
  static GxeResultCode Pop(void* object, GxeMessage** message) noexcept {
    return Guard(Self(object), "pop_abi", [&] {
      return TakeById(Self(object).context(), true, message,
                      [&](gxf_uid_t* uid) { return Self(object).pop_abi(uid); });
    });
  }
  static GxeResultCode Peek(void* object, int32_t index, GxeMessage** message) noexcept {
    return Guard(Self(object), "peek_abi", [&] {
      return TakeById(Self(object).context(), false, message,
                      [&](gxf_uid_t* uid) { return Self(object).peek_abi(uid, index); });
    });
  }
  static size_t Capacity(void* object) noexcept {
    return GuardValue<size_t>(Self(object), "capacity_abi", 0, [&] { return Self(object).capacity_abi(); });
  }
  static size_t MessageCount(void* object) noexcept {
    return GuardValue<size_t>(Self(object), "size_abi", 0, [&] { return Self(object).size_abi(); });
  }
  static size_t BackCount(void* object) noexcept {
    if constexpr (kIsStaged) {
      return GuardValue<size_t>(Self(object), "back_size_abi", 0,
                                [&] { return SelfStaged(object).back_size_abi(); });
    } else {
      return 0;
    }
  }
  static GxeResultCode Sync(void* object) noexcept {
    if constexpr (kIsStaged) {
      return Guard(Self(object), "sync_abi", [&] { return SelfStaged(object).sync_abi(); });
    } else {
      return GxeResultCode_SUCCESS;
    }
  }

  static constexpr GxeQueueVtable kTable = {
      sizeof(GxeQueueVtable), Push, Pop, Peek, Capacity, MessageCount, BackCount, Sync};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_QUEUE_HPP_
