/// Groups of entities that share resources.
#ifndef NVIDIA_GXF_APP_ENTITY_GROUP_HPP_
#define NVIDIA_GXF_APP_ENTITY_GROUP_HPP_

#include <memory>
#include <string>
#include <vector>

#include "gxf/app/graph_entity.hpp"

namespace nvidia {
namespace gxf {

/// A group of entities. Their codelets use the resources in it, such as thread pools and GPUs.
class EntityGroup {
 public:
  Expected<void> setup(gxf_context_t context, const char* name) {
    context_ = context;
    name_ = name == nullptr ? "" : name;
    const gxf_result_t code = GxfCreateEntityGroup(context, name_.c_str(), &gid_);
    if (code != GXF_SUCCESS) { return detail::Failed(code, "cannot create group `" + name_ + "`"); }
    return Success;
  }

  const char* name() const { return name_.c_str(); }
  gxf_uid_t gid() const { return gid_; }

  /// Moves an entity into this group.
  Expected<void> add(const GraphEntityPtr& entity) {
    if (entity == nullptr) { return Unexpected{GXF_ARGUMENT_NULL}; }
    const gxf_result_t code = GxfUpdateEntityGroup(context_, gid_, entity->eid());
    if (code == GXF_SUCCESS) { return Success; }
    return detail::Failed(code, "cannot move entity `" + std::string{entity->name()} +
                                    "` to group `" + name_ + "`");
  }
  Expected<void> add(const std::vector<GraphEntityPtr>& entities) {
    Expected<void> result;
    for (const GraphEntityPtr& entity : entities) { result &= add(entity); }
    return result;
  }

 private:
  gxf_context_t context_ = kNullContext;
  gxf_uid_t gid_ = kNullUid;
  std::string name_;
};

using EntityGroupPtr = std::shared_ptr<EntityGroup>;

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_APP_ENTITY_GROUP_HPP_
