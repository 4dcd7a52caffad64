/// GXF's scheduling terms. An application uses the host's, and handles refer to those. As bases of
/// your own terms, these classes work by themselves.
#ifndef NVIDIA_GXF_STD_SCHEDULING_TERMS_HPP_
#define NVIDIA_GXF_STD_SCHEDULING_TERMS_HPP_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gems/utils/time.hpp"
#include "gxf/core/parameter_parser.hpp"
#include "gxf/core/parameter_wrapper.hpp"
#include "gxf/std/allocator.hpp"
#include "gxf/std/clock.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/scheduling_term.hpp"
#include "gxf/std/transmitter.hpp"

namespace nvidia {
namespace gxf {

/// How a periodic term handles late ticks.
enum class PeriodicSchedulingPolicy {
  /// Makes up for all of them.
  kCatchUpMissedTicks = 0,
  /// Keeps the period between two ticks.
  kMinTimeBetweenTicks = 1,
  /// Leaves them out and stays on the grid.
  kNoCatchUpMissedTicks = 2,
};

/// How a term with several receivers counts messages.
enum struct SamplingMode {
  /// The messages of all receivers together.
  kSumOfAll = 0,
  /// Those of each receiver.
  kPerReceiver = 1,
};

namespace detail {

/// Reads an enumeration by name.
template <typename Enum, size_t N>
Expected<Enum> ParseName(const YAML::Node& node, const std::pair<const char*, Enum> (&names)[N]) {
  const std::string text = node.as<std::string>();
  for (const auto& [name, value] : names) {
    if (text == name) { return value; }
  }
  GXF_LOG_ERROR("`%s` is not one of the names allowed here", text.c_str());
  return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE};
}
template <typename Enum, size_t N>
Expected<YAML::Node> WrapName(Enum value, const std::pair<const char*, Enum> (&names)[N]) {
  for (const auto& [name, known] : names) {
    if (known == value) { return YAML::Node(std::string(name)); }
  }
  return Unexpected{GXF_PARAMETER_OUT_OF_RANGE};
}

inline constexpr std::pair<const char*, PeriodicSchedulingPolicy> kPolicyNames[] = {
    {"CatchUpMissedTicks", PeriodicSchedulingPolicy::kCatchUpMissedTicks},
    {"MinTimeBetweenTicks", PeriodicSchedulingPolicy::kMinTimeBetweenTicks},
    {"NoCatchUpMissedTicks", PeriodicSchedulingPolicy::kNoCatchUpMissedTicks},
};
inline constexpr std::pair<const char*, SamplingMode> kSamplingNames[] = {
    {"SumOfAll", SamplingMode::kSumOfAll},
    {"PerReceiver", SamplingMode::kPerReceiver},
};

}  // namespace detail

template <>
struct ParameterParser<PeriodicSchedulingPolicy> {
  static Expected<PeriodicSchedulingPolicy> Parse(gxf_context_t, gxf_uid_t, const char*,
                                                  const YAML::Node& node, const std::string&) {
    return detail::ParseName(node, detail::kPolicyNames);
  }
};
template <>
struct ParameterWrapper<PeriodicSchedulingPolicy> {
  static Expected<YAML::Node> Wrap(gxf_context_t, const PeriodicSchedulingPolicy& value) {
    return detail::WrapName(value, detail::kPolicyNames);
  }
};
template <>
struct ParameterParser<SamplingMode> {
  static Expected<SamplingMode> Parse(gxf_context_t, gxf_uid_t, const char*,
                                      const YAML::Node& node, const std::string&) {
    return detail::ParseName(node, detail::kSamplingNames);
  }
};
template <>
struct ParameterWrapper<SamplingMode> {
  static Expected<YAML::Node> Wrap(gxf_context_t, const SamplingMode& value) {
    return detail::WrapName(value, detail::kSamplingNames);
  }
};

/// Lets the entity run once a period.
class PeriodicSchedulingTerm : public SchedulingTerm {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(recess_period_, "recess_period", "Recess Period",
                                   "Time between two ticks: `100Hz`, `10ms`, `2s`, or a number of "
                                   "nanoseconds.");
    result &= registrar->parameter(policy_, "policy", "Policy",
                                   "What to do about ticks that came too late.",
                                   PeriodicSchedulingPolicy::kCatchUpMissedTicks);
    return ToResultCode(result);
  }
  gxf_result_t initialize() override {
    const auto period = ParseRecessPeriodString(recess_period_.get(), cid());
    if (!period) { return period.error(); }
    recess_period_ns_ = period.value();
    next_target_ = Unexpected{GXF_UNINITIALIZED_VALUE};
    last_run_ = Unexpected{GXF_UNINITIALIZED_VALUE};
    return GXF_SUCCESS;
  }
  gxf_result_t check_abi(int64_t timestamp, SchedulingConditionType* type,
                         int64_t* target_timestamp) const override {
    const int64_t target = next_target_ ? next_target_.value() : timestamp;
    *type = timestamp >= target ? SchedulingConditionType::READY
                                : SchedulingConditionType::WAIT_TIME;
    *target_timestamp = target;
    return GXF_SUCCESS;
  }
  gxf_result_t onExecute_abi(int64_t timestamp) override {
    const int64_t planned = next_target_ ? next_target_.value() : timestamp;
    int64_t next = planned + recess_period_ns_;
    switch (policy_.get()) {
      case PeriodicSchedulingPolicy::kCatchUpMissedTicks:
        break;
      case PeriodicSchedulingPolicy::kMinTimeBetweenTicks:
        next = timestamp + recess_period_ns_;
        break;
      case PeriodicSchedulingPolicy::kNoCatchUpMissedTicks:
        next += std::max<int64_t>(0, timestamp - planned) / recess_period_ns_ * recess_period_ns_;
        break;
    }
    next_target_ = next;
    last_run_ = timestamp;
    return GXF_SUCCESS;
  }
  /// The period in nanoseconds.
  virtual int64_t recess_period_ns() const { return recess_period_ns_; }
  /// When the entity ran last; `GXF_UNINITIALIZED_VALUE` before.
  virtual Expected<int64_t> last_run_timestamp() const { return last_run_; }

 private:
  Parameter<std::string> recess_period_;
  Parameter<PeriodicSchedulingPolicy> policy_;
  int64_t recess_period_ns_ = 0;
  Expected<int64_t> next_target_ = Unexpected{GXF_UNINITIALIZED_VALUE};
  Expected<int64_t> last_run_ = Unexpected{GXF_UNINITIALIZED_VALUE};
};

/// Lets the entity run a number of times.
class CountSchedulingTerm : public SchedulingTerm {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(
        registrar->parameter(count_, "count", "Count", "How often the entity may run."));
  }
  gxf_result_t initialize() override {
    remaining_ = count_.get();
    changed_ = 0;
    return GXF_SUCCESS;
  }
  gxf_result_t check_abi(int64_t, SchedulingConditionType* type,
                         int64_t* target_timestamp) const override {
    *type = remaining_ > 0 ? SchedulingConditionType::READY : SchedulingConditionType::NEVER;
    *target_timestamp = changed_;
    return GXF_SUCCESS;
  }
  gxf_result_t onExecute_abi(int64_t timestamp) override {
    if (remaining_ > 0 && --remaining_ == 0) { changed_ = timestamp; }
    return GXF_SUCCESS;
  }

 private:
  Parameter<int64_t> count_;
  int64_t remaining_ = 0;
  int64_t changed_ = 0;
};

/// Lets the entity run at a time that other components set, once for each time.
class TargetTimeSchedulingTerm : public SchedulingTerm {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(
        registrar->parameter(clock_, "clock", "Clock", "The clock of the target times."));
  }
  gxf_result_t initialize() override {
    target_ = kNone;
    return GXF_SUCCESS;
  }
  gxf_result_t check_abi(int64_t timestamp, SchedulingConditionType* type,
                         int64_t* target_timestamp) const override {
    const int64_t target = target_;
    *target_timestamp = target;
    *type = target == kNone        ? SchedulingConditionType::WAIT
            : timestamp >= target ? SchedulingConditionType::READY
                                  : SchedulingConditionType::WAIT_TIME;
    return GXF_SUCCESS;
  }
  gxf_result_t onExecute_abi(int64_t) override {
    target_ = kNone;
    return GXF_SUCCESS;
  }
  /// Sets the time of the next tick, in nanoseconds of the clock.
  virtual gxf_result_t setNextTargetTime(int64_t target_timestamp) {
    target_ = target_timestamp;
    return ToResultCode(detail::NotifyEntity(*this, GXF_EVENT_TIME_UPDATE));
  }

 private:
  static constexpr int64_t kNone = -1;

  Parameter<Handle<Clock>> clock_;
  std::atomic<int64_t> target_{kNone};
};

/// Lets the entity run while the receivers of a transmitter have room.
class DownstreamReceptiveSchedulingTerm : public SchedulingTerm {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(transmitter_, "transmitter", "Transmitter",
                                   "The transmitter whose receivers need room.");
    result &= registrar->parameter(min_size_, "min_size", "Minimum size",
                                   "Room each receiver must have, in messages.", uint64_t{1});
    return ToResultCode(result);
  }
  gxf_result_t check_abi(int64_t, SchedulingConditionType* type,
                         int64_t* target_timestamp) const override {
    bool has_room = true;
    for (const Handle<Receiver>& receiver : receivers_) {
      const uint64_t used = receiver->size() + receiver->back_size();
      has_room = has_room && receiver->capacity() >= used + min_size_.get();
    }
    *type = has_room ? SchedulingConditionType::READY : SchedulingConditionType::WAIT;
    *target_timestamp = 0;
    return GXF_SUCCESS;
  }
  gxf_result_t onExecute_abi(int64_t) override { return GXF_SUCCESS; }

  Handle<Transmitter> transmitter() const {
    return transmitter_.try_get().value_or(Handle<Transmitter>::Null());
  }
  void setReceivers(std::set<Handle<Receiver>> receivers) { receivers_ = std::move(receivers); }
  /// The form of GXF before 4.0.
  Expected<void> setReceiver(Handle<Receiver> receiver) {
    receivers_ = {std::move(receiver)};
    return Success;
  }
  Expected<void> setTransmitter(Handle<Transmitter> value) {
    return transmitter_.set(std::move(value));
  }
  Expected<void> setMinSize(uint64_t value) { return min_size_.set(value); }

 private:
  Parameter<Handle<Transmitter>> transmitter_;
  Parameter<uint64_t> min_size_;
  std::set<Handle<Receiver>> receivers_;
};

/// Lets the entity run when a receiver has messages.
class MessageAvailableSchedulingTerm : public SchedulingTerm {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(receiver_, "receiver", "Queue channel",
                                   "The receiver that is watched.");
    result &= registrar->parameter(min_size_, "min_size", "Minimum message count",
                                   "Messages that must be there.", size_t{1});
    result &= registrar->parameter(
        front_stage_max_size_, "front_stage_max_size", "Maximum front stage message count",
        "The entity waits while the main stage has more messages than this.",
        Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    return ToResultCode(result);
  }
  gxf_result_t check_abi(int64_t, SchedulingConditionType* type,
                         int64_t* target_timestamp) const override {
    const auto& most = front_stage_max_size_.try_get();
    const bool is_ready =
        receiver_->size() + receiver_->back_size() >= min_size_.get() &&
        (!most || receiver_->size() <= most.value());
    *type = is_ready ? SchedulingConditionType::READY : SchedulingConditionType::WAIT;
    *target_timestamp = 0;
    return GXF_SUCCESS;
  }
  gxf_result_t onExecute_abi(int64_t) override { return GXF_SUCCESS; }

  Expected<void> setReceiver(Handle<Receiver> value) { return receiver_.set(std::move(value)); }
  Expected<void> setMinSize(size_t value) { return min_size_.set(value); }
  Expected<void> setFrontStageMaxSize(size_t value) { return front_stage_max_size_.set(value); }

 private:
  Parameter<Handle<Receiver>> receiver_;
  Parameter<size_t> min_size_;
  Parameter<size_t> front_stage_max_size_;
};

/// Lets the entity run when several receivers have messages.
class MultiMessageAvailableSchedulingTerm : public SchedulingTerm {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(receivers_, "receivers", "Receivers",
                                   "The receivers that are watched.");
    result &= registrar->parameter(min_size_, "min_size", "Minimum message count",
                                   "Messages that must be there in all receivers together.",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(min_sum_, "min_sum", "Minimum sum of message counts",
                                   "As min_size, for the mode SumOfAll.",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(min_sizes_, "min_sizes", "Minimum message counts",
                                   "Messages that must be there in each receiver.",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(sampling_mode_, "sampling_mode", "Sampling Mode",
                                   "What is counted.", SamplingMode::kSumOfAll);
    return ToResultCode(result);
  }
  gxf_result_t check_abi(int64_t, SchedulingConditionType* type,
                         int64_t* target_timestamp) const override {
    size_t sum = 0;
    bool each = true;
    const auto& receivers = receivers_.get();
    const auto& sizes = min_sizes_.try_get();
    for (size_t i = 0; i < receivers.size(); i++) {
      const size_t count = receivers[i]->size() + receivers[i]->back_size();
      sum += count;
      each = each && (!sizes || i >= sizes->size() || count >= sizes.value()[i]);
    }
    const size_t needed = min_sum_.try_get().value_or(min_size_.try_get().value_or(size_t{1}));
    const bool is_ready =
        sampling_mode_.get() == SamplingMode::kSumOfAll ? sum >= needed : each;
    *type = is_ready ? SchedulingConditionType::READY : SchedulingConditionType::WAIT;
    *target_timestamp = 0;
    return GXF_SUCCESS;
  }
  gxf_result_t onExecute_abi(int64_t) override { return GXF_SUCCESS; }

  Expected<void> setMinSize(size_t value) { return min_size_.set(value); }
  Expected<void> setMinSum(size_t value) { return min_sum_.set(value); }
  Expected<void> setSamplingMode(SamplingMode value) { return sampling_mode_.set(value); }
  Expected<void> addReceiver(Handle<Receiver> value) { return Append(receivers_, std::move(value)); }
  Expected<void> addMinSize(size_t value) { return Append(min_sizes_, value); }

 private:
  template <typename T>
  static Expected<void> Append(Parameter<std::vector<T>>& list, T value) {
    auto values = list.try_get().value_or(std::vector<T>{});
    values.push_back(std::move(value));
    return list.set(std::move(values));
  }

  Parameter<std::vector<Handle<Receiver>>> receivers_;
  Parameter<size_t> min_size_;
  Parameter<size_t> min_sum_;
  Parameter<std::vector<size_t>> min_sizes_;
  Parameter<SamplingMode> sampling_mode_;
};

/// Lets the entity run while a switch is on.
class BooleanSchedulingTerm : public SchedulingTerm {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(enable_tick_, "enable_tick", "Enable Tick",
                                             "Whether the entity may run.", true,
                                             GXF_PARAMETER_FLAGS_DYNAMIC));
  }
  gxf_result_t check_abi(int64_t, SchedulingConditionType* type,
                         int64_t* target_timestamp) const override {
    *type = checkTickEnabled() ? SchedulingConditionType::READY : SchedulingConditionType::NEVER;
    *target_timestamp = 0;
    return GXF_SUCCESS;
  }
  gxf_result_t onExecute_abi(int64_t) override { return GXF_SUCCESS; }

  virtual Expected<void> enable_tick() { return Switch(true); }
  virtual Expected<void> disable_tick() { return Switch(false); }
  virtual bool checkTickEnabled() const { return enable_tick_.get(); }

 private:
  Expected<void> Switch(bool enabled) {
    const auto result = enable_tick_.set(enabled);
    return result ? detail::NotifyEntity(*this, GXF_EVENT_STATE_UPDATE) : result;
  }

  Parameter<bool> enable_tick_;
};

/// The term of a node in a behaviour tree.
class BTSchedulingTerm : public SchedulingTerm {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(is_root_, "is_root", "Is Root",
                                             "Whether this is the root of the tree.", false));
  }
  gxf_result_t initialize() override {
    type_ = is_root_.get() ? SchedulingConditionType::READY : SchedulingConditionType::WAIT;
    return GXF_SUCCESS;
  }
  gxf_result_t check_abi(int64_t, SchedulingConditionType* type,
                         int64_t* target_timestamp) const override {
    const SchedulingConditionType current = type_;
    *type = current == SchedulingConditionType::READY || current == SchedulingConditionType::NEVER
                ? current
                : SchedulingConditionType::WAIT;
    *target_timestamp = 0;
    return GXF_SUCCESS;
  }
  gxf_result_t onExecute_abi(int64_t) override { return GXF_SUCCESS; }
  virtual gxf_result_t set_condition(SchedulingConditionType type) {
    type_ = type;
    return ToResultCode(detail::NotifyEntity(*this, GXF_EVENT_STATE_UPDATE));
  }

 private:
  Parameter<bool> is_root_;
  std::atomic<SchedulingConditionType> type_{SchedulingConditionType::WAIT};
};

/// State of an event outside the graph.
enum class AsynchronousEventState {
  /// First tick pending.
  READY = 0,
  /// Nothing requested yet.
  WAIT,
  /// Requested; an event will come.
  EVENT_WAITING,
  /// The event came.
  EVENT_DONE,
  /// The entity does not want to run again.
  EVENT_NEVER,
};

/// Lets the entity run when an event from outside came.
class AsynchronousSchedulingTerm : public SchedulingTerm {
 public:
  gxf_result_t initialize() override {
    state_ = AsynchronousEventState::READY;
    return GXF_SUCCESS;
  }
  gxf_result_t check_abi(int64_t, SchedulingConditionType* type,
                         int64_t* target_timestamp) const override {
    switch (getEventState()) {
      case AsynchronousEventState::READY:
      case AsynchronousEventState::EVENT_DONE:
        *type = SchedulingConditionType::READY;
        break;
      case AsynchronousEventState::WAIT:
        *type = SchedulingConditionType::WAIT;
        break;
      case AsynchronousEventState::EVENT_WAITING:
        *type = SchedulingConditionType::WAIT_EVENT;
        break;
      case AsynchronousEventState::EVENT_NEVER:
        *type = SchedulingConditionType::NEVER;
        break;
    }
    *target_timestamp = 0;
    return GXF_SUCCESS;
  }
  gxf_result_t onExecute_abi(int64_t) override { return GXF_SUCCESS; }

  /// `EVENT_DONE` and `EVENT_NEVER` wake the entity.
  virtual void setEventState(AsynchronousEventState state) {
    state_ = state;
    if (state == AsynchronousEventState::EVENT_DONE ||
        state == AsynchronousEventState::EVENT_NEVER) {
      detail::NotifyEntity(*this, GXF_EVENT_EXTERNAL)
          .log_error("the entity of component %ld could not be woken", static_cast<long>(cid()));
    }
  }
  virtual AsynchronousEventState getEventState() const { return state_; }

 private:
  std::atomic<AsynchronousEventState> state_{AsynchronousEventState::READY};
};

/// Lets the entity run when there are enough messages, or the oldest one gets too old.
class ExpiringMessageAvailableSchedulingTerm : public SchedulingTerm {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(max_batch_size_, "max_batch_size", "Maximum Batch Size",
                                   "Messages that are enough.");
    result &= registrar->parameter(max_delay_ns_, "max_delay_ns", "Maximum delay",
                                   "How old the first message may get, in nanoseconds.");
    result &= registrar->parameter(receiver_, "receiver", "Receiver",
                                   "The receiver that is watched.");
    result &= registrar->parameter(clock_, "clock", "Clock", "The clock of the messages' times.");
    return ToResultCode(result);
  }
  gxf_result_t check_abi(int64_t timestamp, SchedulingConditionType* type,
                         int64_t* target_timestamp) const override {
    *target_timestamp = 0;
    const auto count = static_cast<int64_t>(receiver_->size() + receiver_->back_size());
    *type = SchedulingConditionType::READY;
    if (count >= max_batch_size_.get()) { return GXF_SUCCESS; }
    *type = SchedulingConditionType::WAIT;
    const auto first = receiver_->size() > 0 ? receiver_->peek() : receiver_->peekBack();
    if (count == 0 || !first) { return GXF_SUCCESS; }
    const auto stamp = first->get<Timestamp>("timestamp");
    if (!stamp) { return stamp.error(); }
    *target_timestamp = stamp.value()->pubtime + max_delay_ns_.get();
    *type = timestamp >= *target_timestamp ? SchedulingConditionType::READY
                                           : SchedulingConditionType::WAIT_TIME;
    return GXF_SUCCESS;
  }
  gxf_result_t onExecute_abi(int64_t) override { return GXF_SUCCESS; }

 private:
  Parameter<int64_t> max_batch_size_;
  Parameter<int64_t> max_delay_ns_;
  Parameter<Handle<Receiver>> receiver_;
  Parameter<Handle<Clock>> clock_;
};

/// Lets the entity run when memory is free.
class MemoryAvailableSchedulingTerm : public SchedulingTerm {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(allocator_, "allocator", "Allocator",
                                   "The allocator that is watched.");
    result &= registrar->parameter(min_bytes_, "min_bytes", "Minimum bytes", "Bytes needed.",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(min_blocks_, "min_blocks", "Minimum blocks", "Blocks needed.",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    return ToResultCode(result);
  }
  gxf_result_t check_abi(int64_t, SchedulingConditionType* type,
                         int64_t* target_timestamp) const override {
    const uint64_t bytes = min_bytes_.try_get().value_or(
        min_blocks_.try_get().value_or(uint64_t{1}) * allocator_->block_size());
    *type = allocator_->is_available(bytes) ? SchedulingConditionType::READY
                                            : SchedulingConditionType::WAIT;
    *target_timestamp = 0;
    return GXF_SUCCESS;
  }
  gxf_result_t onExecute_abi(int64_t) override { return GXF_SUCCESS; }

 private:
  Parameter<Handle<Allocator>> allocator_;
  Parameter<uint64_t> min_bytes_;
  Parameter<uint64_t> min_blocks_;
};

/// Lets the entity run when messages came, and at least with a frequency.
class MessageAvailableFrequencyThrottler : public SchedulingTerm {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(receivers_, "receivers", "Receivers",
                                   "The receivers that are watched.");
    result &= registrar->parameter(execution_frequency_, "execution_frequency",
                                   "Execution frequency", "How often the entity runs at least.");
    result &= registrar->parameter(min_sum_, "min_sum", "Minimum sum of message counts",
                                   "Messages that let it run at once.", size_t{1});
    return ToResultCode(result);
  }
  gxf_result_t initialize() override {
    const auto period = ParseRecessPeriodString(execution_frequency_.get(), cid());
    if (!period) { return period.error(); }
    period_ns_ = period.value();
    last_run_ = Unexpected{GXF_UNINITIALIZED_VALUE};
    return GXF_SUCCESS;
  }
  gxf_result_t check_abi(int64_t timestamp, SchedulingConditionType* type,
                         int64_t* target_timestamp) const override {
    size_t sum = 0;
    for (const auto& receiver : receivers_.get()) { sum += receiver->size() + receiver->back_size(); }
    const int64_t due = last_run_ ? last_run_.value() + period_ns_ : timestamp;
    *target_timestamp = due;
    *type = sum >= min_sum_.get() || timestamp >= due ? SchedulingConditionType::READY
                                                      : SchedulingConditionType::WAIT_TIME;
    return GXF_SUCCESS;
  }
  gxf_result_t onExecute_abi(int64_t timestamp) override {
    last_run_ = timestamp;
    return GXF_SUCCESS;
  }

 private:
  Parameter<std::vector<Handle<Receiver>>> receivers_;
  Parameter<std::string> execution_frequency_;
  Parameter<size_t> min_sum_;
  int64_t period_ns_ = 0;
  Expected<int64_t> last_run_ = Unexpected{GXF_UNINITIALIZED_VALUE};
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/scheduling_terms.hpp"
#include "gxf/sdk/tables/scheduling_terms.hpp"

#endif  // NVIDIA_GXF_STD_SCHEDULING_TERMS_HPP_
