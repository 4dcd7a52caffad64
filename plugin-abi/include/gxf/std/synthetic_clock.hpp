/// A clock that other components or programs move.
#ifndef NVIDIA_GXF_STD_SYNTHETIC_CLOCK_HPP_
#define NVIDIA_GXF_STD_SYNTHETIC_CLOCK_HPP_

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "gxf/std/clock.hpp"

namespace nvidia {
namespace gxf {

/// Stands still until it is moved.
class SyntheticClock : public gxf::Clock {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(initial_timestamp_, "initial_timestamp",
                                             "Initial Timestamp",
                                             "Time at the beginning, in nanoseconds.", 0L));
  }
  gxf_result_t initialize() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    now_ = initial_timestamp_.get();
    is_over_ = false;
    return GXF_SUCCESS;
  }
  gxf_result_t deinitialize() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_over_ = true;
    }
    moved_.notify_all();
    return GXF_SUCCESS;
  }

  double time() const override { return TimestampToTime(timestamp()); }
  int64_t timestamp() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return now_;
  }
  Expected<void> sleepFor(int64_t duration_ns) override {
    return sleepUntil(timestamp() + duration_ns);
  }
  Expected<void> sleepUntil(int64_t target_time_ns) override {
    std::unique_lock<std::mutex> lock(mutex_);
    moved_.wait(lock, [&] { return is_over_ || now_ >= target_time_ns; });
    if (now_ < target_time_ns) { return Unexpected{GXF_FAILURE}; }
    return Success;
  }
  /// Moves the clock to a time; `GXF_ARGUMENT_INVALID` for one in the past.
  virtual Expected<void> advanceTo(int64_t new_time_ns) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (new_time_ns < now_) { return Unexpected{GXF_ARGUMENT_INVALID}; }
      now_ = new_time_ns;
    }
    moved_.notify_all();
    return Success;
  }
  /// Moves the clock by a number of nanoseconds.
  virtual Expected<void> advanceBy(int64_t time_delta_ns) {
    if (time_delta_ns < 0) { return Unexpected{GXF_ARGUMENT_INVALID}; }
    return advanceTo(timestamp() + time_delta_ns);
  }

 private:
  Parameter<int64_t> initial_timestamp_;
  mutable std::mutex mutex_;
  std::condition_variable moved_;
  int64_t now_ = 0;
  bool is_over_ = false;
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/synthetic_clock.hpp"
#include "gxf/sdk/tables/synthetic_clock.hpp"

#endif  // NVIDIA_GXF_STD_SYNTHETIC_CLOCK_HPP_
