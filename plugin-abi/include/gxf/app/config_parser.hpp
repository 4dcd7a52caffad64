/// Configuration files of applications.
#ifndef NVIDIA_GXF_APP_CONFIG_PARSER_HPP_
#define NVIDIA_GXF_APP_CONFIG_PARSER_HPP_

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "gxf/app/graph_entity.hpp"
#include "gxf/sdk/yaml.hpp"

namespace nvidia {
namespace gxf {

/// Reads a configuration file:
///
/// ```yaml
/// segment_config:
///   enabled_segments:
///   - segment_name: left
///   worker: {name: worker, port: 50002, driver_ip: localhost, driver_port: 50000}
///   driver: {name: driver, port: 50000}
/// ```
///
/// Segments may also be listed by their names alone. Without a list, all of them run.
class ConfigParser {
 public:
  /// Reads a file.
  Expected<void> setFilePath(const std::string& filename) {
    try {
      const YAML::Node config = YAML::LoadFile(filename)["segment_config"];
      if (!config.IsDefined()) {
        return detail::Refuse(GXF_INVALID_DATA_FORMAT, "`" + filename + "` has no `segment_config`");
      }
      const auto read = Read("worker", config, {"name", "port", "driver_ip", "driver_port"}, worker_);
      if (!read) { return read; }
      const auto driver = Read("driver", config, {"name", "port"}, driver_);
      if (!driver) { return driver; }
      const YAML::Node enabled = config["enabled_segments"];
      if (!enabled.IsDefined()) { return Success; }
      has_list_ = true;
      for (const auto& each : enabled) {
        const YAML::Node name = each.IsMap() ? YAML::Node(each["segment_name"]) : YAML::Node(each);
        enabled_.push_back(name.as<std::string>());
      }
    } catch (const std::exception& exception) {
      return detail::Refuse(GXF_INVALID_DATA_FORMAT, "`" + filename + "`: " + exception.what());
    }
    return Success;
  }
  /// Whether a segment runs in this process.
  bool isEnabled(const std::string& segment) const {
    return !has_list_ || std::find(enabled_.begin(), enabled_.end(), segment) != enabled_.end();
  }
  /// The segments that the file lists.
  const std::vector<std::string>& enabled() const { return enabled_; }
  /// What the file says of this process's worker; nothing if it has none.
  const std::optional<std::vector<Arg>>& worker() const { return worker_; }
  /// What the file says of this process's driver; nothing if it has none.
  const std::optional<std::vector<Arg>>& driver() const { return driver_; }

 private:
  Expected<void> Read(const char* part, const YAML::Node& config,
                      const std::vector<std::string>& keys, std::optional<std::vector<Arg>>& args) {
    const YAML::Node node = config[part];
    if (!node.IsDefined()) { return Success; }
    args.emplace();
    for (const auto& pair : node) {
      const auto key = pair.first.template as<std::string>();
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        return detail::Refuse(GXF_INVALID_DATA_FORMAT,
                              "`" + std::string{part} + "` has no key `" + key + "`");
      }
      args->emplace_back(key, YAML::Node(pair.second));
    }
    return Success;
  }

  bool has_list_ = false;
  std::vector<std::string> enabled_;
  std::optional<std::vector<Arg>> worker_;
  std::optional<std::vector<Arg>> driver_;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_APP_CONFIG_PARSER_HPP_
