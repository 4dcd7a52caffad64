/// The events of the operators that are executed by events of their own.
#ifndef HOLOSCAN_OPERATORS_DELAYED_EVENTS_HPP_
#define HOLOSCAN_OPERATORS_DELAYED_EVENTS_HPP_

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "holoscan/holoscan.hpp"

namespace holoscan {
namespace ops {

/// A thread that lets a waiting operator execute, each time after a delay.
class DelayedEvents {
 public:
  void Start(std::shared_ptr<AsynchronousCondition> condition, std::chrono::milliseconds delay) {
    condition_ = condition;
    is_over_ = false;
    condition->event_state(AsynchronousEventState::kEventWaiting);
    thread_ = std::thread([this, condition, delay] {
      while (!is_over_) {
        std::this_thread::sleep_for(delay);
        const AsynchronousEventState state = condition->event_state();
        if (state == AsynchronousEventState::kEventNever) { return; }
        if (state == AsynchronousEventState::kEventWaiting) {
          condition->event_state(AsynchronousEventState::kEventDone);
        }
      }
    });
  }
  /// No event comes any more. The state alone would not tell the thread, which may just be about to set it.
  void Stop() {
    is_over_ = true;
    if (thread_.joinable()) { thread_.join(); }
    if (condition_) { condition_->event_state(AsynchronousEventState::kEventNever); }
  }

 private:
  std::shared_ptr<AsynchronousCondition> condition_;
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

}  // namespace ops
}  // namespace holoscan

#endif  // HOLOSCAN_OPERATORS_DELAYED_EVENTS_HPP_
