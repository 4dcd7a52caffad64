/// An operator that counts when an event of its own lets it.
#ifndef HOLOSCAN_OPERATORS_ASYNC_PING_TX_ASYNC_PING_TX_HPP_
#define HOLOSCAN_OPERATORS_ASYNC_PING_TX_ASYNC_PING_TX_HPP_

#include <chrono>
#include <cstdint>
#include <thread>

#include "holoscan/holoscan.hpp"

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
  void compute(InputContext&, OutputContext& op_output, ExecutionContext&) override {
    op_output.emit(++index_, "out");
    const bool goes_on = static_cast<uint64_t>(index_) < count_.get();
    async_condition()->event_state(goes_on ? AsynchronousEventState::kEventWaiting
                                           : AsynchronousEventState::kEventNever);
  }
  void stop() override {
    async_condition()->event_state(AsynchronousEventState::kEventNever);
    thread_.join();
  }

 private:
  Parameter<int64_t> delay_;
  Parameter<uint64_t> count_;
  int index_ = 0;
  std::thread thread_;
};

}  // namespace ops
}  // namespace holoscan

#endif  // HOLOSCAN_OPERATORS_ASYNC_PING_TX_ASYNC_PING_TX_HPP_
