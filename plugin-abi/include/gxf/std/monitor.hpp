/// Observes every execution.
#ifndef NVIDIA_GXF_STD_MONITOR_HPP_
#define NVIDIA_GXF_STD_MONITOR_HPP_

#include <cstdint>

#include "gxf/core/component.hpp"

namespace nvidia {
namespace gxf {

/// Watches the entities of the graph.
class Monitor : public Component {
 public:
  ~Monitor() override = default;

  /// An entity was executed at a time, with a result.
  virtual gxf_result_t on_execute_abi(gxf_uid_t eid, uint64_t timestamp, gxf_result_t code) = 0;

  Expected<void> onExecute(gxf_uid_t eid, uint64_t timestamp, gxf_result_t code) {
    return ExpectedOrCode(on_execute_abi(eid, timestamp, code));
  }
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/monitor.hpp"
#include "gxf/sdk/tables/monitor.hpp"

#endif  // NVIDIA_GXF_STD_MONITOR_HPP_
