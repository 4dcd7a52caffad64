/// `YAML::Node`: yaml-cpp's where it is installed, otherwise one of our own with the part of its
/// interface that parameter parsers use.
#ifndef GXF_SDK_YAML_HPP_
#define GXF_SDK_YAML_HPP_

#include <yaml-cpp/yaml.h>

#endif  // GXF_SDK_YAML_HPP_
