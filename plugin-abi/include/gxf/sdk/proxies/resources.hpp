/// Proxies for the host's resources.
#ifndef GXF_SDK_PROXIES_RESOURCES_HPP_
#define GXF_SDK_PROXIES_RESOURCES_HPP_

#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/std/resources.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

class ThreadPoolProxy : public ThreadPool {
 public:
  Expected<void> Connect() {
    priority_ = RemoteParameter<int64_t>(*this, "priority").value_or(int64_t{0});
    return Success;
  }
  int64_t priority() const override { return priority_; }

 private:
  int64_t priority_ = 0;
};
template <>
struct Proxy<ThreadPool> : ProxyOf<ThreadPoolProxy> {};

class GPUDeviceProxy : public GPUDevice {
 public:
  Expected<void> Connect() {
    device_id_ = RemoteParameter<int32_t>(*this, "dev_id").value_or(int32_t{0});
    return Success;
  }
  int32_t device_id() const override { return device_id_; }

 private:
  int32_t device_id_ = 0;
};
template <>
struct Proxy<GPUDevice> : ProxyOf<GPUDeviceProxy> {};

class ResourceBaseProxy : public ResourceBase {
 public:
  Expected<void> Connect() { return Success; }
};
template <>
struct Proxy<ResourceBase> : ProxyOf<ResourceBaseProxy> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_RESOURCES_HPP_
