/// Reads parameters of types the border has no form for from YAML.
#ifndef NVIDIA_GXF_CORE_PARAMETER_PARSER_HPP_
#define NVIDIA_GXF_CORE_PARAMETER_PARSER_HPP_

#include <exception>
#include <string>

#include "common/logger.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"
#include "gxf/sdk/yaml.hpp"

namespace nvidia {
namespace gxf {

/// Specialise this to make a type of your own a parameter.
template <typename T, typename V = void>
struct ParameterParser {
  static Expected<T> Parse(gxf_context_t context, gxf_uid_t component_uid, const char* key,
                           const YAML::Node& node, const std::string& prefix) {
    (void)context;
    (void)component_uid;
    (void)prefix;
    try {
      return node.as<T>();
    } catch (const std::exception& error) {
      GXF_LOG_ERROR("Could not parse parameter '%s': %s", key, error.what());
      return Unexpected{GXF_PARAMETER_PARSER_ERROR};
    }
  }
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_PARAMETER_PARSER_HPP_
