/// A component of the host or of another extension, reached through a function table.
#ifndef GXF_SDK_LINK_HPP_
#define GXF_SDK_LINK_HPP_

#include <atomic>
#include <utility>

#include "gxf/sdk/types.hpp"

namespace nvidia {
namespace gxf {

class Component;

namespace detail {

/// Keeps a component's memory alive, and, for a foreign component, the proxy on this side.
class Owner {
 public:
  /// Consumes a reference of the host. `destroy` destroys `proxy`.
  Owner(void* token, Component* proxy, void (*destroy)(Component*))
      : token_(token), proxy_(proxy), destroy_(destroy) {}
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  void Retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void Release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) { delete this; }
  }

 private:
  ~Owner() {
    if (proxy_ != nullptr) { destroy_(proxy_); }
    if (token_ != nullptr) { sdk::Host().component_release(token_); }
  }

  std::atomic<uint32_t> references_{1};
  void* token_;
  Component* proxy_;
  void (*destroy_)(Component*);
};

}  // namespace detail

namespace sdk __attribute__((visibility("hidden"))) {

/// Identifies a component made with these headers: its object can be used directly, without a
/// function table between. An id of our own that only these headers know.
inline constexpr GxeTid kCppObjectTid = {0x7f3c1f62d5a84b0e, 0x9d5c41a86ad0c2b7};

/// The table for `kCppObjectTid`. The layout version changes with the layout of the base classes
/// and of `Parameter`, and with the compiler's binary interface.
struct CppObjectTable {
  size_t size;
  uint64_t layout_version;
};
inline constexpr CppObjectTable kCppObjectTable = {sizeof(CppObjectTable),
                                                   (uint64_t{__GXX_ABI_VERSION} << 32) | 2};

/// An interface of a component, which it keeps alive.
template <typename Vtable>
class Link {
 public:
  Link() = default;
  ~Link() {
    if (reference_.owner != nullptr) { Host().component_release(reference_.owner); }
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  Expected<void> Connect(gxf_context_t context, gxf_uid_t cid, GxeTid interface_id) {
    const GxeResultCode code =
        Host().component_interface(ToAbi(context), cid, interface_id, &reference_);
    return ExpectedOrCode(ToGxf(code));
  }

  const Vtable& table() const { return *static_cast<const Vtable*>(reference_.vtable); }
  void* object() const { return reference_.object; }

 private:
  GxeInterfaceRef reference_{};
};

/// Creates a proxy of type `T` for a foreign component. Each of GXF's types has a specialisation;
/// types of extensions have none.
template <typename T>
struct Proxy {
  static constexpr bool kExists = false;
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_LINK_HPP_
