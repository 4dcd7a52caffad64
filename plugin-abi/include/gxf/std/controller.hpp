/// Decides what the result of a tick means.
#ifndef NVIDIA_GXF_STD_CONTROLLER_HPP_
#define NVIDIA_GXF_STD_CONTROLLER_HPP_

#include "gxf/core/component.hpp"

namespace nvidia {
namespace gxf {

/// What happens to an entity after a tick.
typedef enum {
  GXF_EXECUTE_SUCCESS = 0,
  GXF_EXECUTE_FAILURE_REPEAT = 1,
  GXF_EXECUTE_FAILURE_DEACTIVATE = 2,
  GXF_EXECUTE_FAILURE = 3,
} gxf_execution_status_t;

/// A controller's verdict.
struct gxf_controller_status_t {
  entity_state_t behavior_status;
  gxf_execution_status_t exec_status;

  gxf_controller_status_t() : gxf_controller_status_t(GXF_BEHAVIOR_INIT, GXF_EXECUTE_SUCCESS) {}
  gxf_controller_status_t(entity_state_t behavior, gxf_execution_status_t execution)
      : behavior_status(behavior), exec_status(execution) {}
};

/// Judges the ticks of its entity.
class Controller : public Component {
 public:
  ~Controller() override = default;

  virtual gxf_controller_status_t control(gxf_uid_t eid, Expected<void> code) = 0;
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/controller.hpp"
#include "gxf/sdk/tables/controller.hpp"

#endif  // NVIDIA_GXF_STD_CONTROLLER_HPP_
