/// Tensors to and from DLPack; the end of `gxf/std/tensor.hpp`.
#ifndef GXF_SDK_TENSOR_DLPACK_HPP_
#define GXF_SDK_TENSOR_DLPACK_HPP_

#include <dlfcn.h>

#include "gxf/std/tensor.hpp"

namespace nvidia {
namespace gxf {

/// GXF's name for an element type of DLPack.
inline Expected<PrimitiveType> PrimitiveTypeFromDLDataType(const DLDataType& type) {
  if (type.lanes != 1) { return Unexpected{GXF_INVALID_DATA_FORMAT}; }
  const auto is = [&](DLDataTypeCode code, uint8_t bits) {
    return type.code == code && type.bits == bits;
  };
  if (is(kDLInt, 8)) { return PrimitiveType::kInt8; }
  if (is(kDLInt, 16)) { return PrimitiveType::kInt16; }
  if (is(kDLInt, 32)) { return PrimitiveType::kInt32; }
  if (is(kDLInt, 64)) { return PrimitiveType::kInt64; }
  if (is(kDLUInt, 8)) { return PrimitiveType::kUnsigned8; }
  if (is(kDLUInt, 16)) { return PrimitiveType::kUnsigned16; }
  if (is(kDLUInt, 32)) { return PrimitiveType::kUnsigned32; }
  if (is(kDLUInt, 64)) { return PrimitiveType::kUnsigned64; }
  if (is(kDLFloat, 16)) { return PrimitiveType::kFloat16; }
  if (is(kDLFloat, 32)) { return PrimitiveType::kFloat32; }
  if (is(kDLFloat, 64)) { return PrimitiveType::kFloat64; }
  if (is(kDLComplex, 64)) { return PrimitiveType::kComplex64; }
  if (is(kDLComplex, 128)) { return PrimitiveType::kComplex128; }
  return Unexpected{GXF_INVALID_DATA_FORMAT};
}
/// DLPack's name for an element type.
inline Expected<DLDataType> PrimitiveTypeToDLDataType(const PrimitiveType& type,
                                                      uint16_t lanes = 1) {
  DLDataTypeCode code = kDLInt;
  switch (type) {
    case PrimitiveType::kInt8:
    case PrimitiveType::kInt16:
    case PrimitiveType::kInt32:
    case PrimitiveType::kInt64:
      break;
    case PrimitiveType::kUnsigned8:
    case PrimitiveType::kUnsigned16:
    case PrimitiveType::kUnsigned32:
    case PrimitiveType::kUnsigned64:
      code = kDLUInt;
      break;
    case PrimitiveType::kFloat16:
    case PrimitiveType::kFloat32:
    case PrimitiveType::kFloat64:
      code = kDLFloat;
      break;
    case PrimitiveType::kComplex64:
    case PrimitiveType::kComplex128:
      code = kDLComplex;
      break;
    case PrimitiveType::kCustom:
      return Unexpected{GXF_INVALID_DATA_FORMAT};
  }
  return DLDataType{static_cast<uint8_t>(code), static_cast<uint8_t>(PrimitiveTypeSize(type) * 8),
                    lanes};
}

inline Expected<Shape> ShapeFromDLTensor(const DLTensor* tensor) {
  if (tensor == nullptr || (tensor->shape == nullptr && tensor->ndim > 0)) {
    return Unexpected{GXF_ARGUMENT_NULL};
  }
  if (tensor->ndim < 0 || static_cast<uint32_t>(tensor->ndim) > Shape::kMaxRank) {
    return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE};
  }
  std::array<int32_t, Shape::kMaxRank> dimensions{};
  for (int32_t i = 0; i < tensor->ndim; i++) {
    if (tensor->shape[i] < 0 || tensor->shape[i] > INT32_MAX) {
      return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE};
    }
    dimensions[static_cast<size_t>(i)] = static_cast<int32_t>(tensor->shape[i]);
  }
  return Shape(dimensions, static_cast<uint32_t>(tensor->ndim));
}

/// Strides in bytes.
inline Expected<Tensor::stride_array_t> StridesFromDLTensor(const DLTensor* tensor) {
  const auto shape = ShapeFromDLTensor(tensor);
  if (!shape) { return ForwardError(shape); }
  const uint32_t bytes = static_cast<uint32_t>(tensor->dtype.bits) * tensor->dtype.lanes / 8;
  if (tensor->strides == nullptr) { return ComputeTrivialStrides(shape.value(), bytes); }
  Tensor::stride_array_t strides{};
  for (uint32_t i = 0; i < shape->rank(); i++) {
    // Tensors have no way backwards.
    if (tensor->strides[i] < 0) { return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE}; }
    strides[i] = detail::MultiplyOrMax(static_cast<uint64_t>(tensor->strides[i]), bytes);
  }
  return strides;
}

inline Expected<MemoryStorageType> MemoryStorageTypeFromDLTensor(const DLTensor* tensor) {
  if (tensor == nullptr) { return Unexpected{GXF_ARGUMENT_NULL}; }
  switch (tensor->device.device_type) {
    case kDLCPU:
      return MemoryStorageType::kSystem;
    case kDLCUDAHost:
      return MemoryStorageType::kHost;
    case kDLCUDA:
      return MemoryStorageType::kDevice;
    case kDLCUDAManaged:
      return MemoryStorageType::kCudaManaged;
    default:
      return Unexpected{GXF_MEMORY_INVALID_STORAGE_MODE};
  }
}

namespace detail {

/// Whether host memory is pinned: CUDA's driver is open in this process, and has a device.
inline bool HasPinnedMemory() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) { return false; }
  const auto count = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  int devices = 0;
  const bool has_device = count != nullptr && count(&devices) == 0 && devices > 0;
  dlclose(driver);
  return has_device;
}

}  // namespace detail

inline Expected<DLDevice> Tensor::device() const {
  switch (storage_type()) {
    case MemoryStorageType::kHost:
      return DLDevice{detail::HasPinnedMemory() ? kDLCUDAHost : kDLCPU, 0};
    case MemoryStorageType::kSystem:
      return DLDevice{kDLCPU, 0};
    case MemoryStorageType::kDevice:
      return DLDevice{kDLCUDA, memory_.device()};
    case MemoryStorageType::kCudaManaged:
      return DLDevice{kDLCUDAManaged, memory_.device()};
  }
  return Unexpected{GXF_MEMORY_INVALID_STORAGE_MODE};
}

inline Expected<std::shared_ptr<DLManagedTensorContext>&> Tensor::toDLManagedTensorContext() {
  const auto type = PrimitiveTypeToDLDataType(element_type_);
  if (!type) { return ForwardError(type); }
  const auto where = device();
  if (!where) { return ForwardError(where); }
  auto* shared = memory_.shared_owner<DLManagedTensorContext>();
  if (shared == nullptr) {
    auto context = std::make_shared<DLManagedTensorContext>();
    void* const pointer = memory_.pointer();
    const uint64_t size = memory_.size();
    const MemoryStorageType storage = memory_.storage_type();
    const uint32_t flags = memory_.buffer_.flags;
    context->memory_ref = std::make_shared<MemoryBuffer>(std::move(memory_));
    const auto taken = memory_.share(pointer, size, storage, flags, std::move(context));
    if (!taken) { return ForwardError(taken); }
    shared = memory_.shared_owner<DLManagedTensorContext>();
  } else if (shared->use_count() > 1) {
    // Others look at the shape of the context they have.
    auto context = std::make_shared<DLManagedTensorContext>();
    context->memory_ref = (*shared)->memory_ref;
    *shared = std::move(context);
  }
  DLManagedTensorContext& context = **shared;
  context.dl_shape.clear();
  context.dl_strides.clear();
  for (uint32_t i = 0; i < rank(); i++) {
    if (strides_[i] % bytes_per_element_ != 0) { return Unexpected{GXF_INVALID_DATA_FORMAT}; }
    context.dl_shape.push_back(shape_.dimension(i));
    context.dl_strides.push_back(static_cast<int64_t>(strides_[i] / bytes_per_element_));
  }
  context.tensor.dl_tensor = {memory_.pointer(),         where.value(),
                              static_cast<int32_t>(rank()), type.value(),
                              context.dl_shape.data(),   context.dl_strides.data(),
                              0};
  context.tensor.manager_ctx = nullptr;
  context.tensor.deleter = nullptr;
  return *shared;
}

inline Expected<DLManagedTensor*> Tensor::toDLPack() {
  auto context = toDLManagedTensorContext();
  if (!context) { return ForwardError(context); }
  struct Exported {
    std::shared_ptr<DLManagedTensorContext> context;
    DLManagedTensor tensor;
  };
  auto exported = std::make_unique<Exported>();
  exported->context = context.value();
  exported->tensor = context.value()->tensor;
  exported->tensor.manager_ctx = exported.get();
  exported->tensor.deleter = [](DLManagedTensor* self) {
    delete static_cast<Exported*>(self->manager_ctx);
  };
  return &exported.release()->tensor;
}

inline Expected<void> Tensor::fromDLPack(std::shared_ptr<DLManagedTensorContext> context) {
  if (context == nullptr) { return Unexpected{GXF_ARGUMENT_NULL}; }
  const DLTensor& dl = context->tensor.dl_tensor;
  const auto shape = ShapeFromDLTensor(&dl);
  if (!shape) { return ForwardError(shape); }
  const auto strides = StridesFromDLTensor(&dl);
  if (!strides) { return ForwardError(strides); }
  const auto storage = MemoryStorageTypeFromDLTensor(&dl);
  if (!storage) { return ForwardError(storage); }
  const auto type = PrimitiveTypeFromDLDataType(dl.dtype);
  if (!type) { return ForwardError(type); }
  const auto form =
      FormOf(shape.value(), type.value(), PrimitiveTypeSize(type.value()), strides);
  if (!form) { return ForwardError(form); }
  const bool is_on_device = dl.device.device_type == kDLCUDA || dl.device.device_type == kDLCUDAManaged;
  const int32_t device = is_on_device ? dl.device.device_id : 0;
  if (device < 0 || device > 255) { return Unexpected{GXF_INVALID_DATA_FORMAT}; }
  auto* const pointer = static_cast<byte*>(dl.data) + dl.byte_offset;
  // What lies behind the last element belongs to others.
  return Take(form.value(), memory_.share(pointer, form->extent, storage.value(),
                                          static_cast<uint32_t>(device) << GXE_MEMORY_DEVICE_SHIFT,
                                          std::move(context)));
}

inline Expected<void> Tensor::fromDLPack(const DLManagedTensor* tensor) {
  if (tensor == nullptr) { return Unexpected{GXF_ARGUMENT_NULL}; }
  auto context = std::make_shared<DLManagedTensorContext>();
  context->tensor = *tensor;
  context->memory_ref =
      std::make_shared<DLManagedMemoryBuffer>(const_cast<DLManagedTensor*>(tensor));
  return fromDLPack(std::move(context));
}

inline Expected<void> Tensor::wrapDLPack(const DLManagedTensor* tensor,
                                         release_function_t release_func) {
  if (tensor == nullptr) { return Unexpected{GXF_ARGUMENT_NULL}; }
  auto context = std::make_shared<DLManagedTensorContext>();
  context->tensor = *tensor;
  if (release_func) {
    auto* const given = const_cast<DLManagedTensor*>(tensor);
    context->memory_ref = std::shared_ptr<void>(given, [release_func](void* pointer) {
      release_func(pointer).log_error("a tensor of DLPack could not be given back");
    });
  }
  return fromDLPack(std::move(context));
}

}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TENSOR_DLPACK_HPP_
