/// Gives an entity a thread of its own.
#ifndef NVIDIA_GXF_STD_CPU_THREAD_HPP_
#define NVIDIA_GXF_STD_CPU_THREAD_HPP_

#include "gxf/core/component.hpp"
#include "gxf/core/registrar.hpp"
#include "gxf/sdk/proxies/proxy.hpp"

namespace nvidia {
namespace gxf {

/// Policies of Linux for threads with real-time work, by its numbers.
enum class SchedulingPolicy { kFirstInFirstOut = 1, kRoundRobin = 2, kDeadline = 6 };

/// Requests a thread of its own for its entity.
class CPUThread : public Component {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(pin_entity_, "pin_entity", "Pin Entity",
                                             "Whether the entity gets one.", false));
  }
  virtual bool pinned() const { return pin_entity_.get(); }

 private:
  Parameter<bool> pin_entity_;
};

namespace sdk __attribute__((visibility("hidden"))) {

class CPUThreadProxy : public CPUThread {
 public:
  Expected<void> Connect() {
    pinned_ = RemoteParameter<bool>(*this, "pin_entity").value_or(false);
    return Success;
  }
  bool pinned() const override { return pinned_; }

 private:
  bool pinned_ = false;
};
template <>
struct Proxy<CPUThread> : ProxyOf<CPUThreadProxy> {};

}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_CPU_THREAD_HPP_
