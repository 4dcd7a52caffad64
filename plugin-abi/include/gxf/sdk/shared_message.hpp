/// One reference of a message that several `Entity` objects share.
#ifndef GXF_SDK_SHARED_MESSAGE_HPP_
#define GXF_SDK_SHARED_MESSAGE_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "gxf/core/gxf.h"
#include "gxf/sdk/host.hpp"

namespace nvidia {
namespace gxf {
namespace detail {

/// The host sees one holder, so the message can be changed. When others hold it too, all objects
/// change over to a message of their own.
class SharedMessage {
 public:
  /// Consumes a reference, unless the host lends the message.
  explicit SharedMessage(GxeMessage* message, bool is_lent = false)
      : message_(message), is_lent_(is_lent) {}
  SharedMessage(const SharedMessage&) = delete;
  SharedMessage& operator=(const SharedMessage&) = delete;

  GxeMessage* message() const { return message_.load(std::memory_order_acquire); }
  /// Consumes a reference and gives the previous one back.
  void Replace(GxeMessage* message) {
    Release(message_.exchange(message, std::memory_order_acq_rel));
  }
  /// Whether the host expects the payloads in this very message.
  bool is_lent() const { return is_lent_.load(std::memory_order_relaxed); }

  /// Whether the message has components, which only the C API finds.
  bool has_components() const {
    return components_in_.load(std::memory_order_relaxed) != kNullContext;
  }
  void SetHasComponents(gxf_context_t context) {
    components_in_.store(context, std::memory_order_relaxed);
  }

  /// Objects that share the reference.
  uint32_t users() const { return users_.load(std::memory_order_relaxed); }
  /// One more object.
  void AddUser() { users_.fetch_add(1, std::memory_order_relaxed); }
  /// One more object, unless the last one is gone.
  bool TryAddUser() {
    uint32_t users = users_.load(std::memory_order_relaxed);
    while (users != 0) {
      if (users_.compare_exchange_weak(users, users + 1, std::memory_order_acquire)) { return true; }
    }
    return false;
  }
  /// One object less; the last one gives the reference back.
  void RemoveUser() {
    if (users_.fetch_sub(1, std::memory_order_acq_rel) != 1) { return; }
    if (!is_lent()) { Release(message()); }
    RemoveOwner();
  }
  /// The host has its message back. Objects that are left get a reference of their own.
  void EndLoan() {
    sdk::Host().message_retain(message());
    is_lent_.store(false, std::memory_order_relaxed);
    RemoveUser();
  }

  /// Owners keep this memory; all objects together are one.
  void AddOwner() { owners_.fetch_add(1, std::memory_order_relaxed); }
  void RemoveOwner() {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) { delete this; }
  }

 private:
  ~SharedMessage() = default;

  /// Gives a reference back. The last owner's takes the components of the message along, which the
  /// runtime removes if it hears of it.
  void Release(GxeMessage* message) {
    const gxf_context_t context =
        components_in_.exchange(kNullContext, std::memory_order_relaxed);
    if (context != kNullContext) {
      const gxf_uid_t eid = sdk::Host().message_id(message);
      int64_t users = 0;
      // The context may be gone.
      if (GxfEntityGetRefCount(context, eid, &users) == GXF_SUCCESS && users > 0) {
        (void)GxfEntityRefCountDec(context, eid);
        return;
      }
    }
    sdk::Host().message_release(message);
  }

  std::atomic<uint32_t> users_{1};
  std::atomic<uint32_t> owners_{1};
  std::atomic<GxeMessage*> message_;
  std::atomic<bool> is_lent_;
  /// Null as long as it has no components.
  std::atomic<gxf_context_t> components_in_{kNullContext};
};

/// The messages whose ids this thread requested recently. Code that receives such an id, like a
/// serializer, finds the objects that share the reference, so that they see what it adds. Valid
/// only within a call of the host: afterwards, other threads may have the message.
class KnownMessages {
 public:
  KnownMessages() = default;
  ~KnownMessages() { Forget(); }
  KnownMessages(const KnownMessages&) = delete;
  KnownMessages& operator=(const KnownMessages&) = delete;

  void Remember(gxf_uid_t eid, SharedMessage* shared) {
    for (size_t i = 0; i < count_; i++) {
      if (entries_[i].eid == eid && entries_[i].shared == shared) { return; }
    }
    const size_t position = count_ < kMost ? count_++ : next_++ % kMost;
    shared->AddOwner();
    if (entries_[position].shared != nullptr) { entries_[position].shared->RemoveOwner(); }
    entries_[position] = {eid, shared};
  }
  /// Null when there is none; otherwise with one more user.
  SharedMessage* Find(gxf_uid_t eid) {
    for (size_t i = count_; i > 0; i--) {
      const Entry& entry = entries_[i - 1];
      if (entry.eid == eid && entry.shared->TryAddUser()) { return entry.shared; }
    }
    return nullptr;
  }
  void Forget() {
    while (count_ > 0) { std::exchange(entries_[--count_].shared, nullptr)->RemoveOwner(); }
    next_ = 0;
  }

 private:
  struct Entry {
    gxf_uid_t eid = kNullUid;
    SharedMessage* shared = nullptr;
  };
  static constexpr size_t kMost = 16;

  Entry entries_[kMost];
  size_t count_ = 0;
  size_t next_ = 0;
};

}  // namespace detail

namespace sdk __attribute__((visibility("hidden"))) {

inline thread_local detail::KnownMessages known_messages;

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_SHARED_MESSAGE_HPP_
