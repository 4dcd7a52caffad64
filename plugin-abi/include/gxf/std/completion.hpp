/// Work outside the graph, and tokens that wake entities once it is done.
#ifndef NVIDIA_GXF_STD_COMPLETION_HPP_
#define NVIDIA_GXF_STD_COMPLETION_HPP_

#include <utility>

#include "gxf/core/component.hpp"

namespace gxe {

/// Wakes an entity once. It may be used on any thread and at any time, also when the entity is no
/// longer active or its graph is gone: then nothing happens. Destroyed unused, it wakes nobody.
class WakeToken {
 public:
  /// A token for an entity, such as `WakeToken::Of(context(), eid())`.
  static nvidia::gxf::Expected<WakeToken> Of(gxf_context_t context, gxf_uid_t eid) {
    namespace sdk = nvidia::gxf::sdk;
    GxeWakeToken* token = nullptr;
    const GxeResultCode code = sdk::Host().wake_token_new(sdk::ToAbi(context), eid, &token);
    if (code != GxeResultCode_SUCCESS) { return nvidia::gxf::Unexpected{sdk::ToGxf(code)}; }
    return WakeToken(token);
  }

  /// Takes a reference over from its ABI form.
  explicit WakeToken(GxeWakeToken* token) : token_(token) {}
  WakeToken(WakeToken&& other) noexcept : token_(std::exchange(other.token_, nullptr)) {}
  WakeToken& operator=(WakeToken&& other) noexcept {
    std::swap(token_, other.token_);
    return *this;
  }
  ~WakeToken() {
    if (token_ != nullptr) { nvidia::gxf::sdk::Host().wake_token_release(token_); }
  }

  /// Wakes the entity, unless another copy of the token has done so. The token is used up.
  void wake() {
    if (token_ != nullptr) {
      nvidia::gxf::sdk::Host().wake_token_use(std::exchange(token_, nullptr));
    }
  }

  /// Another token for the same waking: the first one that is used wakes the entity.
  WakeToken copy() const {
    if (token_ != nullptr) { nvidia::gxf::sdk::Host().wake_token_retain(token_); }
    return WakeToken(token_);
  }

  /// Gives the reference to the caller, in its ABI form.
  GxeWakeToken* release() { return std::exchange(token_, nullptr); }

 private:
  GxeWakeToken* token_;
};

/// Something that will be done at a time the graph does not decide, such as work on a device or a
/// network transfer. A parameter of type `Handle<gxe::Completion>` accepts every component that
/// implements it, in whatever language. Not part of GXF.
class Completion : public nvidia::gxf::Component {
 public:
  ~Completion() override = default;

  /// Whether it is done. An error means that it is done and failed.
  virtual nvidia::gxf::Expected<bool> poll() = 0;
  /// Takes a token and uses it once the work is done or has failed: from any thread, or before this
  /// function returns if the work is done already. If that time never comes, the token is destroyed.
  virtual nvidia::gxf::Expected<void> notify(WakeToken token) = 0;
};

}  // namespace gxe

#include "gxf/sdk/proxies/completion.hpp"
#include "gxf/sdk/tables/completion.hpp"

#endif  // NVIDIA_GXF_STD_COMPLETION_HPP_
