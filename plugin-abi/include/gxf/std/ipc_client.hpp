/// Calls services of other processes.
#ifndef NVIDIA_GXF_STD_IPC_CLIENT_HPP_
#define NVIDIA_GXF_STD_IPC_CLIENT_HPP_

#include <cstdint>
#include <string>

#include "gxf/core/component.hpp"

namespace nvidia {
namespace gxf {

/// Sends requests to another process.
class IPCClient : public Component {
 public:
  ~IPCClient() override = default;

  virtual Expected<std::string> query(const std::string& service, const std::string& resource) = 0;
  virtual Expected<void> action(const std::string& service, const std::string& resource,
                                const std::string& data) = 0;
  virtual Expected<std::string> ping(const std::string& service = "ping") = 0;
  virtual IPCClient& changeAddress(const std::string& ip, const uint32_t port) = 0;
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/ipc_client.hpp"
#include "gxf/sdk/tables/ipc_client.hpp"

#endif  // NVIDIA_GXF_STD_IPC_CLIENT_HPP_
