/// Handles: safe pointers to components of entities and to payloads of messages.
#ifndef NVIDIA_GXF_CORE_HANDLE_HPP_
#define NVIDIA_GXF_CORE_HANDLE_HPP_

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "common/assert.hpp"
#include "common/type_name.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"
#include "gxf/sdk/link.hpp"
#include "gxf/sdk/standard.hpp"
#include "gxf/sdk/types.hpp"

namespace nvidia {
namespace gxf {

class Component;
class Entity;

/// A handle without the type of its target. It keeps a component's memory alive; a payload lives as
/// long as its message.
class UntypedHandle {
 public:
  static UntypedHandle Null() { return UntypedHandle{kNullContext, kNullUid}; }
  /// A handle to the component with this id.
  static Expected<UntypedHandle> Create(gxf_context_t context, gxf_uid_t cid) {
    UntypedHandle handle{context, cid};
    if (IsPayload(cid)) {
      const auto found = handle.FindPayload();
      if (!found) { return ForwardError(found); }
      return handle;
    }
    GxeTid tid;
    const GxeResultCode code =
        sdk::Host().component_type(sdk::ToAbi(context), cid, &tid);
    if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
    const auto result = handle.initialize(sdk::ToGxf(tid));
    if (!result) { return ForwardError(result); }
    return handle;
  }
  /// A handle to an object at a known address.
  static Expected<UntypedHandle> Create(gxf_context_t context, gxf_uid_t cid, gxf_tid_t tid,
                                        void* pointer) {
    return UntypedHandle{context, cid, tid, pointer};
  }

  UntypedHandle(const UntypedHandle& other)
      : context_(other.context_),
        cid_(other.cid_),
        tid_(other.tid_),
        pointer_(other.pointer_),
        owner_(other.owner_),
        message_(other.message_) {
    if (owner_ != nullptr) { owner_->Retain(); }
  }
  UntypedHandle(UntypedHandle&& other) noexcept
      : context_(other.context_),
        cid_(other.cid_),
        tid_(other.tid_),
        pointer_(other.pointer_),
        owner_(std::exchange(other.owner_, nullptr)),
        message_(other.message_) {}
  UntypedHandle& operator=(UntypedHandle other) noexcept {
    std::swap(context_, other.context_);
    std::swap(cid_, other.cid_);
    std::swap(tid_, other.tid_);
    std::swap(pointer_, other.pointer_);
    std::swap(owner_, other.owner_);
    std::swap(message_, other.message_);
    return *this;
  }
  ~UntypedHandle() {
    if (owner_ != nullptr) { owner_->Release(); }
  }

  /// The context the component belongs to.
  gxf_context_t context() const { return context_; }
  /// Id of the component.
  gxf_uid_t cid() const {
    return message_ == nullptr ? cid_ : PayloadId();
  }
  /// Id of the type the handle was made for.
  gxf_tid_t tid() const { return tid_; }
  /// Address of the object; null for none.
  void* get_ptr() const { return pointer_; }
  bool is_null() const {
    return (cid_ == kNullUid || cid_ == kUnspecifiedUid) && message_ == nullptr;
  }
  explicit operator bool() const { return !is_null(); }
  /// Name of the component; empty for none.
  const char* name() const {
    if (is_null()) { return ""; }
    if (message_ != nullptr) { return PayloadName(); }
    GxeText name{};
    const GxeResultCode code =
        sdk::Host().component_name(sdk::ToAbi(context_), cid_, &name);
    return code == GxeResultCode_SUCCESS ? sdk::Intern(name) : "";
  }

 protected:
  friend class Component;
  friend class Entity;
  template <typename>
  friend class Handle;

  UntypedHandle(gxf_context_t context, gxf_uid_t cid) : context_(context), cid_(cid) {}
  UntypedHandle(gxf_context_t context, gxf_uid_t cid, gxf_tid_t tid, void* pointer)
      : context_(context), cid_(cid), tid_(tid), pointer_(pointer) {}
  /// A handle to a payload; its id is created on demand.
  UntypedHandle(gxf_context_t context, GxeMessage* message, const GxePayloadRef& payload)
      : context_(context),
        tid_(sdk::ToGxf(payload.tid)),
        pointer_(payload.data),
        message_(message) {}

  /// Finds the object of a component or payload of this type.
  Expected<void> initialize(gxf_tid_t tid) {
    tid_ = tid;
    pointer_ = nullptr;
    if (IsPayload(cid_)) { return FindPayload(); }
    GxeInterfaceRef found{};
    const GxeResultCode code = sdk::Host().component_pointer(sdk::ToAbi(context_), cid_,
                                                             sdk::ToAbi(tid), &found);
    if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
    pointer_ = found.object;
    SetOwner(found.owner, nullptr, nullptr);
    return Success;
  }
  Expected<void> initialize(const char* type_name) {
    GxeTid tid;
    const GxeResultCode code =
        sdk::Host().type_id(sdk::ToAbi(context_), sdk::ToText(type_name), &tid);
    if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
    return initialize(sdk::ToGxf(tid));
  }
  Expected<void> verifyPointer() const {
    if (pointer_ == nullptr) { return Unexpected{GXF_NULL_POINTER}; }
    return Success;
  }

  /// Set in the id of a message; the lower bits of a payload's id are its position from 1.
  static constexpr gxf_uid_t kMessageBit = gxf_uid_t{1} << 62;
  static constexpr gxf_uid_t kPositionMask = (gxf_uid_t{1} << 10) - 1;

  /// Whether this is the id of a payload, and not of a component of the graph.
  static bool IsPayload(gxf_uid_t cid) { return cid > 0 && (cid & kMessageBit) != 0; }

  void SetOwner(void* token, Component* proxy, void (*destroy)(Component*)) {
    if (owner_ != nullptr) { owner_->Release(); }
    owner_ = new detail::Owner(token, proxy, destroy);
  }

  /// Finds the payload with this id; a null type fits all.
  Expected<void> FindPayload() {
    GxeMessage* message = nullptr;
    const GxeResultCode code = sdk::Host().message_from_id(sdk::ToAbi(context_),
                                                           cid_ & ~kPositionMask, &message);
    if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
    GxePayloadRef payload{};
    const auto position = static_cast<size_t>(cid_ & kPositionMask);
    const GxeResultCode found =
        position == 0 ? GxeResultCode_ENTITY_COMPONENT_NOT_FOUND
                      : sdk::Host().message_at(message, position - 1, &payload);
    sdk::Host().message_release(message);
    if (found != GxeResultCode_SUCCESS) { return Unexpected{GXF_ENTITY_COMPONENT_NOT_FOUND}; }
    const gxf_tid_t tid = sdk::ToGxf(payload.tid);
    if (GxfTidIsNull(tid_) == 0 && tid_ != tid) {
      return Unexpected{GXF_ENTITY_COMPONENT_NOT_FOUND};
    }
    tid_ = tid;
    pointer_ = payload.data;
    message_ = message;
    return Success;
  }

  /// Calls `use` with the position and the description of this payload.
  template <typename F>
  void WithPayload(F&& use) const {
    const size_t count = sdk::Host().message_count(message_);
    for (size_t i = 0; i < count; i++) {
      GxePayloadRef payload{};
      if (sdk::Host().message_at(message_, i, &payload) == GxeResultCode_SUCCESS &&
          payload.data == pointer_ && sdk::ToGxf(payload.tid) == tid_) {
        use(i, payload);
        return;
      }
    }
  }
  gxf_uid_t PayloadId() const {
    gxf_uid_t cid = kNullUid;
    WithPayload([&](size_t position, const GxePayloadRef&) {
      cid = sdk::Host().message_id(message_) | static_cast<gxf_uid_t>(position + 1);
    });
    return cid;
  }
  const char* PayloadName() const {
    const char* name = "";
    WithPayload([&](size_t, const GxePayloadRef& payload) { name = sdk::Intern(payload.name); });
    return name;
  }

  gxf_context_t context_ = kNullContext;
  gxf_uid_t cid_ = kNullUid;
  gxf_tid_t tid_ = GxfTidNull();
  void* pointer_ = nullptr;

  // Behind what GXF's headers name: what keeps the object alive.
  detail::Owner* owner_ = nullptr;
  GxeMessage* message_ = nullptr;
};

namespace detail {

/// Whether a type is data: a number, a `Tensor`. Its objects are the same in every language.
template <typename T, typename = void>
struct IsData : std::false_type {};
template <typename T>
struct IsData<T, std::void_t<decltype(sizeof(T))>>
    : std::integral_constant<bool, !std::is_base_of_v<Component, T>> {};

}  // namespace detail

/// A handle to an object of type `T`. It converts to a pointer and to handles of base types.
template <typename T>
class Handle : public UntypedHandle {
 public:
  static Handle Null() { return Handle{}; }
  /// Means "given later" in a file.
  static Handle Unspecified() { return Handle{kNullContext, kUnspecifiedUid}; }

  /// A handle to the component with this id, which must be a `T`.
  static Expected<Handle> Create(gxf_context_t context, gxf_uid_t cid) {
    const auto tid = sdk::TidOf<T>(context);
    if (!tid) { return ForwardError(tid); }
    Handle handle{context, cid};
    const auto result = handle.initialize(sdk::ToGxf(tid.value()));
    if (!result) { return ForwardError(result); }
    const auto bound = handle.Bind();
    if (!bound) { return ForwardError(bound); }
    return handle;
  }
  static Expected<Handle> Create(gxf_context_t context, gxf_uid_t cid, gxf_tid_t tid,
                                 void* pointer) {
    return Handle{context, cid, tid, pointer};
  }
  /// The same object, if it is a `T`.
  static Expected<Handle> Create(const UntypedHandle& untyped) {
    const auto tid = sdk::TidOf<T>(untyped.context());
    if (!tid) { return ForwardError(tid); }
    if (untyped.message_ != nullptr && untyped.tid_ == sdk::ToGxf(tid.value())) {
      return Handle{untyped};
    }
    return Create(untyped.context(), untyped.cid());
  }

  friend bool operator==(const Handle& a, const Handle& b) { return a.IsSame(b); }
  friend bool operator!=(const Handle& a, const Handle& b) { return !a.IsSame(b); }
  friend bool operator<(const Handle& a, const Handle& b) { return a.cid() < b.cid(); }

  Handle(gxf_context_t context = kNullContext, gxf_uid_t cid = kNullUid)
      : UntypedHandle(context, cid) {}
  Handle(gxf_context_t context, gxf_uid_t cid, gxf_tid_t tid, void* pointer)
      : UntypedHandle(context, cid, tid, pointer) {}
  template <typename Derived>
  Handle(const Handle<Derived>& derived) : UntypedHandle(derived) {
    static_assert(std::is_base_of_v<T, Derived>, "a handle converts to handles of its bases only");
  }
  Handle(const Handle&) = default;
  Handle(Handle&&) noexcept = default;
  Handle& operator=(const Handle&) = default;
  Handle& operator=(Handle&&) noexcept = default;
  ~Handle() = default;

  operator T*() const { return get(); }
  T* operator->() const { return get(); }
  /// The object; ends the program when there is none.
  T* get() const {
    GXF_ASSERT(pointer_ != nullptr, "a handle of type `%s` that leads nowhere was used",
               TypenameAsString<T>())
    return static_cast<T*>(pointer_);
  }
  Expected<T*> try_get() const {
    if (pointer_ == nullptr) { return Unexpected{GXF_NULL_POINTER}; }
    return static_cast<T*>(pointer_);
  }

 private:
  friend class Entity;

  explicit Handle(const UntypedHandle& untyped) : UntypedHandle(untyped) {}
  Handle(gxf_context_t context, GxeMessage* message, const GxePayloadRef& payload)
      : UntypedHandle(context, message, payload) {}

  bool IsSame(const Handle& other) const {
    if (context_ != other.context_) { return false; }
    if (message_ != nullptr && other.message_ != nullptr) { return pointer_ == other.pointer_; }
    return cid() == other.cid();
  }

  /// A component made with these headers is its own object. Any other has a proxy on this side,
  /// which forwards calls.
  Expected<void> Bind() {
    if (message_ != nullptr || detail::IsData<T>::value) { return Success; }
    GxeInterfaceRef marker{};
    const GxeResultCode code = sdk::Host().component_interface(
        sdk::ToAbi(context_), cid_, sdk::kCppObjectTid, &marker);
    if (code == GxeResultCode_SUCCESS) {
      const auto* table = static_cast<const sdk::CppObjectTable*>(marker.vtable);
      const bool same_layout = table->layout_version == sdk::kCppObjectTable.layout_version;
      sdk::Host().component_release(marker.owner);
      if (same_layout) { return Success; }
    } else {
      sdk::ForgetHostError();
    }
    if constexpr (sdk::Proxy<T>::kExists) {
      const auto proxy = sdk::Proxy<T>::Make(context_, cid_);
      if (!proxy) { return ForwardError(proxy); }
      pointer_ = static_cast<T*>(proxy.value());
      SetOwner(nullptr, proxy.value(), sdk::Proxy<T>::Destroy);
      return Success;
    } else {
      sdk::Report(std::string{"component `"} + name() + "` is not implemented in C++, and `" +
                  TypenameAsString<T>() + "` is no interface of GXF");
      return Unexpected{GXF_FACTORY_INCOMPATIBLE};
    }
  }
};

namespace detail {

/// The entity that a name in a parameter means. Inside a subgraph, names are first looked up there:
/// under `prefix`, and under the part before the dots in the name of the component's own entity.
inline Expected<gxf_uid_t> EntityFromText(gxf_context_t context, gxf_uid_t component_uid,
                                          const std::string& name, const std::string& prefix) {
  gxf_uid_t eid = kNullUid;
  const auto find = [&](const std::string& full_name) {
    return sdk::Host().entity_find(sdk::ToAbi(context), sdk::ToText(std::string_view{full_name}),
                                   &eid) == GxeResultCode_SUCCESS;
  };
  if (!prefix.empty() && find(prefix + name)) { return eid; }
  gxf_uid_t own = kNullUid;
  GxeText own_name{};
  if (sdk::Host().component_entity(sdk::ToAbi(context), component_uid, &own) ==
          GxeResultCode_SUCCESS &&
      sdk::Host().entity_name(sdk::ToAbi(context), own, &own_name) == GxeResultCode_SUCCESS) {
    std::string outer(sdk::FromText(own_name));
    for (size_t dot = outer.rfind('.'); dot != std::string::npos; dot = outer.rfind('.')) {
      if (find(outer.substr(0, dot + 1) + name)) { return eid; }
      outer.resize(dot);
    }
  }
  if (find(name)) { return eid; }
  sdk::ForgetHostError();
  return Unexpected{GXF_ENTITY_NOT_FOUND};
}

/// The component a parameter names: `component` of the same entity, `entity/component`, or
/// `<Unspecified>`.
template <typename T>
Expected<Handle<T>> HandleFromText(gxf_context_t context, gxf_uid_t component_uid,
                                   const std::string& text, const std::string& prefix) {
  if (text == "<Unspecified>") { return Handle<T>::Unspecified(); }
  const auto tid = sdk::TidOf<T>(context);
  if (!tid) { return ForwardError(tid); }
  const size_t slash = text.find('/');
  gxf_uid_t eid = kNullUid;
  if (slash == std::string::npos) {
    const GxeResultCode code =
        sdk::Host().component_entity(sdk::ToAbi(context), component_uid, &eid);
    if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
  } else {
    const auto found = EntityFromText(context, component_uid, text.substr(0, slash), prefix);
    if (!found) { return ForwardError(found); }
    eid = found.value();
  }
  const std::string name = slash == std::string::npos ? text : text.substr(slash + 1);
  gxf_uid_t cid = kNullUid;
  const GxeResultCode code =
      sdk::Host().component_find(sdk::ToAbi(context), eid, tid.value(),
                                 sdk::ToText(std::string_view{name}), nullptr, &cid);
  if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
  return Handle<T>::Create(context, cid);
}

/// How a parameter names a component.
inline Expected<std::string> TextOfHandle(gxf_context_t context, gxf_uid_t cid) {
  if (cid == kUnspecifiedUid) { return std::string("<Unspecified>"); }
  gxf_uid_t eid = kNullUid;
  GxeText entity{};
  GxeText component{};
  GxeResultCode code = sdk::Host().component_entity(sdk::ToAbi(context), cid, &eid);
  if (code == GxeResultCode_SUCCESS) {
    code = sdk::Host().entity_name(sdk::ToAbi(context), eid, &entity);
  }
  if (code == GxeResultCode_SUCCESS) {
    code = sdk::Host().component_name(sdk::ToAbi(context), cid, &component);
  }
  if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
  return std::string(sdk::FromText(entity)) + "/" + std::string(sdk::FromText(component));
}

}  // namespace detail

/// The component a text names, as seen from another component: `component` of the same entity, or
/// `entity/component`.
template <typename T>
Expected<Handle<T>> CreateHandleFromString(gxf_context_t context, gxf_uid_t component_uid,
                                           const char* text) {
  if (text == nullptr) { return Unexpected{GXF_ARGUMENT_NULL}; }
  return detail::HandleFromText<T>(context, component_uid, text, std::string{});
}

}  // namespace gxf

template <typename T>
struct detail::ArrowStops<gxf::Handle<T>> : std::true_type {};

}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_HANDLE_HPP_
