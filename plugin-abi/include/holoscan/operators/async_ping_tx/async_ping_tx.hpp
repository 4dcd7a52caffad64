/// An operator that counts when an event of its own lets it.
#ifndef HOLOSCAN_OPERATORS_ASYNC_PING_TX_ASYNC_PING_TX_HPP_
#define HOLOSCAN_OPERATORS_ASYNC_PING_TX_ASYNC_PING_TX_HPP_

#include <chrono>
#include <cstdint>

#include "holoscan/holoscan.hpp"
#include "holoscan/operators/delayed_events.hpp"

namespace holoscan {
namespace ops {

/// Sends 1, 2 and so on up to `count`, as `int` at the output `out`, each after `delay` milliseconds.
class AsyncPingTxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(AsyncPingTxOp)
  AsyncPingTxOp() = default;

  void setup(OperatorSpec& spec) override {
    spec.output<int>("out");
    spec.param(delay_, "delay", "Delay", "Milliseconds before each execution", int64_t{10});
    spec.param(count_, "count", "Count", "How many numbers it sends", UINT64_MAX);
  }
  void start() override {
    events_.Start(async_condition(), std::chrono::milliseconds(delay_.get()));
  }
  void compute(InputContext&, OutputContext& op_output, ExecutionContext&) override {
    op_output.emit(++index_, "out");
    const bool goes_on = static_cast<uint64_t>(index_) < count_.get();
    async_condition()->event_state(goes_on ? AsynchronousEventState::kEventWaiting
                                           : AsynchronousEventState::kEventNever);
  }
  void stop() override { events_.Stop(); }

 private:
  Parameter<int64_t> delay_;
  Parameter<uint64_t> count_;
  int index_ = 0;
  DelayedEvents events_;
};

}  // namespace ops
}  // namespace holoscan

#endif  // HOLOSCAN_OPERATORS_ASYNC_PING_TX_ASYNC_PING_TX_HPP_
