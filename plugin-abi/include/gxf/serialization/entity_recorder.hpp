/// Writes messages to a recording.
#ifndef NVIDIA_GXF_SERIALIZATION_ENTITY_RECORDER_HPP_
#define NVIDIA_GXF_SERIALIZATION_ENTITY_RECORDER_HPP_

#include "gxf/std/codelet.hpp"

namespace nvidia {
namespace gxf {

/// A codelet of the host; a handle to one names it.
class EntityRecorder : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<EntityRecorder> : ProxyOf<CodeletProxy<EntityRecorder>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_SERIALIZATION_ENTITY_RECORDER_HPP_
