/// An operator that logs numbers when an event of its own lets it.
#ifndef HOLOSCAN_OPERATORS_ASYNC_PING_RX_ASYNC_PING_RX_HPP_
#define HOLOSCAN_OPERATORS_ASYNC_PING_RX_ASYNC_PING_RX_HPP_

#include <chrono>
#include <cstdint>
#include <thread>

#include "holoscan/holoscan.hpp"

namespace holoscan {
namespace ops {

/// Logs each `int` of the input `in`, at the earliest `delay` milliseconds after the one before.
class AsyncPingRxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(AsyncPingRxOp)
  AsyncPingRxOp() = default;

  void setup(OperatorSpec& spec) override {
    spec.input<int>("in");
    spec.param(delay_, "delay", "Delay", "Milliseconds before each execution", int64_t{10});
  }
  void start() override {
    async_condition()->event_state(AsynchronousEventState::kEventWaiting);
    thread_ = std::thread([condition = async_condition(), delay = delay_.get()] {
      for (;;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(delay));
        const AsynchronousEventState state = condition->event_state();
        if (state == AsynchronousEventState::kEventNever) { return; }
        if (state == AsynchronousEventState::kEventWaiting) {
          condition->event_state(AsynchronousEventState::kEventDone);
        }
      }
    });
  }
  void compute(InputContext& op_input, OutputContext&, ExecutionContext&) override {
    HOLOSCAN_LOG_INFO("Rx message value: {}", op_input.receive<int>("in").value());
    async_condition()->event_state(AsynchronousEventState::kEventWaiting);
  }
  void stop() override {
    async_condition()->event_state(AsynchronousEventState::kEventNever);
    thread_.join();
  }

 private:
  Parameter<int64_t> delay_;
  std::thread thread_;
};

}  // namespace ops
}  // namespace holoscan

#endif  // HOLOSCAN_OPERATORS_ASYNC_PING_RX_ASYNC_PING_RX_HPP_
