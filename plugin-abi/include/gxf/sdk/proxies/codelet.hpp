/// Proxies for foreign codelets.
#ifndef GXF_SDK_PROXIES_CODELET_HPP_
#define GXF_SDK_PROXIES_CODELET_HPP_

#include "gxf/std/codelet.hpp"
#include "gxf/sdk/proxies/proxy.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

/// Codelets are run by the scheduler; a handle to one serves to name it.
template <typename Base>
class CodeletProxy : public Base {
 public:
  Expected<void> Connect() { return Success; }
  gxf_result_t tick() override { return GXF_NOT_IMPLEMENTED; }
};
template <>
struct Proxy<Codelet> : ProxyOf<CodeletProxy<Codelet>> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_CODELET_HPP_
