/// Pictures of one colour.
#ifndef NVIDIA_GXF_NPP_NPPI_SET_HPP_
#define NVIDIA_GXF_NPP_NPPI_SET_HPP_

#include "gxf/std/codelet.hpp"

namespace nvidia {
namespace gxf {

/// A component of `libgxf_npp.so`; a handle to one names it.
class NppiSet : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<NppiSet> : ProxyOf<CodeletProxy<NppiSet>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_NPP_NPPI_SET_HPP_
