// Kernels of OneFlow as codelets, and its loops over a pool of threads. The first kernel is printed
// in the post on OneFlow's runtime.
#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gxe/op_kernel.hpp"
#include "gxe/thread_loop.hpp"
#include "gxf/std/extension_factory_helper.hpp"

namespace oneflow {

template<typename T>
void cpu_add(const int64_t n, T* out, const std::vector<const T*>& in) {
  for (int64_t i = 0; i != n; ++i) {
    out[i] = in.at(0)[i];
    for (size_t j = 1; j < in.size(); ++j) { out[i] += in.at(j)[i]; }
  }
}

template<typename T>
class CpuAddNKernel : public user_op::OpKernel {
 public:
  CpuAddNKernel() = default;
  ~CpuAddNKernel() = default;

  bool AlwaysComputeWhenAllOutputsEmpty() const override { return false; }

 private:
  void Compute(user_op::KernelComputeContext* ctx) const override {
    size_t in_num = ctx->inputs().size();

    user_op::Tensor* out = ctx->Tensor4ArgNameAndIndex("out", 0);
    int64_t n = out->shape().elem_cnt();
    T* out_dptr = out->mut_dptr<T>();

    std::vector<const T*> in_dptrs(in_num);
    for (size_t i = 0; i < in_num; ++i) {
      in_dptrs.at(i) = ctx->Tensor4ArgNameAndIndex("in", static_cast<int32_t>(i))->dptr<T>();
    }

    cpu_add<T>(n, out_dptr, in_dptrs);
  }
};

}  // namespace oneflow

namespace kernels {

using nvidia::gxf::Codelet;
using nvidia::gxf::Entity;
using nvidia::gxf::Handle;
using nvidia::gxf::Parameter;
using nvidia::gxf::Receiver;
using nvidia::gxf::Registrar;
using nvidia::gxf::Shape;
using nvidia::gxf::Tensor;
using nvidia::gxf::ToResultCode;
using nvidia::gxf::Transmitter;
namespace user_op = oneflow::user_op;

// The sum of all elements so far, as one element; counts how often it is called.
class RunningSum : public user_op::OpKernel {
 public:
  std::shared_ptr<user_op::OpKernelState> CreateOpKernelState(
      user_op::KernelInitContext* ctx) const override {
    GXF_LOG_INFO("running sum: %zu input, %zu output", ctx->inputs().size(), ctx->outputs().size());
    return std::make_shared<Sum>();
  }
  void InferShape(user_op::KernelInferContext* ctx) const override {
    user_op::TensorDesc* total = ctx->TensorDesc4ArgNameAndIndex("total", 0);
    total->set_shape(user_op::ShapeView(Shape{1}));
    total->set_data_type(user_op::DataType::kFloat64);
  }

 private:
  struct Sum : user_op::OpKernelState {
    double value = 0;
  };
  void Compute(user_op::KernelComputeContext* ctx, user_op::OpKernelState* state) const override {
    const user_op::Tensor* in = ctx->Tensor4ArgNameAndIndex("in", 0);
    double& sum = static_cast<Sum*>(state)->value;
    for (int64_t i = 0; i < in->shape().elem_cnt(); i++) { sum += in->dptr<float>()[i]; }
    *ctx->Tensor4ArgNameAndIndex("total", 0)->mut_dptr<double>() = sum;
    const bool is_bound = ctx->Tensor4ArgNameAndIndex("bias", 0) != nullptr;
    GXF_LOG_INFO("running sum: %g, bias is %s", sum, is_bound ? "bound" : "null");
  }
};

// Does what no phase allows, as its input says.
class Trespasser : public user_op::OpKernel {
 public:
  void InferShape(user_op::KernelInferContext* ctx) const override {
    OpKernel::InferShape(ctx);
    if (Elements(ctx) == 1) { ctx->TensorDesc4ArgNameAndIndex("in", 0)->set_shape({}); }
  }

 private:
  static int64_t Elements(user_op::KernelInferContext* ctx) {
    return ctx->TensorDesc4ArgNameAndIndex("in", 0)->shape().elem_cnt();
  }
  void Compute(user_op::KernelComputeContext* ctx) const override {
    user_op::Tensor* in = ctx->Tensor4ArgNameAndIndex("in", 0);
    user_op::Tensor* out = ctx->Tensor4ArgNameAndIndex("out", 0);
    if (in->shape().At(0) == 2) { in->mut_dptr<float>()[0] = 1; }
    if (in->shape().At(0) == 3) { out->set_data_type(user_op::DataType::kInt8); }
    if (in->shape().At(0) == 4) { out->mut_dptr<double>()[0] = 1; }
    if (in->shape().At(0) == 5) { throw std::runtime_error("out of cheese"); }
    GXF_LOG_INFO("trespasser computed %lld", static_cast<long long>(out->shape().elem_cnt()));
  }
};

// Sends `count` tensors of `length` elements, whose values are the number of the message. The second
// message is the last one of its stream: `end: mere` without tensors, `end: marked` with them.
class Source : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    nvidia::gxf::Expected<void> result;
    result &= registrar->parameter(out_, "out");
    result &= registrar->parameter(allocator_, "allocator");
    result &= registrar->parameter(length_, "length");
    result &= registrar->parameter(end_, "end", "End", "", std::string("none"));
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    auto message = Entity::New(context());
    if (!message) { return message.error(); }
    const bool is_second = getExecutionCount() == 2;
    if (is_second && end_.get() != "none") {
      const auto end = message->add<nvidia::gxf::EndOfStream>("end_of_stream");
      if (!end) { return end.error(); }
      if (end_.get() == "mere") { return ToResultCode(out_->publish(message.value(), 7)); }
    }
    for (const char* name : {"first", "second"}) {
      auto tensor = message->add<Tensor>(name);
      if (!tensor) { return tensor.error(); }
      if (length_.get() == 0) { continue; }
      const auto made = tensor.value()->reshape<float>(
          Shape{length_.get()}, nvidia::gxf::MemoryStorageType::kHost, allocator_.get());
      if (!made) { return made.error(); }
      float* values = tensor.value()->data<float>().value();
      const float scale = *name == 'f' ? 1.0f : 100.0f;
      for (int32_t i = 0; i < length_.get(); i++) {
        values[i] = scale * static_cast<float>(getExecutionCount());
      }
    }
    return ToResultCode(out_->publish(message.value()));
  }

 private:
  Parameter<Handle<Transmitter>> out_;
  Parameter<Handle<nvidia::gxf::Allocator>> allocator_;
  Parameter<int32_t> length_;
  Parameter<std::string> end_;
};

// Logs the tensors that arrive, and the end of their stream.
class Sink : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(in_, "in"));
  }
  gxf_result_t tick() override {
    auto message = in_->receive();
    if (!message) { return message.error(); }
    const auto tensors = message->findAll<Tensor>();
    if (!tensors) { return tensors.error(); }
    for (size_t i = 0; i < tensors->size(); i++) {
      const auto tensor = tensors->at(i).value();
      std::string values;
      for (uint64_t k = 0; k < tensor->element_count(); k++) {
        values += " " + (tensor->element_type() == nvidia::gxf::PrimitiveType::kFloat32
                             ? std::to_string(tensor->data<float>().value()[k])
                             : std::to_string(tensor->data<double>().value()[k]));
      }
      GXF_LOG_INFO("%s =%s.", tensor.name(), values.c_str());
    }
    const auto time = message->get<nvidia::gxf::Timestamp>();
    if (message->get<nvidia::gxf::EndOfStream>()) {
      GXF_LOG_INFO("the end, %s", time && (*time)->acqtime == 7 ? "as it was" : "of tensors");
    }
    return GXF_SUCCESS;
  }

 private:
  Parameter<Handle<Receiver>> in_;
};

// Runs the loops in every way, and fails if one of them is wrong.
class Loops : public Codelet {
 public:
  gxf_result_t tick() override {
    for (const int64_t total : {0, 1, 2, 7, 100}) {
      for (const int64_t parts : {1, 3, 7, 8}) {
        const oneflow::BalancedSplitter splitter(total, parts);
        int64_t next = 0;
        for (int64_t i = 0; i < parts; i++) {
          const oneflow::Range range = splitter.At(i);
          const int64_t least = total / parts;
          if (range.begin() != next || range.size() < least || range.size() > least + 1) {
            return GXF_FAILURE;
          }
          next = range.end();
        }
        if (next != total) { return GXF_FAILURE; }
      }
    }
    std::vector<size_t> order;
    oneflow::SingleThreadLoop(3, [&](size_t i) { order.push_back(i); });
    if (order != std::vector<size_t>{0, 1, 2}) { return GXF_FAILURE; }
    std::vector<std::atomic<int>> calls(1000);
    // A loop in a loop must not wait for its own threads.
    oneflow::MultiThreadLoop(100, [&](size_t i) {
      oneflow::MultiThreadLoop(10, [&](size_t j) { calls[10 * i + j]++; });
    });
    for (const auto& count : calls) {
      if (count != 1) { return GXF_FAILURE; }
    }
    size_t reached = 0;
    try {
      oneflow::MultiThreadLoop(2, [](size_t i) { if (i == 1) throw std::runtime_error("one"); });
    } catch (const std::runtime_error& error) {
      reached = std::string(error.what()).size();
    }
    GXF_LOG_INFO("loops: fine, %zu", reached);
    return reached == 3 ? GXF_SUCCESS : GXF_FAILURE;
  }
};

class AddTwo : public gxe::KernelCodelet<oneflow::CpuAddNKernel<float>> {};
class AddAndSum : public gxe::KernelCodelet<oneflow::CpuAddNKernel<float>, RunningSum> {};
class AddTwice : public gxe::KernelCodelet<oneflow::CpuAddNKernel<float>,
                                           oneflow::CpuAddNKernel<float>> {};
class Trespassing : public gxe::KernelCodelet<Trespasser> {};

}  // namespace kernels

GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x61e2cf0d0f284e0b, 0x9d0bb4f4c2b9a0e1, "kernels", "Kernels of OneFlow",
                         "gxe", "1.0.0", "Apache-2.0");
GXF_EXT_FACTORY_ADD(0x61e2cf0d0f284e0b, 0x9d0bb4f4c2b9a0e2, kernels::AddTwo, nvidia::gxf::Codelet,
                    "Adds");
GXF_EXT_FACTORY_ADD(0x61e2cf0d0f284e0b, 0x9d0bb4f4c2b9a0e3, kernels::AddAndSum,
                    nvidia::gxf::Codelet, "Adds, and sums all");
GXF_EXT_FACTORY_ADD(0x61e2cf0d0f284e0b, 0x9d0bb4f4c2b9a0e4, kernels::AddTwice, nvidia::gxf::Codelet,
                    "Adds, and adds again");
GXF_EXT_FACTORY_ADD(0x61e2cf0d0f284e0b, 0x9d0bb4f4c2b9a0e5, kernels::Trespassing,
                    nvidia::gxf::Codelet, "Does what kernels must not");
GXF_EXT_FACTORY_ADD(0x61e2cf0d0f284e0b, 0x9d0bb4f4c2b9a0e6, kernels::Source, nvidia::gxf::Codelet,
                    "Sends tensors");
GXF_EXT_FACTORY_ADD(0x61e2cf0d0f284e0b, 0x9d0bb4f4c2b9a0e7, kernels::Sink, nvidia::gxf::Codelet,
                    "Logs tensors");
GXF_EXT_FACTORY_ADD(0x61e2cf0d0f284e0b, 0x9d0bb4f4c2b9a0e8, kernels::Loops, nvidia::gxf::Codelet,
                    "Runs loops");
GXF_EXT_FACTORY_END()
