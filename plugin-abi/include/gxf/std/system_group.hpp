/// Systems that start and end together.
#ifndef NVIDIA_GXF_STD_SYSTEM_GROUP_HPP_
#define NVIDIA_GXF_STD_SYSTEM_GROUP_HPP_

#include <algorithm>
#include <vector>

#include "gxf/core/handle.hpp"
#include "gxf/std/system.hpp"

namespace nvidia {
namespace gxf {

/// Passes everything on to its systems, in the order they were added. The first error ends a call.
class SystemGroup : public System {
 public:
  Expected<void> addSystem(Handle<System> system) {
    if (system.is_null()) { return Unexpected{GXF_ARGUMENT_NULL}; }
    systems_.push_back(system);
    return Success;
  }
  Expected<void> removeSystem(Handle<System> system) {
    const auto found = std::find(systems_.begin(), systems_.end(), system);
    if (found == systems_.end()) { return Unexpected{GXF_QUERY_NOT_FOUND}; }
    systems_.erase(found);
    return Success;
  }
  bool empty() const { return systems_.empty(); }

  gxf_result_t schedule_abi(gxf_uid_t eid) override {
    return Each([&](System& system) { return system.schedule_abi(eid); });
  }
  gxf_result_t unschedule_abi(gxf_uid_t eid) override {
    return Each([&](System& system) { return system.unschedule_abi(eid); });
  }
  gxf_result_t runAsync_abi() override {
    return Each([](System& system) { return system.runAsync_abi(); });
  }
  gxf_result_t stop_abi() override {
    return Each([](System& system) { return system.stop_abi(); });
  }
  gxf_result_t wait_abi() override {
    return Each([](System& system) { return system.wait_abi(); });
  }
  gxf_result_t event_notify_abi(gxf_uid_t eid, gxf_event_t event) override {
    return Each([&](System& system) { return system.event_notify_abi(eid, event); });
  }

 private:
  template <typename F>
  gxf_result_t Each(F&& call) {
    for (const Handle<System>& system : systems_) {
      const gxf_result_t code = call(*system.get());
      if (code != GXF_SUCCESS) { return code; }
    }
    return GXF_SUCCESS;
  }

  std::vector<Handle<System>> systems_;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_SYSTEM_GROUP_HPP_
