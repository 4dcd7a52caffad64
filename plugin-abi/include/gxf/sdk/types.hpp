/// From C++ types to the ids they are registered under.
#ifndef GXF_SDK_TYPES_HPP_
#define GXF_SDK_TYPES_HPP_

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "common/type_name.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/sdk/host.hpp"
#include "gxf/sdk/known_types.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

inline gxf_tid_t ToGxf(GxeTid tid) {
  return {tid.hash1, tid.hash2};
}
inline GxeTid ToAbi(gxf_tid_t tid) {
  return {tid.hash1, tid.hash2};
}
inline gxf_result_t ToGxf(GxeResultCode code) {
  return static_cast<gxf_result_t>(code);
}
inline GxeContext* ToAbi(gxf_context_t context) {
  return static_cast<GxeContext*>(context);
}

/// The message with an id, with a reference of its own.
inline Expected<GxeMessage*> MessageOf(gxf_context_t context, gxf_uid_t uid) {
  GxeMessage* message = nullptr;
  const GxeResultCode code = Host().message_from_id(ToAbi(context), uid, &message);
  return ExpectedOrCode(ToGxf(code), message);
}

/// The types this extension registers, by name.
inline std::unordered_map<std::string, GxeTid>& OwnTypes() {
  // Never destroyed: destructors of other static objects may ask.
  static auto& types = *new std::unordered_map<std::string, GxeTid>;
  return types;
}

/// The id of a type by name: one of GXF's own or of this extension's; null for any other.
inline GxeTid FindType(std::string_view name) {
  const auto own = OwnTypes().find(std::string{name});
  if (own != OwnTypes().end()) { return own->second; }
  for (const KnownType& known : kKnownTypes) {
    if (known.name == name) { return known.tid; }
  }
  return GxeTid{0, 0};
}

/// An id that is found once and then kept.
struct CachedTid {
  std::atomic<bool> known{false};
  GxeTid tid{0, 0};
  std::mutex mutex;
};
template <typename T>
inline CachedTid cached_tid;

template <typename T>
__attribute__((noinline, cold)) Expected<GxeTid> LookUpTid(gxf_context_t context) {
  CachedTid& cached = cached_tid<T>;
  const std::lock_guard<std::mutex> lock(cached.mutex);
  GxeTid tid = FindType(TypenameAsString<T>());
  if (tid.hash1 == 0 && tid.hash2 == 0) {
    const GxeResultCode code =
        Host().type_id(ToAbi(context), ToText(TypenameAsString<T>()), &tid);
    if (code != GxeResultCode_SUCCESS) { return Unexpected{ToGxf(code)}; }
  }
  if (!cached.known.load(std::memory_order_relaxed)) {
    cached.tid = tid;
    cached.known.store(true, std::memory_order_release);
  }
  return tid;
}

/// The id a type is registered under. The context may be null for GXF's own types and those of this
/// extension.
template <typename T>
inline Expected<GxeTid> TidOf(gxf_context_t context) {
  if (__builtin_expect(cached_tid<T>.known.load(std::memory_order_acquire), 1)) {
    return cached_tid<T>.tid;
  }
  return LookUpTid<T>(context);
}

/// Text that ends with a zero byte and stays. Names are few and come again and again.
inline const char* Intern(std::string_view text) {
  if (text.empty()) { return ""; }
  static std::mutex mutex;
  static auto& texts = *new std::unordered_set<std::string>;
  const std::lock_guard<std::mutex> lock(mutex);
  return texts.emplace(text).first->c_str();
}
inline const char* Intern(GxeText text) {
  return Intern(FromText(text));
}

/// Discards the text of a host call that was expected to fail, so that no later error shows it.
inline void ForgetHostError() {
  (void)Host().last_error();
}

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TYPES_HPP_
