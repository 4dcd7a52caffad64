/// The host's way into completions.
#ifndef GXF_SDK_TABLES_COMPLETION_HPP_
#define GXF_SDK_TABLES_COMPLETION_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/std/completion.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct CompletionTable {
  static gxe::Completion& Self(void* object) { return BaseOf<gxe::Completion, T>(object); }
  static GxeResultCode Poll(void* object, bool* done) noexcept {
    return Guard(Self(object), "poll", [&]() -> gxf_result_t {
      const auto result = Self(object).poll();
      if (!result) { return result.error(); }
      *done = result.value();
      return GXF_SUCCESS;
    });
  }
  static GxeResultCode Notify(void* object, GxeWakeToken* token) noexcept {
    gxe::WakeToken owned(token);
    return Guard(Self(object), "notify",
                 [&] { return ToResultCode(Self(object).notify(std::move(owned))); });
  }
  static constexpr GxeCompletionVtable kTable = {sizeof(GxeCompletionVtable), Poll, Notify};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_COMPLETION_HPP_
