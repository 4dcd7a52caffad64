/// Multiplies pictures.
#ifndef NVIDIA_GXF_NPP_NPPI_MUL_C_HPP_
#define NVIDIA_GXF_NPP_NPPI_MUL_C_HPP_

#include "gxf/std/codelet.hpp"

namespace nvidia {
namespace gxf {

/// A component of `libgxf_npp.so`; a handle to one names it.
class NppiMulC : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<NppiMulC> : ProxyOf<CodeletProxy<NppiMulC>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_NPP_NPPI_MUL_C_HPP_
