/// Configuration files of applications.
#ifndef NVIDIA_GXF_APP_CONFIG_PARSER_HPP_
#define NVIDIA_GXF_APP_CONFIG_PARSER_HPP_

#include <algorithm>
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
      for (const char* key : {"worker", "driver"}) {
        if (config[key].IsDefined()) {
          return detail::Refuse(GXF_NOT_IMPLEMENTED,
                                "`" + filename + "`: `" + key + "` of a configuration file; use the " +
                                    "components GraphWorker and GraphDriver in an app file");
        }
      }
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

 private:
  bool has_list_ = false;
  std::vector<std::string> enabled_;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_APP_CONFIG_PARSER_HPP_
