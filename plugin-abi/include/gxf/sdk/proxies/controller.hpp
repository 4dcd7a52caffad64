/// Proxies for foreign controllers.
#ifndef GXF_SDK_PROXIES_CONTROLLER_HPP_
#define GXF_SDK_PROXIES_CONTROLLER_HPP_

#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/std/controller.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename Base>
class ControllerProxy : public Base {
 public:
  Expected<void> Connect() {
    return controller_.Connect(this->context(), this->cid(), GXE_TID_CONTROLLER);
  }
  gxf_controller_status_t control(gxf_uid_t eid, Expected<void> code) override {
    const GxeControllerStatus status =
        controller_.table().control(controller_.object(), eid, ToResultCode(code));
    return {static_cast<entity_state_t>(status.behavior),
            static_cast<gxf_execution_status_t>(status.execution)};
  }

 private:
  Link<GxeControllerVtable> controller_;
};
template <>
struct Proxy<Controller> : ProxyOf<ControllerProxy<Controller>> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_CONTROLLER_HPP_
