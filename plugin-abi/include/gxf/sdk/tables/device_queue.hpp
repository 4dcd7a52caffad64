/// The host's way into queues of devices.
#ifndef GXF_SDK_TABLES_DEVICE_QUEUE_HPP_
#define GXF_SDK_TABLES_DEVICE_QUEUE_HPP_

#include <string>

#include "gxf/sdk/guard.hpp"
#include "gxf/std/device_queue.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct DeviceQueueTable {
  static gxe::DeviceQueue& Self(void* object) { return BaseOf<gxe::DeviceQueue, T>(object); }
  static GxeResultCode Device(void* object, GxeTextSink answer) noexcept {
    return Guard("device", [&]() -> gxf_result_t {
      const std::string kind = Self(object).device();
      answer.write(answer.user, ToText(kind));
      return GXF_SUCCESS;
    });
  }
  static GxeResultCode BeginThread(void* object) noexcept {
    return Guard("begin_thread", [&] { return ToResultCode(Self(object).begin_thread()); });
  }
  static constexpr GxeDeviceQueueVtable kTable = {sizeof(GxeDeviceQueueVtable), Device,
                                                  BeginThread};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_DEVICE_QUEUE_HPP_
