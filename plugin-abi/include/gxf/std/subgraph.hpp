/// A graph in a graph.
#ifndef NVIDIA_GXF_STD_SUBGRAPH_HPP_
#define NVIDIA_GXF_STD_SUBGRAPH_HPP_

#include <map>
#include <string>
#include <utility>

#include "gxf/core/parameter_parser.hpp"
#include "gxf/core/parameter_wrapper.hpp"
#include "gxf/sdk/proxies/proxy.hpp"

namespace nvidia {
namespace gxf {

/// Components by the names a subgraph has for them.
template <>
struct ParameterParser<std::map<std::string, Handle<Component>>> {
  static Expected<std::map<std::string, Handle<Component>>> Parse(gxf_context_t context,
                                                                  gxf_uid_t component_uid,
                                                                  const char* key,
                                                                  const YAML::Node& node,
                                                                  const std::string& prefix) {
    if (!node.IsMap()) {
      GXF_LOG_ERROR("parameter `%s` is no mapping", key);
      return Unexpected{GXF_PARAMETER_PARSER_ERROR};
    }
    std::map<std::string, Handle<Component>> result;
    for (const auto& entry : node) {
      auto component = ParameterParser<Handle<Component>>::Parse(context, component_uid, key,
                                                                 entry.second, prefix);
      if (!component) { return ForwardError(component); }
      result[entry.first.as<std::string>()] = std::move(component.value());
    }
    return result;
  }
};

template <>
struct ParameterWrapper<std::map<std::string, Handle<Component>>> {
  static Expected<YAML::Node> Wrap(gxf_context_t context,
                                   const std::map<std::string, Handle<Component>>& components) {
    YAML::Node node(YAML::NodeType::Map);
    for (const auto& [name, component] : components) {
      auto element = ParameterWrapper<Handle<Component>>::Wrap(context, component);
      if (!element) { return element; }
      node[name] = element.value();
    }
    return node;
  }
};

/// A component of the host; a handle to one names it.
class Subgraph : public Component {};

namespace sdk __attribute__((visibility("hidden"))) {
class SubgraphProxy : public Subgraph {
 public:
  Expected<void> Connect() { return Success; }
};
template <>
struct Proxy<Subgraph> : ProxyOf<SubgraphProxy> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_SUBGRAPH_HPP_
