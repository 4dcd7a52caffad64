/// Tensors that operators exchange, and maps of them.
#ifndef HOLOSCAN_CORE_DOMAIN_TENSOR_HPP_
#define HOLOSCAN_CORE_DOMAIN_TENSOR_HPP_

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gxf/core/entity.hpp"
#include "gxf/std/tensor.hpp"

namespace holoscan {

using DLManagedTensorContext = nvidia::gxf::DLManagedTensorContext;

/// An array whose memory its users share. The elements of one that was received are read only.
class Tensor {
 public:
  explicit Tensor(std::shared_ptr<DLManagedTensorContext> context) : context_(std::move(context)) {}
  /// Takes a tensor of DLPack over, and gives it back at the end.
  explicit Tensor(DLManagedTensor* tensor) : context_(std::make_shared<DLManagedTensorContext>()) {
    context_->tensor = *tensor;
    context_->memory_ref = std::make_shared<nvidia::gxf::DLManagedMemoryBuffer>(tensor);
  }

  void* data() const {
    return static_cast<char*>(context_->tensor.dl_tensor.data) +
           context_->tensor.dl_tensor.byte_offset;
  }
  DLDevice device() const { return context_->tensor.dl_tensor.device; }
  DLDataType dtype() const { return context_->tensor.dl_tensor.dtype; }
  std::vector<int64_t> shape() const {
    const DLTensor& tensor = context_->tensor.dl_tensor;
    return {tensor.shape, tensor.shape + tensor.ndim};
  }
  /// Distances between neighbouring elements, in bytes.
  std::vector<int64_t> strides() const {
    const DLTensor& tensor = context_->tensor.dl_tensor;
    std::vector<int64_t> strides(static_cast<size_t>(tensor.ndim));
    int64_t step = 1;
    for (size_t i = strides.size(); i-- > 0;) {
      strides[i] = (tensor.strides == nullptr ? step : tensor.strides[i]) * itemsize();
      step *= tensor.shape[i];
    }
    return strides;
  }
  int32_t ndim() const { return context_->tensor.dl_tensor.ndim; }
  /// Number of elements.
  int64_t size() const {
    int64_t size = 1;
    for (const int64_t length : shape()) { size *= length; }
    return size;
  }
  uint8_t itemsize() const { return static_cast<uint8_t>(dtype().bits * dtype().lanes / 8); }
  int64_t nbytes() const { return size() * itemsize(); }
  bool is_contiguous() const {
    const auto steps = strides();
    const auto lengths = shape();
    int64_t step = itemsize();
    for (size_t i = steps.size(); i-- > 0;) {
      if (lengths[i] != 1 && steps[i] != step) { return false; }
      step *= lengths[i];
    }
    return true;
  }
  /// The tensor in DLPack's form, with what keeps it alive.
  const std::shared_ptr<DLManagedTensorContext>& dl_ctx() const { return context_; }
  /// The same for other libraries; whoever takes it calls its `deleter` at the end.
  DLManagedTensor* to_dlpack() const {
    auto* made = new DLManagedTensor(context_->tensor);
    made->manager_ctx = new std::shared_ptr<DLManagedTensorContext>(context_);
    made->deleter = [](DLManagedTensor* tensor) {
      delete static_cast<std::shared_ptr<DLManagedTensorContext>*>(tensor->manager_ctx);
      delete tensor;
    };
    return made;
  }

 private:
  std::shared_ptr<DLManagedTensorContext> context_;
};

/// Tensors by name.
using TensorMap = std::unordered_map<std::string, std::shared_ptr<Tensor>>;

namespace detail {

/// A tensor of a message, which it keeps alive. Null if DLPack has no form for it.
inline std::shared_ptr<Tensor> TensorOf(const nvidia::gxf::Entity& message,
                                        const nvidia::gxf::Handle<nvidia::gxf::Tensor>& tensor) {
  const auto type = nvidia::gxf::PrimitiveTypeToDLDataType(tensor->element_type());
  const auto device = tensor->device();
  if (!type || !device) { return nullptr; }
  auto context = std::make_shared<DLManagedTensorContext>();
  for (uint32_t i = 0; i < tensor->rank(); i++) {
    context->dl_shape.push_back(tensor->shape().dimension(i));
    context->dl_strides.push_back(
        static_cast<int64_t>(tensor->stride(i) / tensor->bytes_per_element()));
  }
  context->memory_ref = std::make_shared<nvidia::gxf::Entity>(message);
  DLTensor& made = context->tensor.dl_tensor;
  made.data = tensor->pointer();
  made.device = device.value();
  made.ndim = static_cast<int32_t>(tensor->rank());
  made.dtype = type.value();
  made.shape = context->dl_shape.data();
  made.strides = context->dl_strides.data();
  return std::make_shared<Tensor>(std::move(context));
}

}  // namespace detail

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_DOMAIN_TENSOR_HPP_
