/// The host's way into servers of other processes.
#ifndef GXF_SDK_TABLES_IPC_SERVER_HPP_
#define GXF_SDK_TABLES_IPC_SERVER_HPP_

#include <string>
#include <string_view>
#include <utility>

#include "gxf/sdk/guard.hpp"
#include "gxf/std/ipc_server.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct IpcServerTable {
  static IPCServer& Self(void* object) { return BaseOf<IPCServer, T>(object); }
  static GxeResultCode RegisterService(void* object, GxeText name, bool is_action,
                                       GxeIpcService service) noexcept {
    return Guard(Self(object), "registerService", [&] {
      IPCServer::Service ours;
      ours.name = std::string(FromText(name));
      ours.type = is_action ? IPCServer::kAction : IPCServer::kQuery;
      const auto ask = [service](std::string_view resource, std::string_view data) {
        std::string answer;
        const GxeTextSink sink = {&answer, [](void* user, GxeText text) {
                                    static_cast<std::string*>(user)->append(FromText(text));
                                  }};
        const GxeResultCode code =
            service.handle(service.user, ToText(resource), ToText(data), sink);
        return ExpectedOrCode(ToGxf(code), std::move(answer));
      };
      ours.handler.query = [ask](const std::string& resource) { return ask(resource, ""); };
      ours.handler.action = [ask](const std::string& resource, const std::string& data) {
        return Expected<void>(ask(resource, data));
      };
      return ToResultCode(Self(object).registerService(ours));
    });
  }
  static constexpr GxeIpcServerVtable kTable = {sizeof(GxeIpcServerVtable), RegisterService};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_IPC_SERVER_HPP_
