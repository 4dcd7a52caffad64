// What extensions decide about when entities run: terms with threads of their own, a clock, a
// scheduler, a controller that repeats, a combiner, a monitor, a codelet that switches terms.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gxf/core/entity_executor.hpp"
#include "gxf/core/gxf.h"
#include "gxf/core/resource.hpp"
#include "gxf/std/clock.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/controller.hpp"
#include "gxf/std/cpu_thread.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/metric.hpp"
#include "gxf/std/monitor.hpp"
#include "gxf/std/resources.hpp"
#include "gxf/std/scheduler.hpp"
#include "gxf/std/scheduling_condition.hpp"
#include "gxf/std/scheduling_term.hpp"
#include "gxf/std/scheduling_term_combiner.hpp"
#include "gxf/std/scheduling_terms.hpp"
#include "gxf/std/synthetic_clock.hpp"

namespace nvidia {
namespace gxf {
namespace timing {

// Ready once a piece of work on another thread is done; it is told by an event of the entity.
class WorkDoneTerm : public SchedulingTerm {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(
        registrar->parameter(work_us_, "work_us", "Work", "Microseconds of work", int64_t{200}));
  }
  gxf_result_t initialize() override {
    state_ = State::kIdle;
    return GXF_SUCCESS;
  }
  gxf_result_t deinitialize() override {
    if (worker_.joinable()) { worker_.join(); }
    return GXF_SUCCESS;
  }
  gxf_result_t check_abi(int64_t timestamp, SchedulingConditionType* type,
                         int64_t* target_timestamp) const override {
    *target_timestamp = timestamp;
    switch (state_.load()) {
      case State::kIdle:
      case State::kDone:
        *type = SchedulingConditionType::READY;
        break;
      case State::kWorking:
        *type = SchedulingConditionType::WAIT_EVENT;
        break;
    }
    return GXF_SUCCESS;
  }
  gxf_result_t onExecute_abi(int64_t dt) override {
    (void)dt;
    if (worker_.joinable()) { worker_.join(); }
    state_ = State::kWorking;
    worker_ = std::thread([this]() {
      std::this_thread::sleep_for(std::chrono::microseconds(work_us_.get()));
      state_ = State::kDone;
      GxfEntityEventNotify(context(), eid());
    });
    return GXF_SUCCESS;
  }
  gxf_result_t update_state_abi(int64_t timestamp) override {
    last_asked_ = timestamp;
    return GXF_SUCCESS;
  }

 private:
  enum class State { kIdle, kWorking, kDone };
  Parameter<int64_t> work_us_;
  std::atomic<State> state_{State::kIdle};
  std::thread worker_;
  int64_t last_asked_ = 0;
};

// A periodic term that stops after a while.
class LimitedPeriod : public PeriodicSchedulingTerm {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= ExpectedOrCode(PeriodicSchedulingTerm::registerInterface(registrar));
    result &= registrar->parameter(limit_, "limit", "Limit", "Ticks", 3u);
    return ToResultCode(result);
  }
  gxf_result_t check_abi(int64_t timestamp, SchedulingConditionType* type,
                         int64_t* target_timestamp) const override {
    if (count_ >= limit_.get()) {
      *type = SchedulingConditionType::NEVER;
      *target_timestamp = last_run_timestamp().value_or(0);
      return GXF_SUCCESS;
    }
    return PeriodicSchedulingTerm::check_abi(timestamp, type, target_timestamp);
  }
  gxf_result_t onExecute_abi(int64_t timestamp) override {
    count_++;
    return PeriodicSchedulingTerm::onExecute_abi(timestamp);
  }

 private:
  Parameter<uint32_t> limit_;
  std::atomic<uint32_t> count_{0};
};

// Sets off work on a thread and lets the asynchronous term of its entity wait for it.
class AsyncCodelet : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(term_, "async_scheduling_term", "Term", "Waits for the work");
    result &= registrar->parameter(count_, "count", "Count", "Rounds", 5);
    return ToResultCode(result);
  }
  gxf_result_t start() override {
    running_ = true;
    thread_ = std::thread(&AsyncCodelet::work, this);
    return GXF_SUCCESS;
  }
  gxf_result_t tick() override {
    if (rounds_++ == count_) {
      term_->setEventState(AsynchronousEventState::EVENT_NEVER);
      return GXF_SUCCESS;
    }
    term_->setEventState(AsynchronousEventState::EVENT_WAITING);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      requests_.push(rounds_);
    }
    changed_.notify_one();
    return GXF_SUCCESS;
  }
  gxf_result_t stop() override {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      running_ = false;
    }
    changed_.notify_all();
    thread_.join();
    GXF_LOG_INFO("asynchronous rounds: %d", done_.load());
    return GXF_SUCCESS;
  }

 private:
  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return !running_ || !requests_.empty(); });
      if (!running_) { return; }
      requests_.pop();
      done_++;
      lock.unlock();
      term_->setEventState(AsynchronousEventState::EVENT_DONE);
      lock.lock();
    }
  }

  Parameter<Handle<AsynchronousSchedulingTerm>> term_;
  Parameter<int> count_;
  int rounds_ = 0;
  bool running_ = false;
  std::atomic<int> done_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<int> requests_;
  std::thread thread_;
};

// Runs at the times it tells itself, and switches another entity off.
class Conductor : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(clock_, "clock", "Clock", "");
    result &= registrar->parameter(target_, "target", "Target", "");
    result &= registrar->parameter(other_, "other", "Other", "A switch of another entity");
    result &= registrar->parameter(metric_, "metric", "Metric", "",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    return ToResultCode(result);
  }
  gxf_result_t start() override {
    return target_->setNextTargetTime(clock_->timestamp());
  }
  gxf_result_t tick() override {
    const bool ends = getExecutionCount() == 3;
    Expected<void> result = ends ? other_->disable_tick() : Success;
    if (other_->checkTickEnabled() == (getExecutionCount() >= 3)) { return GXF_FAILURE; }
    if (auto metric = metric_.try_get()) { result &= (*metric)->record(getDeltaTime()); }
    if (getExecutionCount() < 6) {
      const gxf_result_t code = target_->setNextTargetTime(clock_->timestamp() + 1'000'000);
      if (code != GXF_SUCCESS) { return code; }
    }
    return ToResultCode(result);
  }
  gxf_result_t stop() override {
    const auto time = clock_->time();
    GXF_LOG_INFO("conducted for %s, longest pause %s", time > 0.0 ? "a while" : "no time",
                 metric_.try_get() && metric_.try_get().value()->getAggregatedValue() ? "known"
                                                                                      : "unknown");
    return GXF_SUCCESS;
  }

 private:
  Parameter<Handle<Clock>> clock_;
  Parameter<Handle<TargetTimeSchedulingTerm>> target_;
  Parameter<Handle<BooleanSchedulingTerm>> other_;
  Parameter<Handle<Metric>> metric_;
};

class Counter : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(expected_, "expected", "Expected", "Ticks", 0));
  }
  gxf_result_t tick() override {
    count_++;
    return GXF_SUCCESS;
  }
  gxf_result_t stop() override {
    if (count_ > 0) { GXF_LOG_INFO("'%s' ticked", entity().name()); }
    if (expected_ > 0 && count_ != expected_) {
      GXF_LOG_ERROR("'%s' ticked %d times instead of %d", entity().name(), count_, expected_.get());
      return GXF_FAILURE;
    }
    return GXF_SUCCESS;
  }

 private:
  Parameter<int> expected_;
  int count_ = 0;
};

// Fails at first.
class Flaky : public Codelet {
 public:
  gxf_result_t tick() override {
    attempts_++;
    return attempts_ < 3 ? GXF_FAILURE : GXF_SUCCESS;
  }
  gxf_result_t stop() override {
    GXF_LOG_INFO("flaky codelet needed %d attempts", attempts_);
    return GXF_SUCCESS;
  }

 private:
  int attempts_ = 0;
};

// Lets a failed execution be repeated.
class Patient : public Controller {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(repeats_, "repeats", "Repeats", "At most", 5ul));
  }
  gxf_controller_status_t control(gxf_uid_t eid, Expected<void> code) override {
    gxf_controller_status_t status;
    if (code) {
      status.behavior_status = GXF_BEHAVIOR_SUCCESS;
      status.exec_status = GXF_EXECUTE_SUCCESS;
      return status;
    }
    GXF_LOG_DEBUG("entity %ld failed: %s", eid, GxfResultStr(ToResultCode(code)));
    if (repeats_.get() > failures_++) {
      return gxf_controller_status_t{GXF_BEHAVIOR_RUNNING, GXF_EXECUTE_FAILURE_REPEAT};
    }
    return {GXF_BEHAVIOR_FAILURE, GXF_EXECUTE_FAILURE_DEACTIVATE};
  }

 private:
  Parameter<size_t> repeats_;
  size_t failures_ = 0;
};

// Ready when one of its terms is.
class AnyOf : public SchedulingTermCombiner {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(terms_, "terms", "Terms", ""));
  }
  SchedulingCondition combine(SchedulingCondition a, SchedulingCondition b) override {
    if (a.type == SchedulingConditionType::READY || b.type == SchedulingConditionType::NEVER) {
      return a;
    }
    return b;
  }
  FixedVector<Handle<SchedulingTerm>, kMaxComponents> getTermList() const override {
    FixedVector<Handle<SchedulingTerm>, kMaxComponents> list;
    for (const auto& term : terms_.get()) { list.push_back(term); }
    return list;
  }

 private:
  Parameter<std::vector<Handle<SchedulingTerm>>> terms_;
};

// A clock that runs ten times as fast as the world.
class FastClock : public Clock {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(speed_, "speed", "Speed", "", 10.0));
  }
  gxf_result_t initialize() override {
    begin_ = std::chrono::steady_clock::now();
    return GXF_SUCCESS;
  }
  double time() const override { return static_cast<double>(timestamp()) * 1e-9; }
  int64_t timestamp() const override {
    const std::chrono::duration<double, std::nano> passed =
        std::chrono::steady_clock::now() - begin_;
    return static_cast<int64_t>(passed.count() * speed_);
  }
  Expected<void> sleepFor(int64_t duration_ns) override {
    if (duration_ns < 0) { return Unexpected{GXF_ARGUMENT_INVALID}; }
    std::this_thread::sleep_for(
        std::chrono::duration<double, std::nano>(static_cast<double>(duration_ns) / speed_));
    return Success;
  }
  Expected<void> sleepUntil(int64_t target_time_ns) override {
    return sleepFor(std::max<int64_t>(0, target_time_ns - timestamp()));
  }

 private:
  Parameter<double> speed_;
  std::chrono::steady_clock::time_point begin_;
};

// Runs every entity on a thread of its own.
class ThreadPerEntityScheduler : public Scheduler {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(clock_, "clock", "Clock", ""));
  }
  gxf_result_t prepare_abi(EntityExecutor* executor) override {
    executor_ = executor;
    return executor == nullptr ? GXF_ARGUMENT_NULL : GXF_SUCCESS;
  }
  gxf_result_t schedule_abi(gxf_uid_t eid) override {
    workers_.emplace_back(std::make_unique<Worker>());
    workers_.back()->eid = eid;
    return GXF_SUCCESS;
  }
  gxf_result_t unschedule_abi(gxf_uid_t eid) override {
    for (auto& worker : workers_) {
      if (worker->eid == eid) { worker->over = true; }
    }
    return GXF_SUCCESS;
  }
  gxf_result_t runAsync_abi() override {
    for (auto& worker : workers_) {
      worker->thread = std::thread([this, &worker = *worker] { run(worker); });
    }
    return GXF_SUCCESS;
  }
  gxf_result_t stop_abi() override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    return GXF_SUCCESS;
  }
  gxf_result_t wait_abi() override {
    for (auto& worker : workers_) {
      if (worker->thread.joinable()) { worker->thread.join(); }
    }
    return result_;
  }
  gxf_result_t event_notify_abi(gxf_uid_t eid, gxf_event_t event) override {
    GXF_LOG_VERBOSE("event %s of %ld", GxfEventStr(event), eid);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      events_++;
    }
    changed_.notify_all();
    return GXF_SUCCESS;
  }

 private:
  struct Worker {
    gxf_uid_t eid;
    std::atomic<bool> over{false};
    std::thread thread;
  };

  // Waiting entities are asked again after events and after a while: others may have run.
  void run(Worker& worker) {
    std::unique_lock<std::mutex> lock(mutex_);
    int idle = 0;
    while (!stopping_ && !worker.over && idle < 200) {
      lock.unlock();
      const Expected<SchedulingCondition> condition =
          executor_->executeEntity(worker.eid, clock_->timestamp());
      lock.lock();
      if (!condition) {
        result_ = AccumulateError(result_, condition.error());
        stopping_ = true;
        break;
      }
      if (condition->type == SchedulingConditionType::NEVER) { break; }
      if (condition->type == SchedulingConditionType::READY) {
        idle = 0;
        continue;
      }
      idle = condition->type == SchedulingConditionType::WAIT ? idle + 1 : 0;
      changed_.wait_for(lock, std::chrono::microseconds(100));
    }
  }

  Parameter<Handle<Clock>> clock_;
  EntityExecutor* executor_ = nullptr;
  std::list<std::unique_ptr<Worker>> workers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  int events_ = 0;
  gxf_result_t result_ = GXF_SUCCESS;
};

// Keeps what each entity did, by its name.
class Journal : public Monitor {
 public:
  gxf_result_t on_execute_abi(gxf_uid_t eid, uint64_t timestamp, gxf_result_t code) override {
    const char* name = nullptr;
    if (GxfEntityGetName(context(), eid, &name) != GXF_SUCCESS) { return GXF_SUCCESS; }
    std::lock_guard<std::mutex> lock(mutex_);
    auto& entry = entries_[name];
    entry.first++;
    entry.second = AccumulateError(entry.second, code);
    latest_ = std::max(latest_, timestamp);
    return GXF_SUCCESS;
  }
  gxf_result_t deinitialize() override {
    for (const auto& [name, entry] : entries_) {
      if (entry.second != GXF_SUCCESS) {
        GXF_LOG_INFO("journal: '%s' failed with %s", name.c_str(), GxfResultStr(entry.second));
      }
    }
    GXF_LOG_INFO("journal has %zu entities", entries_.size());
    return GXF_SUCCESS;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::pair<int, gxf_result_t>> entries_;
  uint64_t latest_ = 0;
};

}  // namespace timing
}  // namespace gxf
}  // namespace nvidia

using namespace nvidia::gxf;          // NOLINT
using namespace nvidia::gxf::timing;  // NOLINT

GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0xd1c2b3a495867701, 0x1122334455667701, "TimingExtension", "Scheduling",
                         "gxe", "1.0.0", "Apache-2.0")
GXF_EXT_FACTORY_ADD(0xd1c2b3a495867701, 0x1122334455667702, WorkDoneTerm, SchedulingTerm, "")
GXF_EXT_FACTORY_ADD(0xd1c2b3a495867701, 0x1122334455667703, LimitedPeriod, PeriodicSchedulingTerm,
                    "")
GXF_EXT_FACTORY_ADD(0xd1c2b3a495867701, 0x1122334455667704, AsyncCodelet, Codelet, "")
GXF_EXT_FACTORY_ADD(0xd1c2b3a495867701, 0x1122334455667705, Conductor, Codelet, "")
GXF_EXT_FACTORY_ADD(0xd1c2b3a495867701, 0x1122334455667706, Counter, Codelet, "")
GXF_EXT_FACTORY_ADD(0xd1c2b3a495867701, 0x1122334455667707, Flaky, Codelet, "")
GXF_EXT_FACTORY_ADD(0xd1c2b3a495867701, 0x1122334455667708, Patient, Controller, "")
GXF_EXT_FACTORY_ADD(0xd1c2b3a495867701, 0x1122334455667709, AnyOf, SchedulingTermCombiner, "")
GXF_EXT_FACTORY_ADD(0xd1c2b3a495867701, 0x112233445566770a, FastClock, Clock, "")
GXF_EXT_FACTORY_ADD(0xd1c2b3a495867701, 0x112233445566770b, ThreadPerEntityScheduler, Scheduler, "")
GXF_EXT_FACTORY_ADD(0xd1c2b3a495867701, 0x112233445566770c, Journal, Monitor, "")
GXF_EXT_FACTORY_END()
