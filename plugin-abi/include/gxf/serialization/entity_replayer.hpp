/// Sends the messages of a recording.
#ifndef NVIDIA_GXF_SERIALIZATION_ENTITY_REPLAYER_HPP_
#define NVIDIA_GXF_SERIALIZATION_ENTITY_REPLAYER_HPP_

#include "gxf/std/codelet.hpp"

namespace nvidia {
namespace gxf {

/// A codelet of the host; a handle to one names it.
class EntityReplayer : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<EntityReplayer> : ProxyOf<CodeletProxy<EntityReplayer>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_SERIALIZATION_ENTITY_REPLAYER_HPP_
