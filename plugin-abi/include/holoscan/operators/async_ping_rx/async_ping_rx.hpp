/// An operator that logs numbers when an event of its own lets it.
#ifndef HOLOSCAN_OPERATORS_ASYNC_PING_RX_ASYNC_PING_RX_HPP_
#define HOLOSCAN_OPERATORS_ASYNC_PING_RX_ASYNC_PING_RX_HPP_

#include <chrono>
#include <cstdint>

#include "holoscan/holoscan.hpp"
#include "holoscan/operators/delayed_events.hpp"

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
    events_.Start(async_condition(), std::chrono::milliseconds(delay_.get()));
  }
  void compute(InputContext& op_input, OutputContext&, ExecutionContext&) override {
    HOLOSCAN_LOG_INFO("Rx message value: {}", op_input.receive<int>("in").value());
    async_condition()->event_state(AsynchronousEventState::kEventWaiting);
  }
  void stop() override { events_.Stop(); }

 private:
  Parameter<int64_t> delay_;
  DelayedEvents events_;
};

}  // namespace ops
}  // namespace holoscan

#endif  // HOLOSCAN_OPERATORS_ASYNC_PING_RX_ASYNC_PING_RX_HPP_
