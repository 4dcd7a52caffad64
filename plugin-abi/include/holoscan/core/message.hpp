/// Values of C++ in messages.
#ifndef HOLOSCAN_CORE_MESSAGE_HPP_
#define HOLOSCAN_CORE_MESSAGE_HPP_

#include <any>
#include <utility>

namespace holoscan {

/// The payload that carries what an operator emits, unless that is a message or consists of tensors.
class Message {
 public:
  Message() = default;
  explicit Message(std::any value) : value_(std::move(value)) {}

  const std::any& value() const { return value_; }

 private:
  std::any value_;
};

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_MESSAGE_HPP_
