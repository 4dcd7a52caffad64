/// The host's way into receivers.
#ifndef GXF_SDK_TABLES_RECEIVER_HPP_
#define GXF_SDK_TABLES_RECEIVER_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/sdk/tables/queue.hpp"
#include "gxf/std/receiver.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct ReceiverTable {
  static Receiver& Self(void* object) { return BaseOf<Receiver, T>(object); }

  static GxeResultCode Receive(void* object, GxeMessage** message) noexcept {
    return Guard(Self(object), "receive_abi", [&] {
      return TakeById(Self(object).context(), true, message,
                      [&](gxf_uid_t* uid) { return Self(object).receive_abi(uid); });
    });
  }
  static GxeResultCode PeekBack(void* object, int32_t index, GxeMessage** message) noexcept {
    return Guard(Self(object), "peek_back_abi", [&] {
      return TakeById(Self(object).context(), false, message,
                      [&](gxf_uid_t* uid) { return Self(object).peek_back_abi(uid, index); });
    });
  }
  static GxeResultCode SyncIo(void* object) noexcept {
    return Guard(Self(object), "sync_io_abi", [&] { return OrNothing(Self(object).sync_io_abi()); });
  }
  static GxeResultCode Wait(void* object) noexcept {
    return Guard(Self(object), "wait_abi", [&] { return Self(object).wait_abi(); });
  }

  static constexpr GxeReceiverVtable kTable = {sizeof(GxeReceiverVtable), Receive, PeekBack,
                                               SyncIo, Wait};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_RECEIVER_HPP_
