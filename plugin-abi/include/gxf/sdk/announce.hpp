/// Addresses of the host's components for C++ programs. They call `GxfComponentPointer` and use the
/// result as an object of GXF's class. The result is a proxy for the component.
#ifndef GXF_SDK_ANNOUNCE_HPP_
#define GXF_SDK_ANNOUNCE_HPP_

#include <cstdint>

#include "common/type_name.hpp"
#include "gxf/core/component.hpp"
#include "gxf/sdk/link.hpp"

extern "C" {
/// Creates and destroys proxies for components that were not made with these headers.
typedef struct GxeShim {
  /// Name of the type.
  const char* type_name;
  /// The interface that components made with these headers have.
  GxeTid own_interface;
  /// Creates a proxy for a component; null on failure.
  void* (*make)(gxf_context_t context, gxf_uid_t cid);
  /// Ends its life.
  void (*destroy)(void* object);
} GxeShim;

/// Tells the C API how to create proxies for a type; the first call for a type counts. The argument
/// must be valid for ever. Null if the process has no C API.
__attribute__((weak)) void GxeAnnounceStandIn(const GxeShim* shim);
}

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

/// Announces objects of type `T` while the program or extension is being loaded.
template <typename T>
struct Announced {
  Announced() {
    static const GxeShim shim = {TypenameAsString<T>(), kCppObjectTid, Make, Destroy};
    if (GxeAnnounceStandIn != nullptr) { GxeAnnounceStandIn(&shim); }
  }

 private:
  static void* Make(gxf_context_t context, gxf_uid_t cid) noexcept {
    try {
      const auto made = Proxy<T>::Make(context, cid);
      if (made) { return static_cast<T*>(made.value()); }
    } catch (...) { Report("an object for a component could not be made"); }
    return nullptr;
  }
  static void Destroy(void* object) noexcept { Proxy<T>::Destroy(static_cast<T*>(object)); }
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_ANNOUNCE_HPP_
