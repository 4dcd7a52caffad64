/// Ports of operators.
#ifndef HOLOSCAN_CORE_IO_SPEC_HPP_
#define HOLOSCAN_CORE_IO_SPEC_HPP_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "holoscan/core/condition.hpp"

namespace holoscan {

/// A port: an input or an output of an operator.
class IOSpec {
 public:
  enum class IOType { kInput, kOutput };
  /// What happens to a message without room: the oldest one is dropped, the new one is, or the
  /// application ends with an error.
  enum class QueuePolicy : uint8_t { kPop = 0, kReject = 1, kFault = 2 };
  enum class ConnectorType { kDefault, kDoubleBuffer, kUCX, kAsyncBuffer };
  /// How many messages an input takes in one execution.
  class IOSize {
   public:
    constexpr IOSize(int64_t size) : size_(size) {}
    constexpr int64_t size() const { return size_; }
    constexpr operator int64_t() const { return size_; }

   private:
    int64_t size_;
  };
  /// Any number of senders, each with a queue of its own.
  static const IOSize kAnySize;
  /// As many messages as there are senders, in one queue.
  static const IOSize kPrecedingCount;
  static const IOSize kSizeOne;

  IOSpec(std::string name, IOType io_type, IOSize size, std::optional<QueuePolicy> policy)
      : name_(std::move(name)), io_type_(io_type), size_(size), policy_(policy) {}

  const std::string& name() const { return name_; }
  IOType io_type() const { return io_type_; }
  int64_t queue_size() const { return size_; }
  IOSpec& queue_size(int64_t size) {
    size_ = size;
    return *this;
  }
  std::optional<QueuePolicy> queue_policy() const { return policy_; }
  IOSpec& queue_policy(QueuePolicy policy) {
    policy_ = policy;
    return *this;
  }
  ConnectorType connector_type() const { return connector_; }

  /// Sets the condition of the port, in place of the default one. Further calls add conditions.
  template <typename... Args>
  IOSpec& condition(ConditionType type, Args&&... args) {
    ArgList list;
    (list.add(std::forward<Args>(args)), ...);
    conditions_.emplace_back(type, std::move(list));
    return *this;
  }
  const std::vector<std::pair<ConditionType, ArgList>>& conditions() const { return conditions_; }

  /// Chooses the kind of queue, and its parameters, such as `capacity`.
  template <typename... Args>
  IOSpec& connector(ConnectorType type, Args&&... args) {
    connector_ = type;
    (connector_args_.add(std::forward<Args>(args)), ...);
    return *this;
  }
  const ArgList& connector_args() const { return connector_args_; }

 private:
  std::string name_;
  IOType io_type_;
  int64_t size_;
  std::optional<QueuePolicy> policy_;
  ConnectorType connector_ = ConnectorType::kDefault;
  ArgList connector_args_;
  std::vector<std::pair<ConditionType, ArgList>> conditions_;
};

inline constexpr IOSpec::IOSize IOSpec::kAnySize{-1};
inline constexpr IOSpec::IOSize IOSpec::kPrecedingCount{0};
inline constexpr IOSpec::IOSize IOSpec::kSizeOne{1};

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_IO_SPEC_HPP_
