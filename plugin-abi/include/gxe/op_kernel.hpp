/// OneFlow's kernels as codelets: `user_op::OpKernel` and the codelet that runs a sequence of them.
///
/// A kernel names its tensors by argument and index. `gxe::KernelCodelet` binds these arguments to
/// *blobs*: tensors in the messages that it receives, in those that it publishes, or in a register
/// of its own, which kernels of one sequence pass on. Each tick runs the kernels in order, each in
/// two phases: `InferShape` says what the outputs look like, `Compute` fills them.
#ifndef GXE_OP_KERNEL_HPP_
#define GXE_OP_KERNEL_HPP_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/type_name.hpp"
#include "gxf/core/entity.hpp"
#include "gxf/sdk/host.hpp"
#include "gxf/std/allocator.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/eos.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/timestamp.hpp"
#include "gxf/std/transmitter.hpp"

/// Whether kernels are watched: in which phase they read and write which tensor. 1 unless NDEBUG is
/// defined.
#ifndef GXE_CHECK_BLOB_ACCESS
#ifdef NDEBUG
#define GXE_CHECK_BLOB_ACCESS 0
#else
#define GXE_CHECK_BLOB_ACCESS 1
#endif
#endif

namespace oneflow {
namespace user_op {

/// Type of the elements of a tensor.
using DataType = nvidia::gxf::PrimitiveType;

/// Lengths of the dimensions of a tensor.
class ShapeView {
 public:
  ShapeView() : shape_(std::vector<int32_t>{}) {}
  explicit ShapeView(const nvidia::gxf::Shape& shape) : shape_(shape) {}

  /// Number of elements.
  int64_t elem_cnt() const { return static_cast<int64_t>(shape_.size()); }
  int64_t NumAxes() const { return shape_.rank(); }
  int64_t At(int64_t index) const { return shape_.dimension(static_cast<uint32_t>(index)); }
  bool operator==(const ShapeView& other) const { return shape_ == other.shape_; }
  bool operator!=(const ShapeView& other) const { return !(*this == other); }
  const nvidia::gxf::Shape& ToShape() const { return shape_; }

 private:
  nvidia::gxf::Shape shape_;
};

/// A kernel did what its phase does not allow.
class AccessError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// What is known of a tensor without its elements.
class TensorDesc {
 public:
  const ShapeView& shape() const { return shape_; }
  DataType data_type() const { return data_type_; }
  /// Sets the shape of an output. Allowed in `InferShape`.
  void set_shape(const ShapeView& shape) {
    CheckWrite("set_shape");
    shape_ = shape;
  }
  /// Sets the type of an output. Allowed in `InferShape`.
  void set_data_type(DataType data_type) {
    CheckWrite("set_data_type");
    data_type_ = data_type;
  }

 protected:
  friend class BlobAccess;

  void CheckWrite(const char* function) const {
#if GXE_CHECK_BLOB_ACCESS
    if (!header_is_mutable_) {
      throw AccessError(Who(function) + ": the shape and type of an output are set in InferShape");
    }
#else
    (void)function;
#endif
  }

  /// The function that a kernel called, of which argument, and where its tensor is.
  std::string Who(const char* function) const {
    std::string who = std::string(function) + " of `" + label_ + "`";
    if (argument_ != nullptr) {
      const auto& [name, index] = *argument_;
      who += ", which is `" + name + "[" + std::to_string(index) + "]`";
    }
    return who;
  }

  ShapeView shape_;
  DataType data_type_ = DataType::kFloat32;
  std::string label_;
  /// What the kernel that runs calls it.
  const std::pair<std::string, int32_t>* argument_ = nullptr;
  bool header_is_mutable_ = false;
};

/// A tensor as a kernel sees it.
class Tensor : public TensorDesc {
 public:
  /// The elements, for reading. Null if there are none.
  template <typename T = void>
  const T* dptr() const {
    CheckType<T>("dptr");
    return static_cast<const T*>(body_);
  }
  /// The elements of an output, for writing. Null if there are none.
  template <typename T = void>
  T* mut_dptr() {
    CheckType<T>("mut_dptr");
#if GXE_CHECK_BLOB_ACCESS
    if (!body_is_mutable_) {
      throw AccessError(Who("mut_dptr") +
                        ": a kernel writes only its outputs, and only in Compute");
    }
#endif
    return static_cast<T*>(body_);
  }

 private:
  friend class BlobAccess;

  template <typename T>
  void CheckType(const char* function) const {
#if GXE_CHECK_BLOB_ACCESS
    if constexpr (!std::is_void<T>::value) {
      if (nvidia::gxf::PrimitiveTypeTraits<T>::value != data_type_) {
        throw AccessError(Who(function) + ": the elements are of another type");
      }
    }
#else
    (void)function;
#endif
  }

  void* body_ = nullptr;
  bool body_is_mutable_ = false;
};

/// Name and index of an argument.
using Argument = std::pair<std::string, int32_t>;

/// What a kernel keeps between two ticks.
class OpKernelState {
 public:
  virtual ~OpKernelState() = default;
};

/// The arguments of a kernel.
class KernelArguments {
 public:
  virtual ~KernelArguments() = default;
  /// The arguments that are read, in the order in which they were bound.
  const std::vector<Argument>& inputs() const { return inputs_; }
  /// The arguments that are filled.
  const std::vector<Argument>& outputs() const { return outputs_; }

 protected:
  friend class BlobAccess;

  Tensor* Find(const std::string& name, int32_t index) const {
    const auto find = [&](const std::vector<Argument>& arguments,
                          const std::vector<Tensor*>& tensors) -> Tensor* {
      for (size_t i = 0; i < arguments.size(); i++) {
        if (arguments[i].second == index && arguments[i].first == name) { return tensors[i]; }
      }
      return nullptr;
    };
    Tensor* input = find(inputs_, input_tensors_);
    return input != nullptr ? input : find(outputs_, output_tensors_);
  }

  std::vector<Argument> inputs_;
  std::vector<Argument> outputs_;
  std::vector<Tensor*> input_tensors_;
  std::vector<Tensor*> output_tensors_;
};

/// What `CreateOpKernelState` is told.
class KernelInitContext {
 public:
  KernelInitContext(std::vector<Argument> inputs, std::vector<Argument> outputs)
      : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}
  const std::vector<Argument>& inputs() const { return inputs_; }
  const std::vector<Argument>& outputs() const { return outputs_; }

 private:
  std::vector<Argument> inputs_;
  std::vector<Argument> outputs_;
};

/// What `InferShape` works on: shapes and types, no elements.
class KernelInferContext : public virtual KernelArguments {
 public:
  /// Null if nothing is bound to the argument.
  TensorDesc* TensorDesc4ArgNameAndIndex(const std::string& name, int32_t index) {
    return Find(name, index);
  }
};

/// What `Compute` works on.
class KernelComputeContext : public virtual KernelArguments {
 public:
  /// Null if nothing is bound to the argument.
  Tensor* Tensor4ArgNameAndIndex(const std::string& name, int32_t index) {
    return Find(name, index);
  }
  /// Null if nothing is bound to the argument.
  const TensorDesc* TensorDesc4ArgNameAndIndex(const std::string& name, int32_t index) const {
    return Find(name, index);
  }
};

/// A kernel: a function of tensors, with a state if it asks for one.
class OpKernel {
 public:
  OpKernel() = default;
  OpKernel(const OpKernel&) = delete;
  OpKernel& operator=(const OpKernel&) = delete;
  virtual ~OpKernel() = default;

  /// What the kernel keeps between ticks; null makes it stateless.
  virtual std::shared_ptr<OpKernelState> CreateOpKernelState(KernelInitContext*) const {
    return nullptr;
  }
  /// Sets shape and type of every output. Without an override, they are those of the first input.
  virtual void InferShape(KernelInferContext* ctx) const {
    if (ctx->inputs().empty()) {
      throw std::logic_error("a kernel without inputs has to override InferShape");
    }
    const auto& first = ctx->inputs().front();
    const TensorDesc* input = ctx->TensorDesc4ArgNameAndIndex(first.first, first.second);
    for (const auto& output : ctx->outputs()) {
      TensorDesc* desc = ctx->TensorDesc4ArgNameAndIndex(output.first, output.second);
      desc->set_shape(input->shape());
      desc->set_data_type(input->data_type());
    }
  }
  /// Fills the outputs, with a state.
  virtual void Compute(KernelComputeContext* ctx, OpKernelState*) const { Compute(ctx); }
  /// Fills the outputs.
  virtual void Compute(KernelComputeContext*) const {
    throw std::logic_error("a kernel has to override Compute");
  }
  /// Whether `Compute` is called even if no output has an element. A stateless kernel that says no
  /// is skipped then.
  virtual bool AlwaysComputeWhenAllOutputsEmpty() const { return false; }
};

/// The runner's side of tensors and contexts.
class BlobAccess {
 public:
  enum class Phase { kNone, kInfer, kCompute };

  class Context final : public KernelInferContext, public KernelComputeContext {};

  /// Binds one more argument.
  static void Bind(Context& context, const Argument& argument, Tensor& tensor, bool is_output) {
    (is_output ? context.outputs_ : context.inputs_).push_back(argument);
    (is_output ? context.output_tensors_ : context.input_tensors_).push_back(&tensor);
  }
  /// Says what the outputs allow from here on.
  static void Enter(Context& context, Phase phase) {
#if GXE_CHECK_BLOB_ACCESS
    Name(context.inputs_, context.input_tensors_);
    Name(context.outputs_, context.output_tensors_);
#endif
    for (Tensor* output : context.output_tensors_) {
      output->header_is_mutable_ = phase == Phase::kInfer;
      output->body_is_mutable_ = phase == Phase::kCompute;
    }
  }
  static const std::string& Label(const Tensor& tensor) { return tensor.label_; }
  static void Label(Tensor& tensor, std::string label) { tensor.label_ = std::move(label); }
  /// Shows a tensor of GXF.
  static void Show(Tensor& blob, const nvidia::gxf::Tensor& tensor) {
    blob.shape_ = ShapeView(tensor.shape());
    blob.data_type_ = tensor.element_type();
    blob.body_ = tensor.pointer();
  }
  /// Takes the elements away; shape and type stay.
  static void ShowNothing(Tensor& blob) { blob.body_ = nullptr; }

 private:
  /// Tells tensors what their kernel calls them: another one may call them otherwise.
  static void Name(const std::vector<Argument>& arguments, const std::vector<Tensor*>& tensors) {
    for (size_t i = 0; i < arguments.size(); i++) { tensors[i]->argument_ = &arguments[i]; }
  }
};

}  // namespace user_op
}  // namespace oneflow

namespace gxe {

namespace detail {

/// Where a blob is.
struct BlobPlace {
  enum class Side { kInput, kOutput, kOwn };

  Side side = Side::kOwn;
  /// Number of the port.
  size_t port = 0;
  /// Name of the blob; empty if it is known by its position.
  std::string name;
  size_t ordinal = 0;

  bool operator==(const BlobPlace& other) const {
    return side == other.side && port == other.port && name == other.name &&
           ordinal == other.ordinal;
  }
};

/// `[KERNEL:]NAME[INDEX] = PORT/BLOB`, read.
struct Binding {
  size_t kernel = 0;
  oneflow::user_op::Argument argument;
  std::string port;
  std::string blob;

  /// Throws `std::invalid_argument` with what is expected.
  static Binding Read(const std::string& text) {
    const auto trim = [](const std::string& part) {
      const size_t begin = part.find_first_not_of(' ');
      if (begin == std::string::npos) { return std::string(); }
      return part.substr(begin, part.find_last_not_of(' ') - begin + 1);
    };
    const auto refuse = [&]() -> std::invalid_argument {
      return std::invalid_argument("argument `" + text +
                                   "`: expected `[KERNEL:]NAME[INDEX] = PORT/BLOB`, such as "
                                   "`in[0] = left/samples` or `1:out[0] = sum/0`");
    };
    Binding binding;
    const size_t equals = text.find('=');
    if (equals == std::string::npos) { throw refuse(); }
    std::string left = trim(text.substr(0, equals));
    const std::string right = trim(text.substr(equals + 1));
    const size_t colon = left.find(':');
    if (colon != std::string::npos) {
      binding.kernel = Number(trim(left.substr(0, colon)), refuse);
      left = trim(left.substr(colon + 1));
    }
    const size_t open = left.find('[');
    if (open == std::string::npos || open == 0 || left.back() != ']') { throw refuse(); }
    const size_t index = Number(left.substr(open + 1, left.size() - open - 2), refuse);
    binding.argument = {left.substr(0, open), static_cast<int32_t>(index)};
    const size_t slash = right.find('/');
    if (slash == std::string::npos || slash == 0 || slash + 1 == right.size()) { throw refuse(); }
    binding.port = right.substr(0, slash);
    binding.blob = right.substr(slash + 1);
    return binding;
  }

  template <typename Refuse>
  static size_t Number(const std::string& text, Refuse&& refuse) {
    const bool is_number = !text.empty() && text.size() < 6 &&
                           text.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number) { throw refuse(); }
    return std::strtoul(text.c_str(), nullptr, 10);
  }
};

/// A blob of this codelet, as the arguments bound to it see it.
struct Slot {
  BlobPlace place;
  oneflow::user_op::Tensor view;
  /// The elements of a blob of the codelet's own register.
  nvidia::gxf::Tensor own;
  /// Whether a kernel before fills it.
  bool is_filled = false;
};

/// A kernel of a sequence.
struct KernelStep {
  std::string name;
  std::unique_ptr<const oneflow::user_op::OpKernel> kernel;
  std::shared_ptr<oneflow::user_op::OpKernelState> state;
  oneflow::user_op::BlobAccess::Context context;
  /// What it fills.
  std::vector<Slot*> outputs;
};

}  // namespace detail

/// Runs kernels one after the other on the tensors of messages.
///
/// Each tick takes a message from every receiver of `inputs`, runs the kernels and publishes a
/// message to every transmitter of `outputs`. `arguments` binds what the kernels read and fill:
///
/// - `in[0] = left/samples` is the tensor `samples` in the message of the receiver `left`;
/// - `in[1] = left/0` is the first tensor in it;
/// - `out[0] = sum/total` is a new tensor in the message for `sum`;
/// - `1:in[0] = own/norm` is about the second kernel; the port `own` holds what one kernel leaves
///   for the next.
///
/// The first argument that names a blob of an output or of `own` fills it, later ones read it.
/// Without `arguments`, `in[i]` of the first kernel is the first tensor of input `i`, `out[0]` of
/// each kernel is `in[0]` of the next, and `out[i]` of the last is the tensor `out` for output `i`.
/// What is not bound is null.
///
/// A message that only says that its stream ends has nothing for kernels: it leaves through every
/// transmitter as it is, and nothing is computed of those that came with it. If a message with
/// tensors is the last one of its stream, so are those that are made of it.
template <typename... Kernels>
class KernelCodelet : public nvidia::gxf::Codelet {
  static_assert(sizeof...(Kernels) > 0, "a codelet of kernels needs a kernel");

  using Argument = oneflow::user_op::Argument;
  using Access = oneflow::user_op::BlobAccess;
  using Side = detail::BlobPlace::Side;
  using Slot = detail::Slot;

 public:
  gxf_result_t registerInterface(nvidia::gxf::Registrar* registrar) override {
    nvidia::gxf::Expected<void> result;
    result &= registrar->parameter(inputs_, "inputs", "Inputs",
                                   "Receivers of messages with the tensors that kernels read");
    result &= registrar->parameter(outputs_, "outputs", "Outputs",
                                   "Transmitters for the tensors that kernels fill");
    result &= registrar->parameter(allocator_, "allocator", "Allocator",
                                   "Memory for the tensors that kernels fill");
    result &= registrar->parameter(
        arguments_, "arguments", "Arguments",
        "What the arguments of the kernels are, each as `[KERNEL:]NAME[INDEX] = PORT/BLOB`: the "
        "port is the name of an input or output, or `own`; the blob is the name of a tensor, or in "
        "an input its position",
        std::vector<std::string>{});
    return nvidia::gxf::ToResultCode(result);
  }

  gxf_result_t start() override {
    stop();
    (AddStep<Kernels>(), ...);
    try {
      if (arguments_.get().empty()) {
        BindInARow();
      } else {
        for (const std::string& text : arguments_.get()) { Bind(detail::Binding::Read(text)); }
      }
    } catch (const std::invalid_argument& refused) {
      GXF_LOG_ERROR("%s", refused.what());
      return GXF_ARGUMENT_INVALID;
    }
    for (detail::KernelStep& step : steps_) {
      oneflow::user_op::KernelInitContext init(step.context.inputs(), step.context.outputs());
      step.state = step.kernel->CreateOpKernelState(&init);
    }
    return GXF_SUCCESS;
  }

  gxf_result_t tick() override {
    // The messages that arrived live as long as the kernels read them.
    std::vector<nvidia::gxf::Entity> received;
    for (const auto& input : inputs_.get()) {
      auto message = input->receive();
      if (!message) { return message.error(); }
      received.push_back(std::move(message.value()));
    }
    for (const nvidia::gxf::Entity& message : received) {
      if (!IsOnlyEnd(message)) { continue; }
      for (const auto& output : outputs_.get()) {
        const auto published = output->publish(message);
        if (!published) { return published.error(); }
      }
      return GXF_SUCCESS;
    }
    for (Slot& slot : slots_) {
      if (slot.place.side != Side::kInput) { continue; }
      const gxf_result_t code = Show(slot, received[slot.place.port]);
      if (code != GXF_SUCCESS) { return code; }
    }
    std::vector<nvidia::gxf::Entity> filled;
    for (size_t i = 0; i < outputs_.get().size(); i++) {
      auto message = nvidia::gxf::Entity::New(context());
      if (!message) { return message.error(); }
      filled.push_back(std::move(message.value()));
    }
    const GxeTraceTable* trace = Trace();
    for (detail::KernelStep& step : steps_) {
      const int64_t begin = trace == nullptr ? 0 : trace->now();
      const gxf_result_t code = Launch(step, filled);
      if (code != GXF_SUCCESS) { return code; }
      if (trace != nullptr) {
        trace->span(nvidia::gxf::sdk::ToAbi(context()), nvidia::gxf::sdk::ToText("kernels"),
                    nvidia::gxf::sdk::ToText(entity().name()),
                    nvidia::gxf::sdk::ToText(step.name), begin, trace->now());
      }
    }
    const bool is_last = std::any_of(received.begin(), received.end(), IsLast);
    for (size_t i = 0; i < filled.size(); i++) {
      if (is_last) {
        const auto marked = filled[i].template add<nvidia::gxf::EndOfStream>("end_of_stream");
        if (!marked) { return marked.error(); }
      }
      const auto published = outputs_.get()[i]->publish(filled[i]);
      if (!published) { return published.error(); }
    }
    return GXF_SUCCESS;
  }

  gxf_result_t stop() override {
    steps_.clear();
    slots_.clear();
    return GXF_SUCCESS;
  }

 private:
  /// Whether a message says that it is the last one of its stream.
  static bool IsLast(const nvidia::gxf::Entity& message) {
    return static_cast<bool>(message.get<nvidia::gxf::EndOfStream>());
  }

  /// Whether a message says that, and nothing else.
  static bool IsOnlyEnd(const nvidia::gxf::Entity& message) {
    if (!IsLast(message)) { return false; }
    const auto payloads = message.findAll();
    if (!payloads) { return false; }
    const auto count = [&](const auto& of_type) { return of_type ? of_type->size() : 0; };
    return payloads->size() == count(message.findAll<nvidia::gxf::EndOfStream>()) +
                                   count(message.findAll<nvidia::gxf::Timestamp>());
  }

  /// What a port is called: its name, or its place in the parameter if it has none.
  template <typename Port>
  static std::string PortName(const Port& port, const char* parameter, size_t position) {
    const std::string name = port->name();
    return name.empty() ? std::string(parameter) + "[" + std::to_string(position) + "]" : name;
  }

  template <typename Kernel>
  void AddStep() {
    detail::KernelStep& step = steps_.emplace_back();
    step.name = nvidia::TypenameAsString<Kernel>();
    step.kernel = std::make_unique<const Kernel>();
  }

  /// What `arguments` is if nobody says it.
  void BindInARow() {
    for (size_t i = 0; i < inputs_.get().size(); i++) {
      Add(0, {"in", static_cast<int32_t>(i)}, {Side::kInput, i, "", 0},
          PortName(inputs_.get()[i], "inputs", i));
    }
    for (size_t i = 0; i + 1 < steps_.size(); i++) {
      const detail::BlobPlace between{Side::kOwn, 0, std::to_string(i), 0};
      Add(i, {"out", 0}, between, "own");
      Add(i + 1, {"in", 0}, between, "own");
    }
    for (size_t i = 0; i < outputs_.get().size(); i++) {
      Add(steps_.size() - 1, {"out", static_cast<int32_t>(i)}, {Side::kOutput, i, "out", 0},
          PortName(outputs_.get()[i], "outputs", i));
    }
  }

  void Bind(const detail::Binding& binding) {
    const std::string argument =
        binding.argument.first + "[" + std::to_string(binding.argument.second) + "]";
    if (binding.kernel >= steps_.size()) {
      throw std::invalid_argument("argument `" + argument + "` of kernel " +
                                  std::to_string(binding.kernel) + ": the sequence has " +
                                  std::to_string(steps_.size()) + ", counted from 0");
    }
    const auto& context = steps_[binding.kernel].context;
    for (const auto* arguments : {&context.inputs(), &context.outputs()}) {
      if (std::find(arguments->begin(), arguments->end(), binding.argument) != arguments->end()) {
        throw std::invalid_argument("argument `" + argument + "` of kernel " +
                                    std::to_string(binding.kernel) + " is bound twice");
      }
    }
    Add(binding.kernel, binding.argument, Place(binding, argument), binding.port);
  }

  detail::BlobPlace Place(const detail::Binding& binding, const std::string& argument) const {
    if (binding.port == "own") { return {Side::kOwn, 0, binding.blob, 0}; }
    std::string known = "`own`";
    for (size_t i = 0; i < inputs_.get().size(); i++) {
      if (inputs_.get()[i]->name() == binding.port) {
        const bool is_position = binding.blob.find_first_not_of("0123456789") == std::string::npos;
        if (!is_position) { return {Side::kInput, i, binding.blob, 0}; }
        const size_t position = detail::Binding::Number(binding.blob, [&] {
          return std::invalid_argument("argument `" + argument + "`: no message has a tensor " +
                                       binding.blob);
        });
        return {Side::kInput, i, "", position};
      }
      known += std::string(", `") + inputs_.get()[i]->name() + "`";
    }
    for (size_t i = 0; i < outputs_.get().size(); i++) {
      if (outputs_.get()[i]->name() == binding.port) { return {Side::kOutput, i, binding.blob, 0}; }
      known += std::string(", `") + outputs_.get()[i]->name() + "`";
    }
    throw std::invalid_argument("argument `" + argument + "`: there is no port `" + binding.port +
                                "`; there are " + known);
  }

  void Add(size_t kernel, const Argument& argument, const detail::BlobPlace& place,
           const std::string& port) {
    const auto is_it = [&](const Slot& slot) { return slot.place == place; };
    auto found = std::find_if(slots_.begin(), slots_.end(), is_it);
    if (found == slots_.end()) {
      found = slots_.emplace(slots_.end());
      found->place = place;
      const std::string blob = place.name.empty() ? std::to_string(place.ordinal) : place.name;
      Access::Label(found->view, port + "/" + blob);
    }
    detail::KernelStep& step = steps_[kernel];
    const bool fills = place.side != Side::kInput && !found->is_filled;
    Access::Bind(step.context, argument, found->view, fills);
    if (fills) {
      found->is_filled = true;
      step.outputs.push_back(&*found);
    }
  }

  /// Shows the tensor of a message that arrived.
  gxf_result_t Show(Slot& slot, const nvidia::gxf::Entity& message) {
    using nvidia::gxf::MemoryStorageType;
    auto tensor = nvidia::gxf::Handle<nvidia::gxf::Tensor>::Null();
    if (slot.place.name.empty()) {
      const auto all = message.findAll<nvidia::gxf::Tensor>();
      if (all && slot.place.ordinal < all->size()) {
        tensor = all->at(slot.place.ordinal).value();
      }
    } else {
      const auto named = message.get<nvidia::gxf::Tensor>(slot.place.name.c_str());
      if (named) { tensor = named.value(); }
    }
    if (tensor.is_null()) {
      GXF_LOG_ERROR("the message that arrived has no tensor `%s`",
                    Access::Label(slot.view).c_str());
      return GXF_ENTITY_COMPONENT_NOT_FOUND;
    }
    if (tensor->storage_type() == MemoryStorageType::kDevice) {
      GXF_LOG_ERROR("the tensor `%s` is in the memory of a device, which kernels do not read",
                    Access::Label(slot.view).c_str());
      return GXF_INVALID_DATA_FORMAT;
    }
    if (!tensor->isContiguous().value_or(false)) {
      GXF_LOG_ERROR("the elements of the tensor `%s` do not follow each other",
                    Access::Label(slot.view).c_str());
      return GXF_INVALID_DATA_FORMAT;
    }
    Access::Show(slot.view, *tensor);
    return GXF_SUCCESS;
  }

  gxf_result_t Launch(detail::KernelStep& step, std::vector<nvidia::gxf::Entity>& filled) {
    Access::Enter(step.context, Access::Phase::kInfer);
    step.kernel->InferShape(&step.context);
    Access::Enter(step.context, Access::Phase::kNone);
    bool all_are_empty = !step.outputs.empty();
    for (Slot* slot : step.outputs) {
      const gxf_result_t code = Allocate(*slot, filled);
      if (code != GXF_SUCCESS) { return code; }
      all_are_empty &= slot->view.shape().elem_cnt() == 0;
    }
    const bool is_stateless = step.state == nullptr;
    if (all_are_empty && is_stateless && !step.kernel->AlwaysComputeWhenAllOutputsEmpty()) {
      return GXF_SUCCESS;
    }
    Access::Enter(step.context, Access::Phase::kCompute);
    step.kernel->Compute(&step.context, step.state.get());
    Access::Enter(step.context, Access::Phase::kNone);
    return GXF_SUCCESS;
  }

  /// New memory for a blob whose shape and type its kernel said.
  gxf_result_t Allocate(Slot& slot, std::vector<nvidia::gxf::Entity>& filled) {
    const nvidia::gxf::Shape shape = slot.view.shape().ToShape();
    const auto type = slot.view.data_type();
    const uint64_t bytes = nvidia::gxf::PrimitiveTypeSize(type);
    nvidia::gxf::Tensor* tensor = &slot.own;
    if (slot.place.side == Side::kOutput) {
      const char* name = slot.place.name.c_str();
      auto added = filled[slot.place.port].template add<nvidia::gxf::Tensor>(name);
      if (!added) { return added.error(); }
      tensor = added.value().get();
    }
    if (shape.size() == 0) {
      // GXF's tensors have no dimension of length 0: one without elements has none at all.
      *tensor = nvidia::gxf::Tensor();
      Access::ShowNothing(slot.view);
      return GXF_SUCCESS;
    }
    const auto host = nvidia::gxf::MemoryStorageType::kHost;
    const auto packed = nvidia::gxf::Unexpected{GXF_UNINITIALIZED_VALUE};
    const auto made =
        tensor->reshapeCustom(shape, type, bytes, packed, host, allocator_.get());
    if (!made) {
      GXF_LOG_ERROR("the tensor `%s` with %llu bytes cannot be made",
                    Access::Label(slot.view).c_str(),
                    static_cast<unsigned long long>(shape.size() * bytes));
      return made.error();
    }
    Access::Show(slot.view, *tensor);
    return GXF_SUCCESS;
  }

  /// The trace, while one is being recorded.
  const GxeTraceTable* Trace() const {
    const auto* trace = static_cast<const GxeTraceTable*>(
        nvidia::gxf::sdk::Host().host_interface(GxeTid GXE_TID_TRACE));
    const bool is_on = trace != nullptr && trace->is_on(nvidia::gxf::sdk::ToAbi(context()));
    return is_on ? trace : nullptr;
  }

  nvidia::gxf::Parameter<std::vector<nvidia::gxf::Handle<nvidia::gxf::Receiver>>> inputs_;
  nvidia::gxf::Parameter<std::vector<nvidia::gxf::Handle<nvidia::gxf::Transmitter>>> outputs_;
  nvidia::gxf::Parameter<nvidia::gxf::Handle<nvidia::gxf::Allocator>> allocator_;
  nvidia::gxf::Parameter<std::vector<std::string>> arguments_;
  /// In lists whose elements stay where they are.
  std::deque<detail::KernelStep> steps_;
  std::list<Slot> slots_;
};

}  // namespace gxe

#endif  // GXE_OP_KERNEL_HPP_
