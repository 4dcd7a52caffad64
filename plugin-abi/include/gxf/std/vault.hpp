/// Messages on their way out of the graph.
#ifndef NVIDIA_GXF_STD_VAULT_HPP_
#define NVIDIA_GXF_STD_VAULT_HPP_

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

#include "gxf/core/registrar.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/receiver.hpp"

namespace nvidia {
namespace gxf {

/// Keeps messages for the program around the graph.
class Vault : public Codelet {
 public:
  /// Called when messages arrived.
  using CallbackType = std::function<void(void)>;

  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(source_, "source", "Source", "Where messages come from.");
    result &= registrar->parameter(max_waiting_count_, "max_waiting_count",
                                   "Maximum waiting count", "Older messages are dropped.");
    result &= registrar->parameter(drop_waiting_, "drop_waiting", "Drop waiting",
                                   "Whether waiting messages are dropped at the start.");
    return ToResultCode(result);
  }
  gxf_result_t initialize() override { return GXF_SUCCESS; }
  gxf_result_t start() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_over_ = false;
    if (drop_waiting_.get()) { waiting_.clear(); }
    return GXF_SUCCESS;
  }
  gxf_result_t tick() override {
    auto message = source_->receive();
    if (!message) { return message.error(); }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      waiting_.push_back(std::move(message.value()));
      if (waiting_.size() > max_waiting_count_.get()) { waiting_.erase(waiting_.begin()); }
    }
    arrived_.notify_all();
    if (callback_) { callback_(); }
    return GXF_SUCCESS;
  }
  gxf_result_t deinitialize() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_over_ = true;
    }
    arrived_.notify_all();
    return GXF_SUCCESS;
  }

  virtual gxf_result_t setCallback(CallbackType callback) {
    callback_ = std::move(callback);
    return GXF_SUCCESS;
  }
  /// Takes `max_count` messages, and waits until that many exist. The vault keeps them until
  /// `free`.
  std::vector<gxf_uid_t> storeBlocking(size_t max_count) { return Store(max_count, -1); }
  /// As above, for at most `duration_ns` nanoseconds.
  std::vector<gxf_uid_t> storeBlockingFor(size_t max_count, int64_t duration_ns) {
    return Store(max_count, duration_ns);
  }
  /// Takes up to `max_count` waiting messages.
  std::vector<gxf_uid_t> store(size_t max_count) { return Store(max_count, 0); }
  /// Lets go of messages.
  void free(const std::vector<gxf_uid_t>& entities) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const gxf_uid_t eid : entities) { stored_.erase(eid); }
  }

 protected:
  /// Messages that wait to be taken.
  virtual std::vector<Entity> Take(size_t max_count, int64_t duration_ns) {
    std::unique_lock<std::mutex> lock(mutex_);
    const auto enough = [&] { return is_over_ || waiting_.size() >= max_count; };
    if (duration_ns < 0) {
      arrived_.wait(lock, enough);
    } else if (duration_ns > 0) {
      arrived_.wait_for(lock, std::chrono::nanoseconds(duration_ns), enough);
    }
    const size_t count = std::min(max_count, waiting_.size());
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<Entity> taken(std::make_move_iterator(waiting_.begin()),
                              std::make_move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    return taken;
  }

 private:
  std::vector<gxf_uid_t> Store(size_t max_count, int64_t duration_ns) {
    std::vector<gxf_uid_t> eids;
    for (Entity& entity : Take(max_count, duration_ns)) {
      const std::lock_guard<std::mutex> lock(mutex_);
      eids.push_back(entity.eid());
      stored_[eids.back()] = std::move(entity);
    }
    return eids;
  }

  Parameter<Handle<Receiver>> source_;
  Parameter<uint64_t> max_waiting_count_;
  Parameter<bool> drop_waiting_;
  CallbackType callback_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Entity> waiting_;
  std::map<gxf_uid_t, Entity> stored_;
  bool is_over_ = false;
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/vault.hpp"

#endif  // NVIDIA_GXF_STD_VAULT_HPP_
