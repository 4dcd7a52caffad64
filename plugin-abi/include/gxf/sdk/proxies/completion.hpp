/// Proxies for foreign completions.
#ifndef GXF_SDK_PROXIES_COMPLETION_HPP_
#define GXF_SDK_PROXIES_COMPLETION_HPP_

#include <utility>

#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/std/completion.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

class CompletionProxy : public gxe::Completion {
 public:
  Expected<void> Connect() {
    return completion_.Connect(context(), cid(), GXE_TID_COMPLETION);
  }
  Expected<bool> poll() override {
    bool done = false;
    const GxeResultCode code = completion_.table().poll(completion_.object(), &done);
    return ExpectedOrCode(ToGxf(code), done);
  }
  Expected<void> notify(gxe::WakeToken token) override {
    const GxeResultCode code = completion_.table().notify(completion_.object(), token.release());
    return ExpectedOrCode(ToGxf(code));
  }

 private:
  Link<GxeCompletionVtable> completion_;
};
template <>
struct Proxy<gxe::Completion> : ProxyOf<CompletionProxy> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_COMPLETION_HPP_
