/// Buffer of a link.
#ifndef NVIDIA_GXF_UCX_UCX_SERIALIZATION_BUFFER_HPP_
#define NVIDIA_GXF_UCX_UCX_SERIALIZATION_BUFFER_HPP_

#include "gxf/serialization/endpoint.hpp"
#include "gxf/sdk/proxies/endpoint.hpp"

namespace nvidia {
namespace gxf {

/// Memory for the heads of messages; a component of `libgxf_ucx.so`.
class UcxSerializationBuffer : public Endpoint {};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<UcxSerializationBuffer> : ProxyOf<EndpointProxy<UcxSerializationBuffer>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_UCX_UCX_SERIALIZATION_BUFFER_HPP_
