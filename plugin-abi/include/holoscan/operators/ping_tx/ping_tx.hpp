/// An operator that counts.
#ifndef HOLOSCAN_OPERATORS_PING_TX_PING_TX_HPP_
#define HOLOSCAN_OPERATORS_PING_TX_PING_TX_HPP_

#include <atomic>

#include "holoscan/holoscan.hpp"

namespace holoscan {
namespace ops {

/// Sends 1, 2, 3 and so on, as `int` at the output `out`.
class PingTxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(PingTxOp)
  PingTxOp() = default;

  void setup(OperatorSpec& spec) override { spec.output<int>("out"); }
  void compute(InputContext&, OutputContext& op_output, ExecutionContext&) override {
    op_output.emit(++index_, "out");
  }
  /// The number that was sent last; from any thread.
  int index() const { return index_; }

 private:
  std::atomic<int> index_ = 0;
};

}  // namespace ops
}  // namespace holoscan

#endif  // HOLOSCAN_OPERATORS_PING_TX_PING_TX_HPP_
