/// Conditions: when an operator may run.
#ifndef HOLOSCAN_CORE_CONDITION_HPP_
#define HOLOSCAN_CORE_CONDITION_HPP_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gxf/std/scheduling_terms.hpp"
#include "holoscan/core/choices.hpp"
#include "holoscan/core/component_spec.hpp"
#include "holoscan/core/gxf/gxf_component.hpp"
#include "holoscan/core/resource.hpp"

namespace holoscan {

#define HOLOSCAN_CONDITION_FORWARD_ARGS(class_name) \
  HOLOSCAN_FORWARD_ARGS_TO(class_name, ::holoscan::Condition)
#define HOLOSCAN_CONDITION_FORWARD_ARGS_SUPER(class_name, super) \
  HOLOSCAN_FORWARD_ARGS_TO(class_name, super)

/// Kinds of conditions for ports.
enum class ConditionType {
  /// The port never keeps the operator from running.
  kNone,
  kMessageAvailable,
  kDownstreamMessageAffordable,
  kCount,
  kBoolean,
  kPeriodic,
  kAsynchronous,
  kExpiringMessageAvailable,
  kMultiMessageAvailable,
  kMultiMessageAvailableTimeOut,
  kMultiMessageAvailableTimeout = kMultiMessageAvailableTimeOut,
  kCudaStreamAvailable,
  kCudaEventAvailable,
  kCudaBufferAvailable,
};

/// Answers of a condition.
enum class SchedulingStatusType {
  kNever = 0,
  kReady = 1,
  kWait = 2,
  kWaitTime = 3,
  kWaitEvent = 4,
};

/// When an operator may run. A class of the program overrides `check`, and `setup`, `on_execute` and
/// `update_state` where needed; the engine asks it regularly.
class Condition : public Component {
 public:
  Condition() = default;
  HOLOSCAN_FORWARD_ARGS_TO(Condition, Component)

  virtual void setup(ComponentSpec&) {}
  /// Gives the parameters the values of the arguments. An override calls this one.
  void initialize() override {
    if (spec_ != nullptr) { spec_->Apply(args_); }
  }
  /// The condition at a time in nanoseconds; `target` is for `kWaitTime`.
  virtual void check(int64_t timestamp, SchedulingStatusType* type, int64_t* target) const {
    (void)timestamp, (void)target;
    *type = SchedulingStatusType::kReady;
  }
  /// The operator was executed.
  virtual void on_execute(int64_t timestamp) { (void)timestamp; }
  /// Called before each `check`.
  virtual void update_state(int64_t timestamp) { (void)timestamp; }

  std::shared_ptr<ComponentSpec> spec() const { return spec_; }
  void spec(const std::shared_ptr<ComponentSpec>& spec) { spec_ = spec; }

 private:
  std::shared_ptr<ComponentSpec> spec_;
};

namespace gxf {

/// A condition that the engine checks itself. Its arguments are the parameters of GXF's term.
class GXFCondition : public Condition, public GXFComponent {
 public:
  GXFCondition() = default;
  HOLOSCAN_FORWARD_ARGS_TO(GXFCondition, Condition)

  /// The engine does it.
  void initialize() override {}
};

}  // namespace gxf

/// Lets the operator run a number of times; for ever if that is negative.
class CountCondition : public gxf::GXFCondition {
 public:
  CountCondition() : CountCondition(int64_t{1}) {}
  explicit CountCondition(int64_t count) { this->count(count); }
  HOLOSCAN_FORWARD_ARGS_TO(CountCondition, GXFCondition)

  const char* gxf_typename() const override { return "nvidia::gxf::CountSchedulingTerm"; }
  int64_t count() const {
    for (const Arg& arg : args_) {
      if (arg.name() == "count") { return arg.as<int64_t>(); }
    }
    return 1;
  }
  /// Sets how often it may run from now on.
  void count(int64_t count) {
    args_.clear();
    add_arg(Arg("count", count));
    if (is_made()) { GxfParameterSetInt64(gxf_context(), gxf_cid(), "count", Unlimited(count)); }
  }
  /// The number as the engine knows it.
  static int64_t Unlimited(int64_t count) { return count < 0 ? INT64_MAX : count; }
};

/// Lets the operator run while it is enabled; ends it when it is not.
class BooleanCondition : public gxf::GXFCondition {
 public:
  BooleanCondition() : BooleanCondition(true) {}
  explicit BooleanCondition(bool enable_tick) : GXFCondition(Arg("enable_tick", enable_tick)) {}
  HOLOSCAN_FORWARD_ARGS_TO(BooleanCondition, GXFCondition)

  const char* gxf_typename() const override { return "nvidia::gxf::BooleanSchedulingTerm"; }
  void enable_tick() { Switch(true); }
  void disable_tick() { Switch(false); }
  bool check_tick_enabled() {
    if (is_made()) { return handle<nvidia::gxf::BooleanSchedulingTerm>()->checkTickEnabled(); }
    bool enabled = true;
    for (const Arg& arg : args_) {
      if (arg.name() == "enable_tick") { enabled = arg.as<bool>(); }
    }
    return enabled;
  }

 private:
  void Switch(bool enabled) {
    if (!is_made()) {
      args_.clear();
      add_arg(Arg("enable_tick", enabled));
      return;
    }
    const auto term = handle<nvidia::gxf::BooleanSchedulingTerm>();
    (enabled ? term->enable_tick() : term->disable_tick()).log_error("a condition cannot be switched");
  }
};

/// Lets the operator run once a period: nanoseconds, a duration, or a text such as "10ms" or "30Hz".
class PeriodicCondition : public gxf::GXFCondition {
 public:
  PeriodicCondition() = default;
  explicit PeriodicCondition(
      int64_t recess_period_ns,
      PeriodicConditionPolicy policy = PeriodicConditionPolicy::kCatchUpMissedTicks)
      : GXFCondition(Arg("recess_period", std::to_string(recess_period_ns) + "ns"),
                     Arg("policy", policy)),
        recess_period_ns_(recess_period_ns) {}
  template <typename Rep, typename Period>
  explicit PeriodicCondition(
      std::chrono::duration<Rep, Period> recess_period,
      PeriodicConditionPolicy policy = PeriodicConditionPolicy::kCatchUpMissedTicks)
      : PeriodicCondition(
            std::chrono::duration_cast<std::chrono::nanoseconds>(recess_period).count(), policy) {}
  HOLOSCAN_FORWARD_ARGS_TO(PeriodicCondition, GXFCondition)

  const char* gxf_typename() const override { return "nvidia::gxf::PeriodicSchedulingTerm"; }
  /// The period in nanoseconds; while the application runs, also if a text stated it.
  int64_t recess_period_ns() const {
    if (!is_made()) { return recess_period_ns_; }
    return handle<nvidia::gxf::PeriodicSchedulingTerm>()->recess_period_ns();
  }
  /// Time of the latest execution in nanoseconds; 0 before the first.
  int64_t last_run_timestamp() const {
    return handle<nvidia::gxf::PeriodicSchedulingTerm>()->last_run_timestamp().value_or(0);
  }

 private:
  int64_t recess_period_ns_ = 0;
};

/// State of an event outside the application.
enum class AsynchronousEventState {
  kReady = 0,
  kWait,
  kEventWaiting,
  kEventDone,
  kEventNever,
  // The spelling of older versions.
  READY = kReady,
  WAIT = kWait,
  EVENT_WAITING = kEventWaiting,
  EVENT_DONE = kEventDone,
  EVENT_NEVER = kEventNever,
};

/// Lets the operator run when an event outside the application happened.
class AsynchronousCondition : public gxf::GXFCondition {
 public:
  AsynchronousCondition() = default;
  HOLOSCAN_FORWARD_ARGS_TO(AsynchronousCondition, GXFCondition)

  const char* gxf_typename() const override { return "nvidia::gxf::AsynchronousSchedulingTerm"; }
  AsynchronousEventState event_state() const {
    if (!is_made()) { return wanted_.value_or(AsynchronousEventState::READY); }
    return static_cast<AsynchronousEventState>(
        handle<nvidia::gxf::AsynchronousSchedulingTerm>()->getEventState());
  }
  /// Changes the state, from any thread. Before the application runs, that of its start.
  void event_state(AsynchronousEventState state) {
    wanted_ = state;
    if (is_made()) { ApplyWanted(); }
  }
  /// Gives the engine's term the state that was set before it was made.
  void ApplyWanted() {
    if (!wanted_) { return; }
    handle<nvidia::gxf::AsynchronousSchedulingTerm>()->setEventState(
        static_cast<nvidia::gxf::AsynchronousEventState>(*wanted_));
  }

 private:
  std::optional<AsynchronousEventState> wanted_;
};

#define HOLOSCAN_GXF_CONDITION(class_name, type)                  \
  class class_name : public gxf::GXFCondition {                   \
   public:                                                        \
    class_name() = default;                                       \
    HOLOSCAN_FORWARD_ARGS_TO(class_name, GXFCondition)            \
    const char* gxf_typename() const override { return type; }    \
  };

/// Lets the operator run when an input (`receiver`) has `min_size` messages.
HOLOSCAN_GXF_CONDITION(MessageAvailableCondition, "nvidia::gxf::MessageAvailableSchedulingTerm")
/// Lets it run when an input has `max_batch_size` messages, or the first one is `max_delay_ns` old.
HOLOSCAN_GXF_CONDITION(ExpiringMessageAvailableCondition,
                       "nvidia::gxf::ExpiringMessageAvailableSchedulingTerm")
/// Lets it run when there is room for `min_size` messages behind an output (`transmitter`).
HOLOSCAN_GXF_CONDITION(DownstreamMessageAffordableCondition,
                       "nvidia::gxf::DownstreamReceptiveSchedulingTerm")
/// Lets it run when an `allocator` has `min_bytes` or `min_blocks`.
HOLOSCAN_GXF_CONDITION(MemoryAvailableCondition, "nvidia::gxf::MemoryAvailableSchedulingTerm")
/// Lets it run when the work on the stream of the first message is done.
HOLOSCAN_GXF_CONDITION(CudaStreamCondition, "nvidia::gxf::CudaStreamSchedulingTerm")
/// Lets it run when the event `event_name` of the first message is done.
HOLOSCAN_GXF_CONDITION(CudaEventCondition, "nvidia::gxf::CudaEventSchedulingTerm")
/// Lets it run when the buffer in the first message has its data.
HOLOSCAN_GXF_CONDITION(CudaBufferAvailableCondition,
                       "nvidia::gxf::CudaBufferAvailableSchedulingTerm")
#undef HOLOSCAN_GXF_CONDITION

/// Lets the operator run when several inputs (`receivers`) have `min_sum` messages together, or
/// `min_sizes` each, as `sampling_mode` says.
class MultiMessageAvailableCondition : public gxf::GXFCondition {
 public:
  using SamplingMode = ::holoscan::SamplingMode;
  MultiMessageAvailableCondition() = default;
  HOLOSCAN_FORWARD_ARGS_TO(MultiMessageAvailableCondition, GXFCondition)
  const char* gxf_typename() const override {
    return "nvidia::gxf::MultiMessageAvailableSchedulingTerm";
  }
};

/// The same, or when the operator last ran longer ago than a period (`execution_frequency`).
class MultiMessageAvailableTimeoutCondition : public gxf::GXFCondition {
 public:
  using SamplingMode = ::holoscan::SamplingMode;
  MultiMessageAvailableTimeoutCondition() = default;
  HOLOSCAN_FORWARD_ARGS_TO(MultiMessageAvailableTimeoutCondition, GXFCondition)
  const char* gxf_typename() const override {
    return "nvidia::holoscan::MultiMessageAvailableTimeoutSchedulingTerm";
  }
};
using MultiMessageAvailableTimeOutCondition = MultiMessageAvailableTimeoutCondition;

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_CONDITION_HPP_
