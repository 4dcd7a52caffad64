/// Proxies for foreign IPC clients.
#ifndef GXF_SDK_PROXIES_IPC_CLIENT_HPP_
#define GXF_SDK_PROXIES_IPC_CLIENT_HPP_

#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/std/ipc_client.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename Base>
class IPCClientProxy : public Base {
 public:
  Expected<void> Connect() {
    return client_.Connect(this->context(), this->cid(), GXE_TID_IPC_CLIENT);
  }
  Expected<std::string> query(const std::string& service, const std::string& resource) override {
    std::string answer;
    const GxeResultCode code =
        client_.table().query(client_.object(), ToText(std::string_view{service}),
                              ToText(std::string_view{resource}), GxeTextSink{&answer, Append});
    return ExpectedOrCode(ToGxf(code), std::move(answer));
  }
  Expected<void> action(const std::string& service, const std::string& resource,
                        const std::string& data) override {
    std::string answer;
    return ExpectedOrCode(ToGxf(client_.table().action(
        client_.object(), ToText(std::string_view{service}), ToText(std::string_view{resource}),
        ToText(std::string_view{data}), GxeTextSink{&answer, Append})));
  }
  Expected<std::string> ping(const std::string& service) override {
    if (client_.table().ping == nullptr) { return Unexpected{GXF_NOT_IMPLEMENTED}; }
    std::string answer;
    const GxeResultCode code = client_.table().ping(
        client_.object(), ToText(std::string_view{service}), GxeTextSink{&answer, Append});
    return ExpectedOrCode(ToGxf(code), std::move(answer));
  }
  /// GXF's function cannot fail, so the log says why the address is not changed.
  IPCClient& changeAddress(const std::string& ip, const uint32_t port) override {
    const auto change = client_.table().change_address;
    const gxf_result_t code =
        change == nullptr ? GXF_NOT_IMPLEMENTED
                          : ToGxf(change(client_.object(), ToText(std::string_view{ip}), port));
    if (code != GXF_SUCCESS) {
      GXF_LOG_ERROR("client `%s` does not change its address to %s:%u: %s", this->name(), ip.c_str(),
                    port, expected_macro::StatusName<gxf_result_t>::Get(code).c_str());
    }
    return *this;
  }

 private:
  static void Append(void* user, GxeText text) {
    static_cast<std::string*>(user)->append(FromText(text));
  }

  Link<GxeIpcClientVtable> client_;
};
template <>
struct Proxy<IPCClient> : ProxyOf<IPCClientProxy<IPCClient>> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_IPC_CLIENT_HPP_
