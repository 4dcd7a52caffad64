/// `YAML::Node`: yaml-cpp's where it is installed, otherwise one of our own with the part of its
/// interface that parameter parsers use.
#ifndef GXF_SDK_YAML_HPP_
#define GXF_SDK_YAML_HPP_

#if __has_include(<yaml-cpp/yaml.h>)
#include <yaml-cpp/yaml.h>
#else
#include "gxf/sdk/yaml_node.hpp"
#endif

#endif  // GXF_SDK_YAML_HPP_
