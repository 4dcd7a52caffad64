/// The host's way into transmitters.
#ifndef GXF_SDK_TABLES_TRANSMITTER_HPP_
#define GXF_SDK_TABLES_TRANSMITTER_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/sdk/tables/queue.hpp"
#include "gxf/std/transmitter.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct TransmitterTable {
  static Transmitter& Self(void* object) { return BaseOf<Transmitter, T>(object); }

  static GxeResultCode PublishAsIs(void* object, GxeMessage* message) noexcept {
    return Guard(Self(object), "publish_abi", [&] {
      return GiveById(message, [&](gxf_uid_t uid) { return Self(object).publish_abi(uid); });
    });
  }
  static GxeResultCode SyncIo(void* object) noexcept {
    return Guard(Self(object), "sync_io_abi", [&] { return OrNothing(Self(object).sync_io_abi()); });
  }

  static constexpr GxeTransmitterVtable kTable = {sizeof(GxeTransmitterVtable), PublishAsIs,
                                                  SyncIo};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_TRANSMITTER_HPP_
