/// Threads of their own for some operators.
#ifndef HOLOSCAN_CORE_THREAD_POOL_HPP_
#define HOLOSCAN_CORE_THREAD_POOL_HPP_

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gxf/std/cpu_thread.hpp"
#include "holoscan/core/operator.hpp"

namespace holoscan {

using SchedulingPolicy = nvidia::gxf::SchedulingPolicy;

/// Threads that only the operators of the pool run on; `Fragment::make_thread_pool` makes it. It
/// needs a scheduler of several threads.
class ThreadPool {
 public:
  struct Member {
    std::shared_ptr<Operator> op;
    bool is_pinned;
    std::vector<uint32_t> cores;
    /// How the operating system schedules its thread.
    ArgList policy;
  };

  ThreadPool(std::string name, int64_t initial_size)
      : name_(std::move(name)), initial_size_(initial_size) {}

  const std::string& name() const { return name_; }
  int64_t initial_size() const { return initial_size_; }
  /// Adds an operator. A pinned one has a thread to itself, which stays on the stated cores.
  template <typename OperatorT>
  void add(const std::shared_ptr<OperatorT>& op, bool pin_operator = true,
           std::vector<uint32_t> pin_cores = {}) {
    if (op == nullptr) { throw std::runtime_error("thread pool `" + name_ + "`: no operator"); }
    members_.push_back({op, pin_operator, std::move(pin_cores), {}});
  }
  void add(const std::vector<std::shared_ptr<Operator>>& ops, bool pin_operator = true,
           const std::vector<uint32_t>& pin_cores = {}) {
    for (const auto& op : ops) { add(op, pin_operator, pin_cores); }
  }
  /// Adds an operator with a thread to itself, which the operating system schedules by a policy for
  /// real-time work: by priority (1 to 99), or by computing time, deadline and period in nanoseconds.
  /// That needs the capability CAP_SYS_NICE.
  template <typename OperatorT>
  void add_realtime(const std::shared_ptr<OperatorT>& op, SchedulingPolicy sched_policy,
                    bool pin_operator = true, std::vector<uint32_t> pin_cores = {},
                    uint32_t sched_priority = 0, uint64_t sched_runtime = 0,
                    uint64_t sched_deadline = 0, uint64_t sched_period = 0) {
    if (!pin_operator) {
      throw std::runtime_error("thread pool `" + name_ +
                               "`: only a pinned operator has a scheduling policy");
    }
    const char* policy = sched_policy == SchedulingPolicy::kFirstInFirstOut ? "SCHED_FIFO"
                         : sched_policy == SchedulingPolicy::kRoundRobin    ? "SCHED_RR"
                                                                            : "SCHED_DEADLINE";
    add(op, true, std::move(pin_cores));
    members_.back().policy = {Arg("sched_policy", policy),
                              Arg("sched_priority", uint64_t{sched_priority}),
                              Arg("sched_runtime", sched_runtime),
                              Arg("sched_deadline", sched_deadline),
                              Arg("sched_period", sched_period)};
  }
  std::vector<std::shared_ptr<Operator>> operators() const {
    std::vector<std::shared_ptr<Operator>> all;
    for (const Member& member : members_) { all.push_back(member.op); }
    return all;
  }
  const std::vector<Member>& members() const { return members_; }

 private:
  std::string name_;
  int64_t initial_size_;
  std::vector<Member> members_;
};

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_THREAD_POOL_HPP_
