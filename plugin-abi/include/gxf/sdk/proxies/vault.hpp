/// Proxies for the host's vaults.
#ifndef GXF_SDK_PROXIES_VAULT_HPP_
#define GXF_SDK_PROXIES_VAULT_HPP_

#include <chrono>
#include <utility>

#include "gxf/sdk/announce.hpp"
#include "gxf/sdk/guard.hpp"
#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/std/vault.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

class VaultProxy : public Vault {
 public:
  Expected<void> Connect() { return vault_.Connect(context(), cid(), GXE_TID_VAULT); }
  gxf_result_t setCallback(CallbackType callback) override {
    if (vault_.table().set_callback == nullptr) { return GXF_NOT_IMPLEMENTED; }
    GxeCallback abi{};
    if (callback) {
      abi.user = new CallbackType(std::move(callback));
      abi.call = Call;
      abi.release = [](void* user) { delete static_cast<CallbackType*>(user); };
    }
    return ToGxf(vault_.table().set_callback(vault_.object(), abi));
  }

 protected:
  std::vector<Entity> Take(size_t max_count, int64_t duration_ns) override {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::nanoseconds(duration_ns);
    std::vector<Entity> taken;
    while (taken.size() < max_count) {
      const int64_t left = std::max<int64_t>(
          0, std::chrono::duration_cast<std::chrono::nanoseconds>(end - Clock::now()).count());
      GxeMessage* message = nullptr;
      const GxeResultCode code = vault_.table().take(
          vault_.object(), duration_ns > 0 ? left : duration_ns, &message);
      if (code != GxeResultCode_SUCCESS) {
        ForgetHostError();
        break;
      }
      taken.push_back(detail::EntityAccess::Take(context(), message));
    }
    return taken;
  }

 private:
  static void Call(void* user) noexcept {
    try {
      (*static_cast<CallbackType*>(user))();
    } catch (...) { GXF_LOG_ERROR("%s", Thrown("the callback of a vault").c_str()); }
  }

  Link<GxeVaultVtable> vault_;
};
template <>
struct Proxy<Vault> : ProxyOf<VaultProxy> {};
inline const Announced<Vault> kVaultAnnounced;

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_VAULT_HPP_
