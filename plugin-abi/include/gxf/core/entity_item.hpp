/// The runtime's own form of an entity, opaque to extensions.
#ifndef NVIDIA_GXF_CORE_ENTITY_ITEM_HPP_
#define NVIDIA_GXF_CORE_ENTITY_ITEM_HPP_

#include "gxf/sdk/requirements.hpp"

namespace nvidia {
namespace gxf {

/// Only known by its address, which `Entity::entity_item_ptr()` and `GxfEntityGetItemPtr()` give.
struct EntityItem;

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_ENTITY_ITEM_HPP_
