/// Arrays of up to eight dimensions.
#ifndef NVIDIA_GXF_STD_TENSOR_HPP_
#define NVIDIA_GXF_STD_TENSOR_HPP_

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <dlpack/dlpack.h>

#include "common/fixed_vector.hpp"
#include "gxf/core/entity.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/handle.hpp"
#include "gxf/std/allocator.hpp"
#include "gxf/std/complex.hpp"
#include "gxf/std/memory_buffer.hpp"

#if __has_include(<cuda_fp16.h>)
#include <cuda_fp16.h>
#define GXF_HAS_CUDA_HALF 1
#endif

namespace nvidia {
namespace gxf {

/// Type of the elements of a tensor.
enum class PrimitiveType : int32_t {
  kCustom = 0,
  kInt8 = 1,
  kUnsigned8 = 2,
  kInt16 = 3,
  kUnsigned16 = 4,
  kInt32 = 5,
  kUnsigned32 = 6,
  kInt64 = 7,
  kUnsigned64 = 8,
  kFloat32 = 9,
  kFloat64 = 10,
  kComplex64 = 11,
  kComplex128 = 12,
  kFloat16 = 13,
};

/// Bytes of an element; 1 for types that state no size.
inline uint64_t PrimitiveTypeSize(PrimitiveType primitive) {
  switch (primitive) {
    case PrimitiveType::kInt8:
    case PrimitiveType::kUnsigned8:
      return 1;
    case PrimitiveType::kInt16:
    case PrimitiveType::kUnsigned16:
    case PrimitiveType::kFloat16:
      return 2;
    case PrimitiveType::kInt32:
    case PrimitiveType::kUnsigned32:
    case PrimitiveType::kFloat32:
      return 4;
    case PrimitiveType::kInt64:
    case PrimitiveType::kUnsigned64:
    case PrimitiveType::kFloat64:
    case PrimitiveType::kComplex64:
      return 8;
    case PrimitiveType::kComplex128:
      return 16;
    case PrimitiveType::kCustom:
      break;
  }
  return 1;
}

/// The element type for a C++ type.
template <typename T>
struct PrimitiveTypeTraits {
  static constexpr PrimitiveType value = PrimitiveType::kCustom;
  static constexpr size_t size = sizeof(T);
};

#define GXF_PRIMITIVE_TYPE_TRAITS(TYPE, ENUM)                       \
  template <>                                                       \
  struct PrimitiveTypeTraits<TYPE> {                                \
    static constexpr PrimitiveType value = PrimitiveType::ENUM;     \
    static constexpr size_t size = sizeof(TYPE);                    \
  };

GXF_PRIMITIVE_TYPE_TRAITS(int8_t, kInt8)
GXF_PRIMITIVE_TYPE_TRAITS(uint8_t, kUnsigned8)
GXF_PRIMITIVE_TYPE_TRAITS(int16_t, kInt16)
GXF_PRIMITIVE_TYPE_TRAITS(uint16_t, kUnsigned16)
GXF_PRIMITIVE_TYPE_TRAITS(int32_t, kInt32)
GXF_PRIMITIVE_TYPE_TRAITS(uint32_t, kUnsigned32)
GXF_PRIMITIVE_TYPE_TRAITS(int64_t, kInt64)
GXF_PRIMITIVE_TYPE_TRAITS(uint64_t, kUnsigned64)
GXF_PRIMITIVE_TYPE_TRAITS(float, kFloat32)
GXF_PRIMITIVE_TYPE_TRAITS(double, kFloat64)
GXF_PRIMITIVE_TYPE_TRAITS(complex64, kComplex64)
GXF_PRIMITIVE_TYPE_TRAITS(complex128, kComplex128)
#ifdef GXF_HAS_CUDA_HALF
GXF_PRIMITIVE_TYPE_TRAITS(__half, kFloat16)
#endif

namespace detail {

/// The product, or the largest number if it is above that.
inline uint64_t MultiplyOrMax(uint64_t a, uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

}  // namespace detail

/// Lengths of the dimensions of a tensor, the outermost first.
class Shape {
 public:
  static constexpr uint32_t kMaxRank = GXE_MAX_RANK;

  Shape() { Fill(0, [](uint32_t) { return 1; }); }
  Shape(std::initializer_list<int32_t> dimensions) { Copy(dimensions.begin(), dimensions.size()); }
  Shape(const std::vector<int32_t>& dimensions) { Copy(dimensions.data(), dimensions.size()); }
  Shape(const std::array<int32_t, kMaxRank>& dimensions, uint32_t rank) {
    Copy(dimensions.data(), rank);
  }
  template <size_t N>
  Shape(const std::array<int32_t, N>& dimensions) {
    static_assert(N <= kMaxRank, "too many dimensions");
    Copy(dimensions.data(), N);
  }

  uint32_t rank() const { return shape_.rank; }
  /// Number of elements; 0 without dimensions, and `UINT64_MAX` for a larger number than that.
  uint64_t size() const {
    uint64_t size = rank() == 0 ? 0 : 1;
    for (uint32_t i = 0; i < rank(); i++) {
      size = detail::MultiplyOrMax(size, static_cast<uint64_t>(shape_.dimensions[i]));
    }
    return size;
  }
  /// Length of a dimension; 1 beyond the rank.
  int32_t dimension(uint32_t index) const { return index < rank() ? shape_.dimensions[index] : 1; }
  bool operator==(const Shape& other) const {
    if (rank() != other.rank()) { return false; }
    for (uint32_t i = 0; i < rank(); i++) {
      if (dimension(i) != other.dimension(i)) { return false; }
    }
    return true;
  }
  bool operator!=(const Shape& other) const { return !(*this == other); }
  /// Whether all lengths are above 0.
  bool valid() const {
    for (uint32_t i = 0; i < rank(); i++) {
      if (dimension(i) <= 0) { return false; }
    }
    return true;
  }

 private:
  template <typename F>
  void Fill(size_t rank, F&& length) {
    shape_.rank = static_cast<uint32_t>(rank < kMaxRank ? rank : kMaxRank);
    for (uint32_t i = 0; i < kMaxRank; i++) {
      shape_.dimensions[i] = i < shape_.rank ? length(i) : 1;
    }
  }
  void Copy(const int32_t* dimensions, size_t rank) {
    Fill(rank, [&](uint32_t i) { return dimensions[i]; });
  }

  GxeShape shape_{};
};

static_assert(sizeof(Shape) == sizeof(GxeShape), "messages share this layout");

/// A DLPack tensor with everything it points to.
struct DLManagedTensorContext {
  DLManagedTensor tensor{};
  /// Keeps the elements alive.
  std::shared_ptr<void> memory_ref;
  std::vector<int64_t> dl_shape;
  std::vector<int64_t> dl_strides;
};

/// Gives a tensor of DLPack back when it ends.
class DLManagedMemoryBuffer {
 public:
  explicit DLManagedMemoryBuffer(DLManagedTensor* tensor) : tensor_(tensor) {}
  DLManagedMemoryBuffer(const DLManagedMemoryBuffer&) = delete;
  DLManagedMemoryBuffer& operator=(const DLManagedMemoryBuffer&) = delete;
  ~DLManagedMemoryBuffer() {
    if (tensor_ != nullptr && tensor_->deleter != nullptr) { tensor_->deleter(tensor_); }
  }

 private:
  DLManagedTensor* tensor_;
};

/// A tensor. It has the layout every language of extensions sees, so that codelets in C++ and Rust
/// exchange it in messages.
class Tensor {
 public:
  typedef std::array<uint64_t, Shape::kMaxRank> stride_array_t;
  using release_function_t = MemoryBuffer::release_function_t;

  Tensor() = default;
  /// As `fromDLPack`; empty when that fails.
  explicit Tensor(const DLManagedTensor* tensor) {
    fromDLPack(tensor).log_error("a tensor of DLPack could not be taken over");
  }
  Tensor(std::shared_ptr<DLManagedTensorContext> context) {
    fromDLPack(std::move(context)).log_error("a tensor of DLPack could not be taken over");
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  Tensor(Tensor&& other) noexcept { *this = std::move(other); }
  Tensor& operator=(Tensor&& other) noexcept {
    if (this != &other) {
      element_type_ = std::exchange(other.element_type_, PrimitiveType::kUnsigned8);
      shape_ = std::exchange(other.shape_, Shape{});
      recorded_storage_ = std::exchange(other.recorded_storage_, 0u);
      bytes_per_element_ = std::exchange(other.bytes_per_element_, uint64_t{1});
      strides_ = std::exchange(other.strides_, stride_array_t{});
      memory_ = std::move(other.memory_);
    }
    return *this;
  }
  ~Tensor() = default;

  MemoryStorageType storage_type() const { return memory_.storage_type(); }
  const Shape& shape() const { return shape_; }
  uint32_t rank() const { return shape_.rank(); }
  PrimitiveType element_type() const { return element_type_; }
  uint64_t bytes_per_element() const { return bytes_per_element_; }
  uint64_t element_count() const { return shape_.size(); }
  /// Bytes of the memory.
  size_t size() const { return memory_.size(); }
  byte* pointer() const { return memory_.pointer(); }
  MemoryBuffer& memory_buffer() { return memory_; }
  /// Takes the memory out.
  MemoryBuffer move_buffer() { return std::move(memory_); }

  /// The elements; `GXF_INVALID_DATA_FORMAT` when they are of another type.
  template <typename T>
  Expected<T*> data() {
    if (!Holds<T>()) { return Unexpected{GXF_INVALID_DATA_FORMAT}; }
    return reinterpret_cast<T*>(memory_.pointer());
  }
  template <typename T>
  Expected<const T*> data() const {
    if (!Holds<T>()) { return Unexpected{GXF_INVALID_DATA_FORMAT}; }
    return reinterpret_cast<const T*>(memory_.pointer());
  }

  /// New memory for elements of type `T`.
  template <typename T>
  Expected<void> reshape(const Shape& shape, MemoryStorageType storage_type,
                         Handle<Allocator> allocator) {
    return reshapeCustom(shape, PrimitiveTypeTraits<T>::value, PrimitiveTypeTraits<T>::size,
                         Unexpected{GXF_UNINITIALIZED_VALUE}, storage_type, std::move(allocator));
  }
  /// New memory for elements of any type. Without strides the rows follow each other.
  Expected<void> reshapeCustom(const Shape& shape, PrimitiveType element_type,
                               uint64_t bytes_per_element, Expected<stride_array_t> strides,
                               MemoryStorageType storage_type, Handle<Allocator> allocator,
                               void* stream = nullptr) {
    (void)stream;
    const auto form = FormOf(shape, element_type, bytes_per_element, strides);
    if (!form) { return ForwardError(form); }
    return Take(form.value(), memory_.resize(std::move(allocator), form->size, storage_type));
  }
  /// Wraps foreign memory.
  Expected<void> wrapMemory(const Shape& shape, PrimitiveType element_type,
                            uint64_t bytes_per_element, Expected<stride_array_t> strides,
                            MemoryStorageType storage_type, void* pointer,
                            release_function_t release_func, bool reset_dlpack = true) {
    (void)reset_dlpack;
    const auto form = FormOf(shape, element_type, bytes_per_element, strides);
    if (!form) { return ForwardError(form); }
    return Take(form.value(), memory_.wrapMemory(pointer, form->size, storage_type,
                                                 std::move(release_func)));
  }
  Expected<void> wrapMemoryBuffer(const Shape& shape, PrimitiveType element_type,
                                  uint64_t bytes_per_element, Expected<stride_array_t> strides,
                                  MemoryBuffer memory_buffer) {
    const auto form = FormOf(shape, element_type, bytes_per_element, strides);
    if (!form) { return ForwardError(form); }
    if (form->size > memory_buffer.size()) {
      sdk::Report("a tensor of " + std::to_string(form->size) + " bytes is to be in memory of " +
                  std::to_string(memory_buffer.size()) + "; wrap more memory, or a smaller shape");
      return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE};
    }
    memory_ = std::move(memory_buffer);
    return Take(form.value(), Success);
  }

  /// Another order of the dimensions, without moving an element.
  Expected<void> permute(const std::initializer_list<int32_t>& axes) {
    if (axes.size() != rank()) { return Unexpected{GXF_ARGUMENT_INVALID}; }
    std::array<int32_t, Shape::kMaxRank> dimensions{};
    stride_array_t strides{};
    uint32_t seen = 0;
    uint32_t position = 0;
    for (const int32_t axis : axes) {
      if (axis < 0 || static_cast<uint32_t>(axis) >= rank()) {
        return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE};
      }
      if ((seen & (1u << axis)) != 0) { return Unexpected{GXF_ARGUMENT_INVALID}; }
      seen |= 1u << axis;
      dimensions[position] = shape_.dimension(static_cast<uint32_t>(axis));
      strides[position] = strides_[static_cast<size_t>(axis)];
      position++;
    }
    shape_ = Shape(dimensions, position);
    strides_ = strides;
    return Success;
  }
  /// Changes the shape to one with the same number of elements, which must be contiguous.
  Expected<void> noCopyReshape(const std::initializer_list<int32_t>& dimensions) {
    const Shape shape(dimensions);
    const auto contiguous = isContiguous();
    if (!contiguous || !contiguous.value() || !shape.valid() || shape.size() != element_count()) {
      return Unexpected{GXF_ARGUMENT_INVALID};
    }
    const auto form =
        FormOf(shape, element_type_, bytes_per_element_, Unexpected{GXF_UNINITIALIZED_VALUE});
    if (!form) { return ForwardError(form); }
    return Take(form.value(), Success);
  }
  /// A dimension of length 1 before the one with this number.
  Expected<void> insertSingletonDim(uint32_t dimension) {
    if (dimension > rank()) { return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE}; }
    if (rank() >= Shape::kMaxRank) { return Unexpected{GXF_EXCEEDING_PREALLOCATED_SIZE}; }
    std::array<int32_t, Shape::kMaxRank> dimensions{};
    stride_array_t strides{};
    for (uint32_t i = 0; i <= rank(); i++) {
      const uint32_t from = i < dimension ? i : i - 1;
      dimensions[i] = i == dimension ? 1 : shape_.dimension(from);
      if (i != dimension) { strides[i] = strides_[from]; }
    }
    strides[dimension] = dimension < rank()
                             ? strides_[dimension] * static_cast<uint64_t>(shape_.dimension(dimension))
                             : bytes_per_element_;
    shape_ = Shape(dimensions, rank() + 1);
    strides_ = strides;
    return Success;
  }
  /// Whether the elements are contiguous, row by row.
  Expected<bool> isContiguous() {
    uint64_t expected = bytes_per_element_;
    for (uint32_t i = rank(); i > 0; i--) {
      if (shape_.dimension(i - 1) != 1 && strides_[i - 1] != expected) { return false; }
      expected *= static_cast<uint64_t>(shape_.dimension(i - 1));
    }
    return true;
  }

  /// The length of the first dimension times its stride: the bytes of all elements, gaps included,
  /// while the dimensions are in the order of their strides. `size` has the bytes in any order.
  uint64_t bytes_size() const {
    return element_count() == 0 ? 0 : static_cast<uint64_t>(shape_.dimension(0)) * stride(0);
  }
  /// Bytes from an element to the next one of the same dimension; 0 beyond the rank.
  uint64_t stride(uint32_t index) const { return index < rank() ? strides_[index] : 0; }

  /// The elements as a DLPack tensor that shares memory with this one. Its consumer must call the
  /// deleter.
  Expected<DLManagedTensor*> toDLPack();
  /// As above, for users of this class. The context belongs to the tensor's memory.
  Expected<std::shared_ptr<DLManagedTensorContext>&> toDLManagedTensorContext();
  /// Takes ownership of elements from DLPack; calls the deleter when they have no users left.
  Expected<void> fromDLPack(const DLManagedTensor* tensor);
  Expected<void> fromDLPack(std::shared_ptr<DLManagedTensorContext> context);
  /// Takes ownership of elements from DLPack; `release_func` releases them.
  Expected<void> wrapDLPack(const DLManagedTensor* tensor, release_function_t release_func);
  /// Location of the elements in DLPack's terms.
  Expected<DLDevice> device() const;

 private:
  template <typename T>
  bool Holds() const {
    return element_type_ == PrimitiveType::kCustom ||
           element_type_ == PrimitiveTypeTraits<T>::value;
  }
  /// A description that was checked.
  struct Form {
    PrimitiveType element_type;
    Shape shape;
    uint64_t bytes_per_element;
    stride_array_t strides;
    /// Bytes from the first element to the end of the last one.
    uint64_t extent;
    /// Bytes of memory that are its own: the extent, and the gap behind the last row.
    uint64_t size;
  };
  static Expected<Form> FormOf(const Shape& shape, PrimitiveType element_type,
                               uint64_t bytes_per_element,
                               const Expected<stride_array_t>& strides);
  /// The end of a change of the memory: the tensor has the form, or is empty if its memory is gone.
  Expected<void> Take(const Form& form, Expected<void> changed) {
    if (changed) {
      element_type_ = form.element_type;
      shape_ = form.shape;
      recorded_storage_ = 0;
      bytes_per_element_ = form.bytes_per_element;
      strides_ = form.strides;
    } else if (memory_.pointer() == nullptr) {
      *this = Tensor{};
    }
    return changed;
  }

  // The members of GxeTensor in its order.
  PrimitiveType element_type_ = PrimitiveType::kUnsigned8;
  Shape shape_;
  uint32_t recorded_storage_ = 0;
  uint64_t bytes_per_element_ = 1;
  stride_array_t strides_{};
  MemoryBuffer memory_;
};

static_assert(sizeof(Tensor) == sizeof(GxeTensor) && alignof(Tensor) == alignof(GxeTensor),
              "messages share this layout");

/// Strides for rows that follow each other, each row at a multiple of `row_step_size` bytes.
inline Expected<Tensor::stride_array_t> ComputeRowStrides(const Shape& shape,
                                                          uint32_t row_step_size,
                                                          const uint32_t bytes_per_element) {
  if (row_step_size == 0 || bytes_per_element == 0) { return Unexpected{GXF_ARGUMENT_INVALID}; }
  Tensor::stride_array_t strides{};
  uint64_t next = bytes_per_element;
  for (uint32_t i = shape.rank(); i > 0; i--) {
    strides[i - 1] = next;
    next *= static_cast<uint64_t>(shape.dimension(i - 1));
    if (i == shape.rank()) { next = (next + row_step_size - 1) / row_step_size * row_step_size; }
  }
  return strides;
}
namespace detail {

/// Strides without gaps, `UINT64_MAX` for larger ones.
inline Tensor::stride_array_t StridesWithoutGaps(const Shape& shape, uint64_t bytes_per_element) {
  Tensor::stride_array_t strides{};
  uint64_t next = bytes_per_element;
  for (uint32_t i = shape.rank(); i > 0; i--) {
    strides[i - 1] = next;
    next = MultiplyOrMax(next, static_cast<uint64_t>(shape.dimension(i - 1)));
  }
  return strides;
}

}  // namespace detail

/// Strides without gaps.
inline Tensor::stride_array_t ComputeTrivialStrides(const Shape& shape,
                                                    const uint32_t bytes_per_element) {
  return detail::StridesWithoutGaps(shape, bytes_per_element);
}
/// Strides that are multiples of steps.
inline Tensor::stride_array_t ComputeStrides(const Shape& shape,
                                             const Tensor::stride_array_t& stride_steps) {
  Tensor::stride_array_t strides{};
  uint64_t next = 1;
  for (uint32_t i = shape.rank(); i > 0; i--) {
    const uint64_t step = stride_steps[i - 1] == 0 ? 1 : stride_steps[i - 1];
    strides[i - 1] = (next + step - 1) / step * step;
    next = strides[i - 1] * static_cast<uint64_t>(shape.dimension(i - 1));
  }
  return strides;
}

inline Expected<Tensor::Form> Tensor::FormOf(const Shape& shape, PrimitiveType element_type,
                                             uint64_t bytes_per_element,
                                             const Expected<stride_array_t>& strides) {
  const auto lengths = [&] {
    std::string text;
    for (uint32_t i = 0; i < shape.rank(); i++) {
      text += (i == 0 ? "" : ", ") + std::to_string(shape.dimension(i));
    }
    return "a tensor of shape [" + text + "]";
  };
  if (!shape.valid()) {
    sdk::Report(lengths() + " has no elements; each dimension needs a length of 1 or more");
    return Unexpected{GXF_ARGUMENT_INVALID};
  }
  Form form{element_type,
            shape,
            bytes_per_element,
            strides ? strides.value() : detail::StridesWithoutGaps(shape, bytes_per_element),
            0,
            0};
  if (shape.rank() == 0) { return form; }
  form.extent = bytes_per_element;
  for (uint32_t i = 0; i < shape.rank(); i++) {
    const auto steps = static_cast<uint64_t>(shape.dimension(i)) - 1;
    const uint64_t reach = detail::MultiplyOrMax(steps, form.strides[i]);
    if (reach > UINT64_MAX - form.extent) {
      sdk::Report(lengths() + " with elements of " + std::to_string(bytes_per_element) +
                  " bytes is larger than any memory");
      return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE};
    }
    form.extent += reach;
  }
  const uint64_t rows =
      detail::MultiplyOrMax(static_cast<uint64_t>(shape.dimension(0)), form.strides[0]);
  form.size = std::max(form.extent, rows);
  return form;
}

/// Description of a tensor to create.
struct TensorDescription {
  std::string name;
  MemoryStorageType storage_type;
  Shape shape;
  PrimitiveType element_type;
  uint64_t bytes_per_element;
  /// Unset: rows without gaps.
  Expected<Tensor::stride_array_t> strides = Unexpected{GXF_UNINITIALIZED_VALUE};
};

/// A message with tensors.
inline Expected<Entity> CreateTensorMap(gxf_context_t context, Handle<Allocator> pool,
                                        std::initializer_list<TensorDescription> descriptions,
                                        bool activate = true) {
  auto message = Entity::New(context);
  if (!message) { return message; }
  for (const TensorDescription& description : descriptions) {
    auto tensor = message->add<Tensor>(description.name.c_str());
    if (!tensor) { return ForwardError(tensor); }
    const auto made = tensor.value()->reshapeCustom(
        description.shape, description.element_type, description.bytes_per_element,
        description.strides, description.storage_type, pool);
    if (!made) { return ForwardError(made); }
  }
  if (activate) {
    const auto activated = message->activate();
    if (!activated) { return ForwardError(activated); }
  }
  return message;
}

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/tensor_dlpack.hpp"

#endif  // NVIDIA_GXF_STD_TENSOR_HPP_
