/// Where time comes from.
#ifndef NVIDIA_GXF_STD_CLOCK_HPP_
#define NVIDIA_GXF_STD_CLOCK_HPP_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>

#include "gxf/core/component.hpp"
#include "gxf/core/parameter.hpp"
#include "gxf/core/registrar.hpp"
#include "gems/utils/time.hpp"

namespace nvidia {
namespace gxf {

/// The only source of time of a graph.
class Clock : public Component {
 public:
  ~Clock() override = default;

  /// Time in seconds.
  virtual double time() const = 0;
  /// Time in nanoseconds.
  virtual int64_t timestamp() const = 0;
  /// Blocks for a number of nanoseconds of this clock.
  virtual Expected<void> sleepFor(int64_t duration_ns) = 0;
  /// Blocks until a time in nanoseconds of this clock.
  virtual Expected<void> sleepUntil(int64_t target_time_ns) = 0;
};

/// Runs as the world does, or faster or slower.
class RealtimeClock : public Clock {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(initial_time_offset_, "initial_time_offset",
                                   "Initial Time Offset", "Time at the beginning, in seconds.",
                                   0.0);
    result &= registrar->parameter(initial_time_scale_, "initial_time_scale", "Initial Time Scale",
                                   "How fast time passes.", 1.0);
    result &= registrar->parameter(use_time_since_epoch_, "use_time_since_epoch",
                                   "Use Time Since Epoch",
                                   "Begins at the time since 1970 instead of 0.", false);
    return ToResultCode(result);
  }
  gxf_result_t initialize() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    scale_ = initial_time_scale_.get();
    if (!(scale_ > 0.0)) { return GXF_ARGUMENT_INVALID; }
    real_base_ = Real();
    own_base_ = TimeToTimestamp(initial_time_offset_.get());
    if (use_time_since_epoch_.get()) {
      own_base_ += std::chrono::duration_cast<std::chrono::nanoseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
    }
    return GXF_SUCCESS;
  }
  gxf_result_t deinitialize() override { return GXF_SUCCESS; }

  double time() const override { return TimestampToTime(timestamp()); }
  int64_t timestamp() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return Now();
  }
  Expected<void> sleepFor(int64_t duration_ns) override {
    double scale;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      scale = scale_;
    }
    if (duration_ns > 0) {
      std::this_thread::sleep_for(std::chrono::nanoseconds(
          static_cast<int64_t>(static_cast<double>(duration_ns) / scale)));
    }
    return Success;
  }
  Expected<void> sleepUntil(int64_t target_time_ns) override {
    return sleepFor(target_time_ns - timestamp());
  }
  /// Changes how fast time passes, without a jump. `GXF_ARGUMENT_INVALID` unless above 0.
  virtual Expected<void> setTimeScale(double time_scale) {
    if (!(time_scale > 0.0)) { return Unexpected{GXF_ARGUMENT_INVALID}; }
    const std::lock_guard<std::mutex> lock(mutex_);
    own_base_ = Now();
    real_base_ = Real();
    scale_ = time_scale;
    return Success;
  }

 private:
  static int64_t Real() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  int64_t Now() const {
    return own_base_ + static_cast<int64_t>(static_cast<double>(Real() - real_base_) * scale_);
  }

  Parameter<double> initial_time_offset_;
  Parameter<double> initial_time_scale_;
  Parameter<bool> use_time_since_epoch_;
  mutable std::mutex mutex_;
  int64_t real_base_ = 0;
  int64_t own_base_ = 0;
  double scale_ = 1.0;
};

/// Stands still until a component sleeps on it, and then jumps.
class ManualClock : public Clock {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(initial_timestamp_, "initial_timestamp",
                                             "Initial Timestamp",
                                             "Time at the beginning, in nanoseconds.", 0L));
  }
  gxf_result_t initialize() override {
    now_ = initial_timestamp_.get();
    return GXF_SUCCESS;
  }
  gxf_result_t deinitialize() override { return GXF_SUCCESS; }

  double time() const override { return TimestampToTime(timestamp()); }
  int64_t timestamp() const override { return now_; }
  Expected<void> sleepFor(int64_t duration_ns) override {
    if (duration_ns > 0) { now_ += duration_ns; }
    return Success;
  }
  Expected<void> sleepUntil(int64_t target_time_ns) override {
    return sleepFor(target_time_ns - timestamp());
  }

 private:
  Parameter<int64_t> initial_timestamp_;
  std::atomic<int64_t> now_{0};
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/clock.hpp"
#include "gxf/sdk/tables/clock.hpp"

#endif  // NVIDIA_GXF_STD_CLOCK_HPP_
