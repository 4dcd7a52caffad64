/// The common part of proxies for foreign components.
#ifndef GXF_SDK_PROXIES_PROXY_HPP_
#define GXF_SDK_PROXIES_PROXY_HPP_

#include <memory>

#include "gxf/core/component.hpp"
#include "gxf/sdk/link.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

/// Makes objects of type `P`, which has `Expected<void> Connect()`, to be called after it knows its
/// context and id.
template <typename P>
struct ProxyOf {
  static constexpr bool kExists = true;
  static Expected<Component*> Make(gxf_context_t context, gxf_uid_t cid) {
    gxf_uid_t eid = kNullUid;
    const GxeResultCode code = Host().component_entity(ToAbi(context), cid, &eid);
    if (code != GxeResultCode_SUCCESS) { return Unexpected{ToGxf(code)}; }
    auto proxy = std::make_unique<P>();
    proxy->internalSetup(context, eid, cid, nullptr);
    const auto connected = proxy->Connect();
    if (!connected) { return ForwardError(connected); }
    return static_cast<Component*>(proxy.release());
  }
  static void Destroy(Component* proxy) { delete proxy; }
};

/// The value of a foreign component's parameter.
template <typename T>
Expected<T> RemoteParameter(const Component& component, const char* key) {
  return ParameterStorage(component.context()).get<T>(component.cid(), key);
}

/// A component whose functions are never called through a handle.
class ComponentProxy : public Component {
 public:
  Expected<void> Connect() { return Success; }
};
template <>
struct Proxy<Component> : ProxyOf<ComponentProxy> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_PROXY_HPP_
