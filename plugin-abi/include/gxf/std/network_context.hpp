/// Links to other processes.
#ifndef NVIDIA_GXF_STD_NETWORK_CONTEXT_HPP_
#define NVIDIA_GXF_STD_NETWORK_CONTEXT_HPP_

#include "gxf/core/component.hpp"

namespace nvidia {
namespace gxf {

/// Opens the links of entities to other processes.
class NetworkContext : public Component {
 public:
  ~NetworkContext() override = default;

  /// Prepares the network before any route is added.
  virtual gxf_result_t init_context() = 0;
  virtual Expected<void> addRoutes(const Entity& entity) = 0;
  virtual Expected<void> removeRoutes(const Entity& entity) = 0;
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/network_context.hpp"
#include "gxf/sdk/tables/network_context.hpp"

#endif  // NVIDIA_GXF_STD_NETWORK_CONTEXT_HPP_
