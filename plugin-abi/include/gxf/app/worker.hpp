/// Runs segments of a program for a driver, perhaps in another process or on another host.
#ifndef NVIDIA_GXF_APP_WORKER_HPP_
#define NVIDIA_GXF_APP_WORKER_HPP_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "gxf/app/segment.hpp"

namespace nvidia {
namespace gxf {

/// Becomes a `GraphWorker` with an HTTP server and client, in an entity of the application.
class Worker {
 public:
  Worker(Segment* owner, std::string name) : owner_(owner), name_(std::move(name)) {}

  const char* name() const { return name_.c_str(); }
  /// The port of the worker's server. Two workers on one host need two ports.
  Expected<void> setPort(uint32_t port) {
    port_ = port;
    return Success;
  }
  /// Address or name of the driver's host.
  Expected<void> setDriverIp(const std::string& ip) {
    driver_ip_ = ip;
    return Success;
  }
  /// The port of the driver's server.
  Expected<void> setDriverPort(uint32_t port) {
    driver_port_ = port;
    return Success;
  }
  /// The segments that run here, by name.
  Expected<void> setGraphSegments(std::map<std::string, SegmentPtr> segments) {
    segments_ = std::move(segments);
    return Success;
  }
  /// Adds the components. The application then runs the worker.
  Expected<void> commit() {
    YAML::Node specs(YAML::NodeType::Map);
    for (const auto& [name, segment] : segments_) {
      const auto ready = segment->Complete();
      if (!ready) { return ready; }
      YAML::Node spec(YAML::NodeType::Map);
      spec["context"] = std::to_string(reinterpret_cast<uintptr_t>(segment->context()));
      specs[name] = spec;
    }
    return detail::AddHttpSystem(
        *owner_, name_, port_,
        {Arg("server_ip_address", driver_ip_), Arg("port", driver_port_)},
        "nvidia::gxf::GraphWorker", "graph_worker", Arg("graph-specs", specs));
  }

 private:
  Segment* owner_;
  std::string name_;
  uint32_t port_ = 50001;
  std::string driver_ip_ = "localhost";
  uint32_t driver_port_ = 50000;
  std::map<std::string, SegmentPtr> segments_;
};

using WorkerPtr = std::shared_ptr<Worker>;

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_APP_WORKER_HPP_
