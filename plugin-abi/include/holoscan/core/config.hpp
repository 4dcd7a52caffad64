/// The configuration of an application.
#ifndef HOLOSCAN_CORE_CONFIG_HPP_
#define HOLOSCAN_CORE_CONFIG_HPP_

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gxf/sdk/yaml.hpp"

namespace holoscan {

/// A file in YAML with values for parameters.
class Config {
 public:
  Config() = default;
  /// Reads the file. The prefix is only kept.
  explicit Config(const std::string& config_file, std::string prefix = "")
      : config_file_(config_file), prefix_(std::move(prefix)) {
    try {
      yaml_nodes_ = YAML::LoadAllFromFile(config_file);
    } catch (const YAML::Exception& exception) {
      throw std::runtime_error("cannot read the configuration `" + config_file +
                               "`: " + exception.what());
    }
  }

  /// Empty without a file.
  const std::string& config_file() const { return config_file_; }
  const std::string& prefix() const { return prefix_; }
  /// The documents of the file.
  const std::vector<YAML::Node>& yaml_nodes() const { return yaml_nodes_; }

 private:
  std::string config_file_;
  std::string prefix_;
  std::vector<YAML::Node> yaml_nodes_;
};

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_CONFIG_HPP_
