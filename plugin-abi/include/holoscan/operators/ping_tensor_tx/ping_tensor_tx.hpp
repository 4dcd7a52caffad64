/// An operator that sends tensors.
#ifndef HOLOSCAN_OPERATORS_PING_TENSOR_TX_PING_TENSOR_TX_HPP_
#define HOLOSCAN_OPERATORS_PING_TENSOR_TX_PING_TENSOR_TX_HPP_

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "holoscan/holoscan.hpp"

namespace holoscan {
namespace ops {

/// Sends a tensor with each execution. Its dimensions are those of `batch_size`, `rows`, `columns` and
/// `channels` that are not 0.
class PingTensorTxOp : public Operator {
 public:
  HOLOSCAN_OPERATOR_FORWARD_ARGS(PingTensorTxOp)
  PingTensorTxOp() = default;

  void setup(OperatorSpec& spec) override {
    spec.output<TensorMap>("out");
    spec.param(allocator_, "allocator", "Allocator", "Where memory comes from; without one, from the heap",
               ParameterFlag::kOptional);
    spec.param(storage_type_, "storage_type", "Kind of memory", "host, device, system or managed",
               std::string("system"));
    spec.param(batch_size_, "batch_size", "Batch", "Length of the first dimension", 0);
    spec.param(rows_, "rows", "Rows", "Length of a dimension", 32);
    spec.param(columns_, "columns", "Columns", "Length of a dimension", 64);
    spec.param(channels_, "channels", "Channels", "Length of the last dimension", 0);
    spec.param(data_type_, "data_type", "Type", "Of an element: uint8_t, float and so on",
               std::string("uint8_t"));
    spec.param(tensor_name_, "tensor_name", "Name", "Name of the tensor", std::string("tensor"));
  }
  void compute(InputContext&, OutputContext& op_output, ExecutionContext& context) override {
    std::vector<int32_t> lengths;
    for (const int32_t length : {batch_size_.get(), rows_.get(), columns_.get(), channels_.get()}) {
      if (length > 0) { lengths.push_back(length); }
    }
    const nvidia::gxf::Shape shape(lengths);
    const nvidia::gxf::PrimitiveType type = TypeOf(data_type_);
    auto message = gxf::Entity::New(&context);
    auto tensor = static_cast<nvidia::gxf::Entity&>(message).add<nvidia::gxf::Tensor>(
        tensor_name_->c_str());
    if (!tensor) { throw std::runtime_error("a tensor cannot be added to a message"); }
    if (allocator_.has_value()) {
      Check(tensor.value()->reshapeCustom(shape, type, nvidia::gxf::PrimitiveTypeSize(type),
                                          nvidia::gxf::Unexpected{GXF_UNINITIALIZED_VALUE},
                                          StorageOf(storage_type_), allocator_.get()->gxf_handle()));
    } else {
      if (storage_type_.get() != "system") {
        throw std::runtime_error("`" + name() + "` needs an allocator for memory of this kind");
      }
      const uint64_t size = shape.size() * nvidia::gxf::PrimitiveTypeSize(type);
      auto* const memory = new uint8_t[size]();
      Check(tensor.value()->wrapMemory(shape, type, nvidia::gxf::PrimitiveTypeSize(type),
                                       nvidia::gxf::Unexpected{GXF_UNINITIALIZED_VALUE},
                                       nvidia::gxf::MemoryStorageType::kSystem, memory,
                                       [](void* pointer) {
                                         delete[] static_cast<uint8_t*>(pointer);
                                         return nvidia::gxf::Success;
                                       }));
    }
    op_output.emit(message, "out");
  }

 private:
  static void Check(const nvidia::gxf::Expected<void>& made) {
    if (!made) {
      throw std::runtime_error(std::string("there is no memory for the tensor: ") +
                               GxfResultStr(made.error()));
    }
  }
  static nvidia::gxf::PrimitiveType TypeOf(const std::string& name) {
    using Type = nvidia::gxf::PrimitiveType;
    constexpr std::pair<const char*, Type> kTypes[] = {
        {"int8_t", Type::kInt8},     {"uint8_t", Type::kUnsigned8},   {"int16_t", Type::kInt16},
        {"uint16_t", Type::kUnsigned16}, {"int32_t", Type::kInt32},   {"uint32_t", Type::kUnsigned32},
        {"int64_t", Type::kInt64},   {"uint64_t", Type::kUnsigned64}, {"float", Type::kFloat32},
        {"double", Type::kFloat64}};
    for (const auto& [known, type] : kTypes) {
      if (name == known) { return type; }
    }
    throw std::runtime_error("`" + name + "` is no type of tensors' elements");
  }
  static nvidia::gxf::MemoryStorageType StorageOf(const std::string& name) {
    using Type = nvidia::gxf::MemoryStorageType;
    if (name == "host") { return Type::kHost; }
    if (name == "device") { return Type::kDevice; }
    if (name == "system") { return Type::kSystem; }
    throw std::runtime_error("`" + name + "` is no kind of memory here; use host, device or system");
  }

  Parameter<std::shared_ptr<Allocator>> allocator_;
  Parameter<std::string> storage_type_;
  Parameter<int32_t> batch_size_;
  Parameter<int32_t> rows_;
  Parameter<int32_t> columns_;
  Parameter<int32_t> channels_;
  Parameter<std::string> data_type_;
  Parameter<std::string> tensor_name_;
};

}  // namespace ops
}  // namespace holoscan

#endif  // HOLOSCAN_OPERATORS_PING_TENSOR_TX_PING_TENSOR_TX_HPP_
