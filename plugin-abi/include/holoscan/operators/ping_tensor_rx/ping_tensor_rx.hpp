/// An operator that logs what tensors it receives.
#ifndef HOLOSCAN_OPERATORS_PING_TENSOR_RX_PING_TENSOR_RX_HPP_
#define HOLOSCAN_OPERATORS_PING_TENSOR_RX_PING_TENSOR_RX_HPP_

#include <cstddef>

#include "holoscan/holoscan.hpp"

namespace holoscan {
namespace ops {

/// Logs name and shape of each tensor of the input `in`.
class PingTensorRxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(PingTensorRxOp)
  PingTensorRxOp() = default;

  void setup(OperatorSpec& spec) override { spec.input<TensorMap>("in"); }
  void compute(InputContext& op_input, OutputContext&, ExecutionContext&) override {
    const auto tensors = op_input.receive<TensorMap>("in").value();
    count_++;
    for (const auto& [key, tensor] : tensors) {
      HOLOSCAN_LOG_INFO("message {}: Tensor key: '{}', shape: ({})", count_, key,
                        fmt::join(tensor->shape(), ", "));
    }
  }

 private:
  size_t count_ = 0;
};

}  // namespace ops
}  // namespace holoscan

#endif  // HOLOSCAN_OPERATORS_PING_TENSOR_RX_PING_TENSOR_RX_HPP_
