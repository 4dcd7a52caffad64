/// Queues with a back stage, which fills, and a main stage, which is read.
#ifndef NVIDIA_GEMS_STAGING_QUEUE_STAGING_QUEUE_HPP_
#define NVIDIA_GEMS_STAGING_QUEUE_STAGING_QUEUE_HPP_

#include "gxf/sdk/requirements.hpp"

#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>

namespace gxf {
namespace staging_queue {

/// What happens to an item when a stage is full.
enum class OverflowBehavior {
  /// The oldest item goes.
  kPop = 0,
  /// The new item is not taken.
  kReject = 1,
  /// As `kReject`; `push` and `sync` say false.
  kFault = 2,
};

/// A queue of at most `capacity` items in each stage. May be used from several threads.
template <typename T>
class StagingQueue {
 public:
  StagingQueue(size_t capacity, OverflowBehavior overflow_behavior, T null)
      : capacity_(capacity), overflow_behavior_(overflow_behavior), null_(std::move(null)) {}

  OverflowBehavior overflow_behavior() const { return overflow_behavior_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size() == 0; }
  size_t size() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return main_.size();
  }
  size_t back_size() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return back_.size();
  }
  /// The item at a position of the main stage, the oldest first; the null item when there is none.
  T peek(size_t index = 0) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return index < main_.size() ? main_[index] : null_;
  }
  /// As `peek`, of the back stage.
  T peek_backstage(size_t index = 0) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return index < back_.size() ? back_[index] : null_;
  }
  /// As `peek`, the newest first.
  T latest(size_t index = 0) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return index < main_.size() ? main_[main_.size() - 1 - index] : null_;
  }
  auto begin() const { return main_.begin(); }
  auto end() const { return main_.end(); }

  /// Takes the oldest item of the main stage; the null item when there is none.
  T pop() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (main_.empty()) { return null_; }
    T item = std::move(main_.front());
    main_.pop_front();
    return item;
  }
  void popAll() {
    const std::lock_guard<std::mutex> lock(mutex_);
    main_.clear();
  }
  /// Puts an item into the back stage; false when it was not taken.
  bool push(T item) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return Add(back_, std::move(item));
  }
  /// Moves the back stage to the main stage; false when an item had no room there.
  bool sync() {
    const std::lock_guard<std::mutex> lock(mutex_);
    bool all = true;
    while (!back_.empty()) {
      all = Add(main_, std::move(back_.front())) && all;
      back_.pop_front();
    }
    return all;
  }

 private:
  bool Add(std::deque<T>& stage, T item) {
    if (stage.size() >= capacity_) {
      if (overflow_behavior_ != OverflowBehavior::kPop || capacity_ == 0) { return false; }
      stage.pop_front();
    }
    stage.push_back(std::move(item));
    return true;
  }

  const size_t capacity_;
  const OverflowBehavior overflow_behavior_;
  const T null_;
  mutable std::mutex mutex_;
  std::deque<T> main_;
  std::deque<T> back_;
};

}  // namespace staging_queue
}  // namespace gxf

#endif  // NVIDIA_GEMS_STAGING_QUEUE_STAGING_QUEUE_HPP_
