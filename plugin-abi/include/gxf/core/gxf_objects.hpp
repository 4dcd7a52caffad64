/*
 * The functions of the C API that take an object of C++, for programs in C++. The library knows
 * neither yaml-cpp nor the maps of a compiler's library, so a node crosses as text and a map as
 * arrays. An object whose type is hidden behind a `void*` reaches the functions of the library and is
 * refused with GXF_NOT_IMPLEMENTED. Included by gxf.h; needs yaml-cpp only in programs that call
 * functions for its nodes, which have its headers anyway.
 */
#ifndef NVIDIA_GXF_CORE_GXF_OBJECTS_HPP_
#define NVIDIA_GXF_CORE_GXF_OBJECTS_HPP_

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

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

/* As GxfGraphLoadFileWithPrerequisites, for a map from names to handles. */
template <typename MAP,
          typename = decltype(std::declval<const typename MAP::mapped_type&>().cid())>
gxf_result_t GxfGraphLoadFileExtended(gxf_context_t context, const char* filename,
                                      const char* entity_prefix, const char* parameters_override[],
                                      const uint32_t num_overrides, gxf_uid_t parent_eid,
                                      MAP* prerequisites) {
  std::vector<const char*> names;
  std::vector<gxf_uid_t> cids;
  if (prerequisites != nullptr) {
    for (const auto& prerequisite : *prerequisites) {
      names.push_back(prerequisite.first.c_str());
      cids.push_back(prerequisite.second.cid());
    }
  }
  return GxfGraphLoadFileWithPrerequisites(
      context, filename, entity_prefix, parameters_override, num_overrides, parent_eid,
      names.data(), cids.data(), static_cast<uint32_t>(names.size()));
}

#endif  /* NVIDIA_GXF_CORE_GXF_OBJECTS_HPP_ */
