/*
 * GxfParameterSetFromYamlNode and GxfParameterGetAsYamlNode for nodes of yaml-cpp. The library does
 * not know yaml-cpp, so that a node crosses as text. Included by gxf.h; needs yaml-cpp only in
 * programs that call these functions, which have its headers anyway.
 */
#ifndef NVIDIA_GXF_CORE_GXF_YAML_HPP_
#define NVIDIA_GXF_CORE_GXF_YAML_HPP_

#include <string>
#include <type_traits>

#include "gxf/core/gxf.h"

namespace YAML {
class Node;
Node Load(const std::string& input);
}  // namespace YAML

/* As GxfParameterSetFromYamlText, for what the node holds. */
template <typename NODE,
          typename = std::enable_if_t<std::is_same<std::remove_cv_t<NODE>, YAML::Node>::value>>
gxf_result_t GxfParameterSetFromYamlNode(gxf_context_t context, gxf_uid_t uid, const char* key,
                                         NODE* yaml_node, const char* prefix) {
  if (yaml_node == nullptr) { return GXF_ARGUMENT_NULL; }
  const std::string text = Dump(*yaml_node);
  return GxfParameterSetFromYamlText(context, uid, key, text.c_str(), prefix);
}

/* As GxfParameterGetAsYamlText, into the node. */
template <typename NODE, typename = std::enable_if_t<std::is_same<NODE, YAML::Node>::value>>
gxf_result_t GxfParameterGetAsYamlNode(gxf_context_t context, gxf_uid_t uid, const char* key,
                                       NODE* yaml_node) {
  if (yaml_node == nullptr) { return GXF_ARGUMENT_NULL; }
  const char* text = nullptr;
  const gxf_result_t code = GxfParameterGetAsYamlText(context, uid, key, &text);
  /* A type that depends on NODE: where the node is not complete, nothing may be known of it yet. */
  using Text = std::conditional_t<std::is_same<NODE, YAML::Node>::value, std::string, NODE>;
  if (code == GXF_SUCCESS) { *yaml_node = YAML::Load(Text(text)); }
  return code;
}

#endif  /* NVIDIA_GXF_CORE_GXF_YAML_HPP_ */
