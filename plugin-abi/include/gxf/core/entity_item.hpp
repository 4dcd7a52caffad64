/// What an entity is inside the runtime: nothing that extensions could look into.
#ifndef NVIDIA_GXF_CORE_ENTITY_ITEM_HPP_
#define NVIDIA_GXF_CORE_ENTITY_ITEM_HPP_

namespace nvidia {
namespace gxf {

/// Only known by its address, which `Entity::entity_item_ptr()` and `GxfEntityGetItemPtr()` give.
struct EntityItem;

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_ENTITY_ITEM_HPP_
