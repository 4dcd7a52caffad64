/// The common part of all table functions. No exception crosses the ABI boundary.
#ifndef GXF_SDK_GUARD_HPP_
#define GXF_SDK_GUARD_HPP_

#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "common/logger.hpp"
#include "gxf/core/gxf.h"
#include "gxf/sdk/host.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

/// An object of type `T` as its base, however it is derived from it: `class Sum : Codelet` is
/// private inheritance, which only this way of casting does not mind.
template <typename Base, typename T>
Base& BaseOf(void* object) {
  return (Base&)*static_cast<T*>(object);
}

/// Text of the current exception. Call it in a handler.
inline std::string Thrown(const char* stage) {
  const bool is_function = std::strchr(stage, ' ') == nullptr;
  const std::string text = std::string{stage} + (is_function ? "() threw " : " threw ");
  try {
    throw;
  } catch (const std::exception& error) {
    return text + "an exception: " + error.what();
  } catch (const std::string& thrown) {
    return text + "a text: " + thrown;
  } catch (const char* thrown) {
    return text + "a text: " + (thrown == nullptr ? "" : thrown);
  } catch (...) { return text + "something that is no exception"; }
}

/// Calls a function that returns a result code. An exception becomes an error, which the host shows
/// with the name of the component.
template <typename F>
inline GxeResultCode Guard(const char* stage, F&& function) noexcept {
  try {
    return static_cast<GxeResultCode>(std::forward<F>(function)());
  } catch (...) {
    Report(Thrown(stage));
    return GxeResultCode_FAILURE;
  }
}

/// Text of the current exception of a component. Call it in a handler.
template <typename T>
std::string ThrownIn(const T& component, const char* stage) {
  const std::string name = component.name();
  return "component " + (name.empty() ? "" : "`" + name + "` ") + "of type " +
         component.type_name() + ": " + Thrown(stage);
}

/// As above, for a function others call: the host does not know whom they call.
template <typename T, typename F>
inline GxeResultCode Guard(const T& component, const char* stage, F&& function) noexcept {
  try {
    return static_cast<GxeResultCode>(std::forward<F>(function)());
  } catch (...) {
    Report(ThrownIn(component, stage));
    return GxeResultCode_FAILURE;
  }
}

/// Calls a function of a component that returns a value; when it throws, the text is logged and
/// `fallback` returned.
template <typename R, typename T, typename F>
inline R GuardValue(const T& component, const char* stage, R fallback, F&& function) noexcept {
  try {
    return static_cast<R>(std::forward<F>(function)());
  } catch (...) {
    GXF_LOG_ERROR("%s", ThrownIn(component, stage).c_str());
    return fallback;
  }
}

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_GUARD_HPP_
