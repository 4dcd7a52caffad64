/// Systems run alongside the entities.
#ifndef NVIDIA_GXF_STD_SYSTEM_HPP_
#define NVIDIA_GXF_STD_SYSTEM_HPP_

#include "gxf/core/component.hpp"

namespace nvidia {
namespace gxf {

/// Runs alongside the entities, and learns which of them are active.
class System : public Component {
 public:
  ~System() override = default;

  /// An entity became active.
  virtual gxf_result_t schedule_abi(gxf_uid_t eid) = 0;
  /// An entity is about to be deactivated.
  virtual gxf_result_t unschedule_abi(gxf_uid_t eid) = 0;
  /// Starts running and returns.
  virtual gxf_result_t runAsync_abi() = 0;
  /// Asks the system to stop.
  virtual gxf_result_t stop_abi() = 0;
  /// Blocks until the end.
  virtual gxf_result_t wait_abi() = 0;
  /// Something happened to an entity.
  virtual gxf_result_t event_notify_abi(gxf_uid_t eid, gxf_event_t event) = 0;

  Expected<void> schedule(const Entity& entity) {
    return ExpectedOrCode(schedule_abi(entity.eid()));
  }
  Expected<void> unschedule(const Entity& entity) {
    return ExpectedOrCode(unschedule_abi(entity.eid()));
  }
  Expected<void> runAsync() { return ExpectedOrCode(runAsync_abi()); }
  Expected<void> stop() { return ExpectedOrCode(stop_abi()); }
  Expected<void> wait() { return ExpectedOrCode(wait_abi()); }
  Expected<void> event_notify(gxf_uid_t eid, gxf_event_t event) {
    return ExpectedOrCode(event_notify_abi(eid, event));
  }
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/system.hpp"
#include "gxf/sdk/tables/system.hpp"

#endif  // NVIDIA_GXF_STD_SYSTEM_HPP_
