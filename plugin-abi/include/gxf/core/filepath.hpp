/// Paths of files as parameters.
#ifndef NVIDIA_GXF_CORE_FILEPATH_HPP_
#define NVIDIA_GXF_CORE_FILEPATH_HPP_

#include <string>

#include "gxf/sdk/yaml.hpp"

namespace nvidia {
namespace gxf {

/// The path of a file.
struct FilePath : public std::string {
  FilePath() = default;
  FilePath(const char* path) : std::string(path) {}
  FilePath(const std::string& path) : std::string(path) {}
};

}  // namespace gxf
}  // namespace nvidia

namespace YAML {

template <>
struct convert<nvidia::gxf::FilePath> {
  static Node encode(const nvidia::gxf::FilePath& path) {
    return Node(static_cast<const std::string&>(path));
  }
  static bool decode(const Node& node, nvidia::gxf::FilePath& path) {
    path = nvidia::gxf::FilePath(node.as<std::string>());
    return true;
  }
};

}  // namespace YAML

#endif  // NVIDIA_GXF_CORE_FILEPATH_HPP_
