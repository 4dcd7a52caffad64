/// Offers services to other processes.
#ifndef NVIDIA_GXF_STD_IPC_SERVER_HPP_
#define NVIDIA_GXF_STD_IPC_SERVER_HPP_

#include <functional>
#include <string>

#include "gxf/core/component.hpp"

namespace nvidia {
namespace gxf {

/// Answers requests of other processes.
class IPCServer : public Component {
 public:
  /// A query asks; an action changes something.
  enum ServiceType { kQuery = 0, kAction = 1 };
  using QueryHandler = std::function<Expected<std::string>(const std::string& resource)>;
  using ActionHandler =
      std::function<Expected<void>(const std::string& resource, const std::string& data)>;
  /// Answers of one of the two kinds.
  struct Service {
    std::string name;
    ServiceType type;
    struct Handler {
      QueryHandler query;
      ActionHandler action;
    } handler;
  };

  ~IPCServer() override = default;

  virtual Expected<void> registerService(const Service& service) = 0;
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/ipc_server.hpp"
#include "gxf/sdk/tables/ipc_server.hpp"

#endif  // NVIDIA_GXF_STD_IPC_SERVER_HPP_
