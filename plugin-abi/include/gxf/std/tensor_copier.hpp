/// Copies tensors to memory of another kind.
#ifndef NVIDIA_GXF_STD_TENSOR_COPIER_HPP_
#define NVIDIA_GXF_STD_TENSOR_COPIER_HPP_

#include "gxf/std/codelet.hpp"

namespace nvidia {
namespace gxf {

/// A codelet of the host; a handle to one names it.
class TensorCopier : public Codelet {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<TensorCopier> : ProxyOf<CodeletProxy<TensorCopier>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_TENSOR_COPIER_HPP_
