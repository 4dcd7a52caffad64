/// Connects segments in several processes, starts and ends them.
#ifndef NVIDIA_GXF_APP_DRIVER_HPP_
#define NVIDIA_GXF_APP_DRIVER_HPP_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gxf/app/segment.hpp"

namespace nvidia {
namespace gxf {

/// A link between segments. Ends are "segment.entity.queue".
struct SegmentConnection {
  /// The transmitter.
  std::string source;
  /// The receiver.
  std::string target;
};

/// Becomes a `GraphDriver` with an HTTP server and client, in an entity of the application.
class Driver {
 public:
  Driver(Segment* owner, std::string name) : owner_(owner), name_(std::move(name)) {}

  const char* name() const { return name_.c_str(); }
  /// The port of the driver's server.
  Expected<void> setPort(uint32_t port) {
    port_ = port;
    return Success;
  }
  /// The links between all segments, wherever they run.
  Expected<void> setSegmentConnections(std::vector<SegmentConnection> connections) {
    connections_ = std::move(connections);
    return Success;
  }
  /// Adds the components. The application then runs the driver.
  Expected<void> commit() {
    YAML::Node links(YAML::NodeType::Sequence);
    for (const SegmentConnection& connection : connections_) {
      YAML::Node link(YAML::NodeType::Map);
      link["source"] = connection.source;
      link["target"] = connection.target;
      links.push_back(link);
    }
    return detail::AddHttpSystem(*owner_, name_, port_, {}, "nvidia::gxf::GraphDriver",
                                 "graph_driver", Arg("connections", links));
  }

 private:
  Segment* owner_;
  std::string name_;
  uint32_t port_ = 50000;
  std::vector<SegmentConnection> connections_;
};

using DriverPtr = std::shared_ptr<Driver>;

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_APP_DRIVER_HPP_
