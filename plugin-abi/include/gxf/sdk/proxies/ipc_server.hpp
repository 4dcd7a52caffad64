/// Proxies for foreign IPC servers.
#ifndef GXF_SDK_PROXIES_IPC_SERVER_HPP_
#define GXF_SDK_PROXIES_IPC_SERVER_HPP_

#include <deque>

#include "gxf/sdk/guard.hpp"
#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/std/ipc_server.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

/// Answers a request with a service of this side. `user` is the service.
inline GxeResultCode AnswerRequest(void* user, GxeText resource, GxeText payload,
                                   GxeTextSink answer) noexcept {
  return Guard("a service", [&]() -> gxf_result_t {
    const auto& service = *static_cast<const IPCServer::Service*>(user);
    const std::string wanted(FromText(resource));
    if (service.type == IPCServer::kAction) {
      return ToResultCode(service.handler.action(wanted, std::string(FromText(payload))));
    }
    const auto text = service.handler.query(wanted);
    if (!text) { return text.error(); }
    answer.write(answer.user, ToText(std::string_view{text.value()}));
    return GXF_SUCCESS;
  });
}

template <typename Base>
class IPCServerProxy : public Base {
 public:
  Expected<void> Connect() {
    return server_.Connect(this->context(), this->cid(), GXE_TID_IPC_SERVER);
  }
  /// The server calls the service as long as it runs, so the service stays as long as this library.
  Expected<void> registerService(const IPCServer::Service& service) override {
    auto* kept = new IPCServer::Service(service);
    return ExpectedOrCode(ToGxf(server_.table().register_service(
        server_.object(), ToText(std::string_view{kept->name}), kept->type == IPCServer::kAction,
        GxeIpcService{kept, AnswerRequest})));
  }

 private:
  Link<GxeIpcServerVtable> server_;
};
template <>
struct Proxy<IPCServer> : ProxyOf<IPCServerProxy<IPCServer>> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_IPC_SERVER_HPP_
