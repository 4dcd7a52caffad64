/// Entities of the graph, and messages, which GXF treats as entities.
#ifndef NVIDIA_GXF_CORE_ENTITY_HPP_
#define NVIDIA_GXF_CORE_ENTITY_HPP_

#include <atomic>
#include <type_traits>
#include <utility>

#include "common/fixed_vector.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/expected_macro.hpp"
#include "gxf/core/gxf.h"
#include "gxf/core/handle.hpp"
#include "gxf/sdk/shared_message.hpp"
#include "gxf/sdk/types.hpp"

namespace nvidia {
namespace gxf {

class Receiver;
class Transmitter;
class Queue;
class Component;

namespace detail {
struct EntityAccess;
/// Tells a component in a message where it is.
template <typename T>
struct PayloadPlace;
}  // namespace detail

/// A message, which lives as long as it is held, or an entity of the graph.
class Entity {
 public:
  /// A new message. The name is ignored, as in GXF.
  static Expected<Entity> New(gxf_context_t context, const char* name = nullptr) {
    (void)name;
    GxeMessage* message = nullptr;
    const GxeResultCode code = sdk::Host().message_new(sdk::ToAbi(context), &message);
    if (__builtin_expect(code != GxeResultCode_SUCCESS, 0)) {
      return Unexpected{sdk::ToGxf(code)};
    }
    return Entity{context, message};
  }
  /// The message or entity with this id; consumes a reference of the caller.
  static Expected<Entity> Own(gxf_context_t context, gxf_uid_t eid, void* item = nullptr) {
    (void)item;
    if (!IsMessage(eid)) {
      const gxf_result_t code = Find(context, eid);
      if (code != GXF_SUCCESS) { return Unexpected{code}; }
      Entity entity{context, eid};
      entity.counted_ = GxfEntityRefCountDec != nullptr;
      return entity;
    }
    auto entity = Shared(context, eid);
    // What it has is enough; the message is alive.
    if (entity) { sdk::Host().message_release(entity->Message()); }
    return entity;
  }
  /// The message or entity with this id, with a reference of its own.
  static Expected<Entity> Shared(gxf_context_t context, gxf_uid_t eid, void* item = nullptr) {
    (void)item;
    if (!IsMessage(eid)) {
      Entity entity{context, eid};
      const gxf_result_t code = entity.Count();
      if (code != GXF_SUCCESS) { return Unexpected{code}; }
      return entity;
    }
    if (auto* shared = sdk::known_messages.Find(eid)) { return Entity{context, shared}; }
    GxeMessage* message = nullptr;
    const GxeResultCode code =
        sdk::Host().message_from_id(sdk::ToAbi(context), eid, &message);
    if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
    Entity entity{context, message};
    entity.by_id_ = true;
    return entity;
  }

  Entity() = default;
  Entity(const Entity& other)
      : context_(other.context_),
        eid_(other.eid_),
        by_id_(other.by_id_),
        message_(other.message_) {
    if (message_ != nullptr) {
      shared_.store(other.ShareOneMore(), std::memory_order_relaxed);
    } else if (eid_ != kNullUid) {
      // One that is gone stays unknown to every function.
      (void)Count();
    }
  }
  Entity(Entity&& other) noexcept
      : context_(std::exchange(other.context_, kNullContext)),
        eid_(std::exchange(other.eid_, kNullUid)),
        counted_(std::exchange(other.counted_, false)),
        by_id_(other.by_id_),
        message_(std::exchange(other.message_, nullptr)),
        shared_(other.shared_.exchange(nullptr, std::memory_order_relaxed)) {}
  Entity& operator=(const Entity& other) {
    if (this != &other) { *this = Entity(other); }
    return *this;
  }
  Entity& operator=(Entity&& other) noexcept {
    if (this != &other) {
      Drop();
      context_ = std::exchange(other.context_, kNullContext);
      eid_ = std::exchange(other.eid_, kNullUid);
      counted_ = std::exchange(other.counted_, false);
      by_id_ = other.by_id_;
      message_ = std::exchange(other.message_, nullptr);
      shared_.store(other.shared_.exchange(nullptr, std::memory_order_relaxed),
                    std::memory_order_relaxed);
    }
    return *this;
  }
  ~Entity() { Drop(); }

  /// Checks and initializes the components of an entity, or of a message.
  Expected<void> activate() {
    if (message_ != nullptr) { return OfComponents(GxfEntityActivate); }
    return ExpectedOrCode(sdk::ToGxf(sdk::Host().entity_activate(sdk::ToAbi(context_), eid_)));
  }
  Expected<void> deactivate() {
    if (message_ != nullptr) { return OfComponents(GxfEntityDeactivate); }
    return ExpectedOrCode(
        sdk::ToGxf(sdk::Host().entity_deactivate(sdk::ToAbi(context_), eid_)));
  }
  /// One more owner of the same entity.
  Expected<Entity> clone() const {
    if (is_null()) { return Unexpected{GXF_ARGUMENT_NULL}; }
    return *this;
  }

  gxf_context_t context() const { return context_; }
  gxf_uid_t eid() const {
    if (message_ == nullptr) { return eid_; }
    const gxf_uid_t eid = sdk::Host().message_id(Message());
    sdk::known_messages.Remember(eid, Share());
    return eid;
  }
  bool is_null() const { return message_ == nullptr && eid_ == kNullUid; }
  /// Name of the entity; empty for a message.
  const char* name() const {
    if (message_ != nullptr || eid_ == kNullUid) { return ""; }
    GxeText name{};
    const GxeResultCode code =
        sdk::Host().entity_name(sdk::ToAbi(context_), eid_, &name);
    return code == GxeResultCode_SUCCESS ? sdk::Intern(name) : "";
  }
  /// A pointer that means the entity, like the result of `GxfEntityGetItemPtr`.
  void* entity_item_ptr() const {
    return is_null() ? nullptr : reinterpret_cast<void*>(static_cast<uintptr_t>(eid()) << 1 | 1);
  }

  /// Adds a payload or a component of a type that is known by its id only.
  Expected<UntypedHandle> add(gxf_tid_t tid, const char* name = nullptr) {
    if (message_ != nullptr && !HasComponents()) {
      GxePayloadRef payload{};
      const GxeResultCode code = AddPayload(sdk::ToAbi(tid), name, &payload);
      if (code == GxeResultCode_SUCCESS) { return UntypedHandle{context_, Message(), payload}; }
      if (code != GxeResultCode_FACTORY_UNKNOWN_TID) { return Unexpected{sdk::ToGxf(code)}; }
    }
    const auto cid = AddComponent(tid, name);
    if (!cid) { return ForwardError(cid); }
    return UntypedHandle::Create(context_, cid.value());
  }
  /// Adds a payload (to a message) or a component (to an entity). A message carries components that
  /// have no interface but that of all components.
  template <typename T>
  Expected<Handle<T>> add(const char* name = nullptr) {
    auto added = AddTyped<T>(name);
    if constexpr (!detail::IsData<T>::value) {
      if (added && added->message_ != nullptr) {
        detail::PayloadPlace<T>::Set(*added->get(), context_, eid(), added->cid());
      }
    }
    return added;
  }

  /// Removes the first payload of this type and, maybe, name.
  Expected<void> remove(gxf_tid_t tid, const char* name = nullptr) {
    if (HasComponents()) { return ExpectedOrCode(GxfComponentRemove(context_, eid(), tid, name)); }
    return RemoveFirst([&](const GxePayloadRef& payload) {
      return sdk::ToGxf(payload.tid) == tid && (name == nullptr || sdk::FromText(payload.name) == name);
    });
  }
  template <typename T>
  Expected<void> remove(const char* name = nullptr) {
    const auto tid = sdk::TidOf<T>(context_);
    if (!tid) { return ForwardError(tid); }
    return remove(sdk::ToGxf(tid.value()), name);
  }
  /// Removes the payload with this id.
  Expected<void> remove(const gxf_uid_t& cid) {
    if (HasComponents()) { return ExpectedOrCode(GxfComponentRemoveWithUID(context_, cid)); }
    const auto handle = UntypedHandle::Create(context_, cid);
    const auto pointer = handle ? handle->get_ptr() : nullptr;
    return RemoveFirst([&](const GxePayloadRef& payload) { return payload.data == pointer; });
  }

  /// The first component or payload of this type and, maybe, name.
  Expected<UntypedHandle> get(gxf_tid_t tid, const char* name = nullptr) const {
    GxePayloadRef payload{};
    if (FindPayload(sdk::ToAbi(tid), name, &payload)) {
      return UntypedHandle{context_, Message(), payload};
    }
    const auto cid = FindComponent(tid, name);
    if (!cid) { return ForwardError(cid); }
    return UntypedHandle::Create(context_, cid.value());
  }
  template <typename T>
  Expected<Handle<T>> get(const char* name = nullptr) const {
    const auto tid = sdk::TidOf<T>(context_);
    if (!tid) { return ForwardError(tid); }
    GxePayloadRef payload{};
    if (FindPayload(tid.value(), name, &payload)) {
      return Handle<T>{context_, Message(), payload};
    }
    const auto cid = FindComponent(sdk::ToGxf(tid.value()), name);
    if (!cid) { return ForwardError(cid); }
    return Handle<T>::Create(context_, cid.value());
  }

  /// All components or payloads, in the order in which they were added.
  template <size_t N = kMaxComponents>
  Expected<FixedVector<UntypedHandle, ssize_t{N}>> findAll() const {
    FixedVector<UntypedHandle, ssize_t{N}> found;
    const auto result = Collect(found);
    if (!result) { return ForwardError(result); }
    return Expected<FixedVector<UntypedHandle, ssize_t{N}>>(std::move(found));
  }
  template <typename T, size_t N = kMaxComponents>
  Expected<FixedVector<Handle<T>, ssize_t{N}>> findAll() const {
    FixedVector<Handle<T>, ssize_t{N}> found;
    const auto result = Collect(found);
    if (!result) { return ForwardError(result); }
    return Expected<FixedVector<Handle<T>, ssize_t{N}>>(std::move(found));
  }
  /// As `findAll`, on the heap.
  template <size_t N = kMaxComponents>
  Expected<FixedVector<UntypedHandle>> findAllHeap() const {
    FixedVector<UntypedHandle> found;
    if (!found.reserve(N)) { return Unexpected{GXF_OUT_OF_MEMORY}; }
    const auto result = Collect(found);
    if (!result) { return ForwardError(result); }
    return Expected<FixedVector<UntypedHandle>>(std::move(found));
  }
  template <typename T, size_t N = kMaxComponents>
  Expected<FixedVector<Handle<T>>> findAllHeap() const {
    FixedVector<Handle<T>> found;
    if (!found.reserve(N)) { return Unexpected{GXF_OUT_OF_MEMORY}; }
    const auto result = Collect(found);
    if (!result) { return ForwardError(result); }
    return Expected<FixedVector<Handle<T>>>(std::move(found));
  }
  /// The form of GXF before 4.1: appends to a vector of the caller's.
  Expected<void> findAll(FixedVectorBase<UntypedHandle>& found) const { return Collect(found); }
  template <typename T>
  Expected<void> findAll(FixedVectorBase<Handle<T>>& found) const {
    return Collect(found);
  }

 private:
  friend class Component;
  friend struct detail::EntityAccess;

  Entity(gxf_context_t context, gxf_uid_t eid) : context_(context), eid_(eid) {}
  /// Consumes a reference.
  Entity(gxf_context_t context, GxeMessage* message) : context_(context), message_(message) {}
  /// Takes the place of an existing user.
  Entity(gxf_context_t context, detail::SharedMessage* shared)
      : context_(context), message_(shared->message()), shared_(shared) {}

  static bool IsMessage(gxf_uid_t eid) { return eid > 0 && (eid & (gxf_uid_t{1} << 62)) != 0; }

  /// Whether there is an entity of the graph with this id.
  static gxf_result_t Find(gxf_context_t context, gxf_uid_t eid) {
    GxeText name{};
    return sdk::ToGxf(sdk::Host().entity_name(sdk::ToAbi(context), eid, &name));
  }
  /// Becomes an owner of its entity of the graph. Only the C API counts owners.
  gxf_result_t Count() {
    if (GxfEntityRefCountInc == nullptr || IsKeptByMessage()) { return Find(context_, eid_); }
    const gxf_result_t code = GxfEntityRefCountInc(context_, eid_);
    counted_ = code == GXF_SUCCESS;
    return code;
  }

  /// Whether the entity is a message as well, and lives as long as that.
  bool IsKeptByMessage() const {
    GxeMessage* message = nullptr;
    if (sdk::Host().message_from_id(sdk::ToAbi(context_), eid_, &message) !=
        GxeResultCode_SUCCESS) {
      sdk::ForgetHostError();
      return false;
    }
    sdk::Host().message_release(message);
    return true;
  }

  void Drop() {
    if (message_ == nullptr) {
      if (std::exchange(counted_, false)) { (void)GxfEntityRefCountDec(context_, eid_); }
      return;
    }
    detail::SharedMessage* shared = shared_.exchange(nullptr, std::memory_order_relaxed);
    if (shared == nullptr) {
      sdk::Host().message_release(message_);
    } else {
      shared->RemoveUser();
    }
    message_ = nullptr;
  }

  GxeMessage* Message() const {
    const detail::SharedMessage* shared = shared_.load(std::memory_order_acquire);
    return shared == nullptr ? message_ : shared->message();
  }
  /// Gives this object and its copies another message, and consumes the reference to it.
  void Replace(GxeMessage* message) {
    if (detail::SharedMessage* shared = shared_.load(std::memory_order_acquire)) {
      shared->Replace(message);
    } else {
      sdk::Host().message_release(std::exchange(message_, message));
    }
  }
  /// Changes the message. If it is shared, changes a new message with the same payloads instead;
  /// other holders keep theirs.
  template <typename F>
  GxeResultCode Change(F&& change) {
    GxeMessage* message = Message();
    const GxeResultCode code = change(message);
    if (__builtin_expect(code != GxeResultCode_CONTRACT_INVALID_SEQUENCE, 1)) { return code; }
    const detail::SharedMessage* shared = shared_.load(std::memory_order_acquire);
    if (shared != nullptr && shared->is_lent()) { return code; }
    GxeMessage* own = nullptr;
    if (sdk::Host().message_new(sdk::ToAbi(context_), &own) != GxeResultCode_SUCCESS) {
      return code;
    }
    GxeResultCode changed = sdk::Host().message_share(own, message);
    if (changed == GxeResultCode_SUCCESS) { changed = change(own); }
    if (changed != GxeResultCode_SUCCESS) {
      sdk::Host().message_release(own);
      return changed;
    }
    sdk::ForgetHostError();
    Replace(own);
    return changed;
  }

  /// The part that this object's copies share. Two threads may copy the same object.
  detail::SharedMessage* Share() const {
    detail::SharedMessage* shared = shared_.load(std::memory_order_acquire);
    if (shared != nullptr) { return shared; }
    auto* made = new detail::SharedMessage(message_);
    if (shared_.compare_exchange_strong(shared, made, std::memory_order_acq_rel)) { return made; }
    made->RemoveOwner();
    return shared;
  }
  detail::SharedMessage* ShareOneMore() const {
    detail::SharedMessage* shared = Share();
    shared->AddUser();
    return shared;
  }

  template <typename T>
  Expected<Handle<T>> AddTyped(const char* name) {
    const auto tid = sdk::TidOf<T>(context_);
    if (!tid) { return ForwardError(tid); }
    if (message_ != nullptr && !HasComponents()) {
      GxePayloadRef payload{};
      const GxeResultCode code = AddPayload(tid.value(), name, &payload);
      if (__builtin_expect(code == GxeResultCode_SUCCESS, 1)) {
        return Handle<T>{context_, Message(), payload};
      }
      if (code != GxeResultCode_FACTORY_UNKNOWN_TID) { return Unexpected{sdk::ToGxf(code)}; }
    }
    const auto cid = AddComponent(sdk::ToGxf(tid.value()), name);
    if (!cid) { return ForwardError(cid); }
    return Handle<T>::Create(context_, cid.value());
  }
  GxeResultCode AddPayload(GxeTid tid, const char* name, GxePayloadRef* payload) {
    return Change([&](GxeMessage* message) {
      return sdk::Host().message_add(message, tid, sdk::ToText(name == nullptr ? "" : name),
                                     payload);
    });
  }
  Expected<gxf_uid_t> AddComponent(gxf_tid_t tid, const char* name) {
    gxf_uid_t cid = kNullUid;
    if (message_ == nullptr) {
      const GxeResultCode code =
          sdk::Host().component_add(sdk::ToAbi(context_), eid_, sdk::ToAbi(tid),
                                    sdk::ToText(name == nullptr ? "" : name), &cid);
      return ExpectedOrCode(sdk::ToGxf(code), cid);
    }
    if (GxfComponentAdd == nullptr) { return Unexpected{GXF_FACTORY_UNKNOWN_TID}; }
    const GxeResultCode code = Change([&](GxeMessage* message) {
      return static_cast<GxeResultCode>(
          GxfComponentAdd(context_, sdk::Host().message_id(message), tid, name, &cid));
    });
    if (code == GxeResultCode_SUCCESS && !IsMessage(cid)) { Share()->SetHasComponents(context_); }
    return ExpectedOrCode(sdk::ToGxf(code), cid);
  }

  bool FindPayload(GxeTid tid, const char* name, GxePayloadRef* payload) const {
    return message_ != nullptr && sdk::Host().message_find(Message(), tid, sdk::ToText(name), 0,
                                                           payload) == GxeResultCode_SUCCESS;
  }
  Expected<gxf_uid_t> FindComponent(gxf_tid_t tid, const char* name) const {
    gxf_uid_t cid = kNullUid;
    if (message_ == nullptr) {
      const GxeResultCode code =
          sdk::Host().component_find(sdk::ToAbi(context_), eid_, sdk::ToAbi(tid),
                                     sdk::ToText(name), nullptr, &cid);
      if (code != GxeResultCode_SUCCESS) { sdk::ForgetHostError(); }
      return ExpectedOrCode(sdk::ToGxf(code), cid);
    }
    if (!MayHaveComponents() || GxfComponentFind == nullptr) {
      return Unexpected{GXF_ENTITY_COMPONENT_NOT_FOUND};
    }
    const gxf_result_t code = GxfComponentFind(context_, eid(), tid, name, nullptr, &cid);
    if (code == GXF_SUCCESS && !IsMessage(cid)) { Share()->SetHasComponents(context_); }
    return ExpectedOrCode(code, cid);
  }
  /// Whether the message was given components that the engine calls, and is an entity as well.
  bool HasComponents() const {
    const detail::SharedMessage* shared = shared_.load(std::memory_order_acquire);
    return shared != nullptr && shared->has_components();
  }

  /// The same for a message that a program may have given components by its id.
  bool MayHaveComponents() const { return by_id_ || HasComponents(); }
  /// Calls a function of the C API for the components of a message.
  Expected<void> OfComponents(gxf_result_t (*function)(gxf_context_t, gxf_uid_t)) {
    if (!MayHaveComponents() || function == nullptr) { return Success; }
    return ExpectedOrCode(function(context_, eid()));
  }

  template <typename F>
  Expected<void> RemoveFirst(F&& fits) {
    if (message_ == nullptr) {
      return Unexpected{GXF_ENTITY_CAN_NOT_REMOVE_COMPONENT_AFTER_INITIALIZATION};
    }
    const size_t count = sdk::Host().message_count(Message());
    for (size_t i = 0; i < count; i++) {
      GxePayloadRef payload{};
      if (sdk::Host().message_at(Message(), i, &payload) == GxeResultCode_SUCCESS &&
          fits(payload)) {
        return ExpectedOrCode(sdk::ToGxf(Change(
            [i](GxeMessage* message) { return sdk::Host().message_remove(message, i); })));
      }
    }
    return Unexpected{GXF_ENTITY_COMPONENT_NOT_FOUND};
  }

  static Expected<UntypedHandle> MakeHandle(gxf_context_t context, gxf_uid_t cid,
                                            UntypedHandle*) {
    return UntypedHandle::Create(context, cid);
  }
  template <typename T>
  static Expected<Handle<T>> MakeHandle(gxf_context_t context, gxf_uid_t cid, Handle<T>*) {
    return Handle<T>::Create(context, cid);
  }
  static Expected<GxeTid> WantedTid(gxf_context_t, UntypedHandle*) { return GxeTid{0, 0}; }
  template <typename T>
  static Expected<GxeTid> WantedTid(gxf_context_t context, Handle<T>*) {
    return sdk::TidOf<T>(context);
  }

  template <typename H>
  Expected<void> Collect(FixedVectorBase<H>& found) const {
    const auto tid = WantedTid(context_, static_cast<H*>(nullptr));
    if (!tid) { return ForwardError(tid); }
    if (message_ != nullptr) {
      const bool any = tid->hash1 == 0 && tid->hash2 == 0;
      const size_t count = sdk::Host().message_count(Message());
      for (size_t i = 0; i < count; i++) {
        GxePayloadRef payload{};
        if (sdk::Host().message_at(Message(), i, &payload) != GxeResultCode_SUCCESS) { break; }
        if (!any && sdk::ToGxf(payload.tid) != sdk::ToGxf(tid.value())) { continue; }
        if (!found.push_back(H{context_, Message(), payload})) {
          return Unexpected{GXF_EXCEEDING_PREALLOCATED_SIZE};
        }
      }
      return Success;
    }
    for (int32_t offset = 0;; offset++) {
      gxf_uid_t cid = kNullUid;
      const GxeResultCode code =
          sdk::Host().component_find(sdk::ToAbi(context_), eid_, tid.value(),
                                     sdk::ToText(static_cast<const char*>(nullptr)), &offset, &cid);
      if (code == GxeResultCode_ENTITY_COMPONENT_NOT_FOUND) { break; }
      if (code != GxeResultCode_SUCCESS) { return Unexpected{sdk::ToGxf(code)}; }
      auto handle = MakeHandle(context_, cid, static_cast<H*>(nullptr));
      if (!handle) { return ForwardError(handle); }
      if (!found.push_back(std::move(handle.value()))) {
        return Unexpected{GXF_EXCEEDING_PREALLOCATED_SIZE};
      }
    }
    sdk::ForgetHostError();
    return Success;
  }

  gxf_context_t context_ = kNullContext;
  /// Null for messages, whose id is created on demand.
  gxf_uid_t eid_ = kNullUid;
  /// Whether this object is one of the owners that the runtime counts for an entity of the graph.
  bool counted_ = false;
  /// Whether the message was found by its id.
  bool by_id_ = false;
  GxeMessage* message_ = nullptr;
  /// Null as long as this is the only object with this reference.
  mutable std::atomic<detail::SharedMessage*> shared_{nullptr};
};

/// GXF 2.4's `findAll()` gave the handles themselves, for `for (auto tensor : entity.findAll<T>())`.
/// On an error there are none.
template <typename T, ssize_t N>
const Handle<T>* begin(const Expected<FixedVector<Handle<T>, N>>& found) {
  return found ? found->data() : nullptr;
}
template <typename T, ssize_t N>
const Handle<T>* end(const Expected<FixedVector<Handle<T>, N>>& found) {
  return found ? found->data() + found->size() : nullptr;
}

namespace detail {

/// Access to the message in an entity, for receivers, transmitters and serializers.
struct EntityAccess {
  /// An entity that consumes a reference.
  static Entity Take(gxf_context_t context, GxeMessage* message) {
    return Entity{context, message};
  }
  /// An entity of the graph that outlives the object, which is none of its owners. Copies are.
  static Entity OfGraph(gxf_context_t context, gxf_uid_t eid) { return Entity{context, eid}; }
  static bool IsMessage(gxf_uid_t eid) { return Entity::IsMessage(eid); }
  static GxeMessage* Message(const Entity& entity) {
    return entity.message_ == nullptr ? nullptr : entity.Message();
  }
  static bool HasPayloads(const Entity& entity) {
    GxeMessage* message = Message(entity);
    return message != nullptr && sdk::Host().message_count(message) > 0;
  }
  /// As `Entity::Replace`.
  static void Replace(Entity& entity, GxeMessage* message) { entity.Replace(message); }
};

}  // namespace detail

}  // namespace gxf
}  // namespace nvidia

/// As `GxfEntityGetRefCount`, which sees one reference where several `Entity` objects share it, and
/// counts these objects. It knows messages whose ids this thread has asked for.
inline gxf_result_t GxeEntityGetRefCount(gxf_context_t context, gxf_uid_t eid, int64_t* count) {
  const gxf_result_t code = GxfEntityGetRefCount(context, eid, count);
  if (code != GXF_SUCCESS) { return code; }
  if (auto* shared = nvidia::gxf::sdk::known_messages.Find(eid)) {
    // The look-up is a user as well, and one was counted already.
    *count += int64_t{shared->users()} - 2;
    shared->RemoveUser();
  }
  return code;
}
#define GxfEntityGetRefCount(context, eid, count) GxeEntityGetRefCount(context, eid, count)

#endif  // NVIDIA_GXF_CORE_ENTITY_HPP_
