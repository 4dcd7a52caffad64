/// An operator that logs numbers.
#ifndef HOLOSCAN_OPERATORS_PING_RX_PING_RX_HPP_
#define HOLOSCAN_OPERATORS_PING_RX_PING_RX_HPP_

#include "holoscan/holoscan.hpp"

namespace holoscan {
namespace ops {

/// Logs each `int` of the input `in`.
class PingRxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(PingRxOp)
  PingRxOp() = default;

  void setup(OperatorSpec& spec) override { spec.input<int>("in"); }
  void compute(InputContext& op_input, OutputContext&, ExecutionContext&) override {
    HOLOSCAN_LOG_INFO("Rx message value: {}", op_input.receive<int>("in").value());
  }
};

}  // namespace ops
}  // namespace holoscan

#endif  // HOLOSCAN_OPERATORS_PING_RX_PING_RX_HPP_
