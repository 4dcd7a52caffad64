/// The host's way into clients of other processes.
#ifndef GXF_SDK_TABLES_IPC_CLIENT_HPP_
#define GXF_SDK_TABLES_IPC_CLIENT_HPP_

#include <string>
#include <string_view>

#include "gxf/sdk/guard.hpp"
#include "gxf/std/ipc_client.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct IpcClientTable {
  static IPCClient& Self(void* object) { return BaseOf<IPCClient, T>(object); }
  static GxeResultCode Query(void* object, GxeText service, GxeText resource,
                             GxeTextSink answer) noexcept {
    return Guard(Self(object), "query", [&]() -> gxf_result_t {
      const auto text = Self(object).query(std::string(FromText(service)),
                                                       std::string(FromText(resource)));
      if (!text) { return text.error(); }
      answer.write(answer.user, ToText(std::string_view{text.value()}));
      return GXF_SUCCESS;
    });
  }
  static GxeResultCode Action(void* object, GxeText service, GxeText resource, GxeText payload,
                              GxeTextSink) noexcept {
    return Guard(Self(object), "action", [&] {
      return ToResultCode(Self(object).action(std::string(FromText(service)),
                                                          std::string(FromText(resource)),
                                                          std::string(FromText(payload))));
    });
  }
  static GxeResultCode Ping(void* object, GxeText service, GxeTextSink answer) noexcept {
    return Guard(Self(object), "ping", [&]() -> gxf_result_t {
      const auto text = Self(object).ping(std::string(FromText(service)));
      if (!text) { return text.error(); }
      answer.write(answer.user, ToText(std::string_view{text.value()}));
      return GXF_SUCCESS;
    });
  }
  static GxeResultCode ChangeAddress(void* object, GxeText ip, uint32_t port) noexcept {
    return Guard(Self(object), "changeAddress", [&] {
      Self(object).changeAddress(std::string(FromText(ip)), port);
      return GXF_SUCCESS;
    });
  }
  static constexpr GxeIpcClientVtable kTable = {sizeof(GxeIpcClientVtable), Query, Action, Ping,
                                                ChangeAddress};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_IPC_CLIENT_HPP_
