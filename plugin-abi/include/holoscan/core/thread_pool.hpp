/// Threads of their own for some operators.
#ifndef HOLOSCAN_CORE_THREAD_POOL_HPP_
#define HOLOSCAN_CORE_THREAD_POOL_HPP_

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "holoscan/core/operator.hpp"

namespace holoscan {

/// Threads that only the operators of the pool run on; `Fragment::make_thread_pool` makes it. It
/// needs a scheduler of several threads.
class ThreadPool {
 public:
  struct Member {
    std::shared_ptr<Operator> op;
    bool is_pinned;
    std::vector<uint32_t> cores;
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
    members_.push_back({op, pin_operator, std::move(pin_cores)});
  }
  void add(const std::vector<std::shared_ptr<Operator>>& ops, bool pin_operator = true,
           const std::vector<uint32_t>& pin_cores = {}) {
    for (const auto& op : ops) { add(op, pin_operator, pin_cores); }
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
