#pragma once

#include <cstdint>
#include <utility>

#include "gxe/cuda_kernel.hpp"
#include "gxf/cuda/cuda_stream_pool.hpp"
#include "gxf/std/allocator.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/transmitter.hpp"
#include "scale_ptx.hpp"

namespace @crate@ {

// As in kernels/scale.cu.
struct ScaleArguments {
  float* to;
  const float* from;
  uint64_t count;
  float factor;
};

// Nothing here waits for the GPU: the work is enqueued, and the message says when its data is valid.
class Scale : public nvidia::gxf::Codelet {
 public:
  // What `gxe inspect` shows.
  static constexpr const char* kDescription = "Multiplies tensors of float32 in device memory.";

  gxf_result_t registerInterface(nvidia::gxf::Registrar* registrar) override {
    nvidia::gxf::Expected<void> result;
    result &= registrar->parameter(input_, "input", "Input", "Receiver that the tensors arrive in.");
    result &= registrar->parameter(output_, "output", "Output",
                                   "Transmitter that publishes the results.");
    // `gxe check` finds a connection that does not fit.
    result &= registrar->carries<nvidia::gxf::Tensor>("input");
    result &= registrar->carries<nvidia::gxf::Tensor>("output");
    result &= registrar->parameter(pool_, "pool", "Pool", "Allocator of device memory.");
    result &= registrar->parameter(streams_, "streams", "Streams", "Where the stream comes from.");
    result &= registrar->parameter(factor_, "factor", "Factor",
                                   "What the numbers are multiplied with.", 2.0f);
    return nvidia::gxf::ToResultCode(result);
  }

  gxf_result_t start() override {
    auto stream = streams_->allocateStream();
    if (!stream) {
      return nvidia::gxf::ToResultCode(stream);
    }
    stream_ = stream.value();
    return GXF_SUCCESS;
  }

  gxf_result_t tick() override {
    auto message = input_->receive();
    if (!message) {
      return nvidia::gxf::ToResultCode(message);
    }
    auto numbers = message->get<nvidia::gxf::Tensor>();
    if (!numbers) {
      return nvidia::gxf::ToResultCode(numbers);
    }
    nvidia::gxf::Tensor& from = *numbers.value();
    if (from.element_type() != nvidia::gxf::PrimitiveType::kFloat32 || !from.isContiguous() ||
        from.storage_type() != nvidia::gxf::MemoryStorageType::kDevice) {
      GXF_LOG_ERROR("the tensor is not of float32, has gaps, or is not on a device");
      return GXF_ARGUMENT_INVALID;
    }
    gxe::CudaWork work(stream_);
    const auto ordered = work.after(message.value());
    if (!ordered) {
      return nvidia::gxf::ToResultCode(ordered);
    }
    auto to = work.allocate(pool_.get(), from.size());
    if (!to) {
      return nvidia::gxf::ToResultCode(to);
    }
    const ScaleArguments arguments{work.writes<float>(to.value()),
                                   work.reads<float>(from.memory_buffer()), from.element_count(),
                                   factor_};
    auto fence = work.launch(kScale, gxe::CudaGrid::ForSteps(arguments.count), arguments);
    if (!fence) {
      return nvidia::gxf::ToResultCode(fence);
    }
    auto answer = nvidia::gxf::Entity::New(context());
    if (!answer) {
      return nvidia::gxf::ToResultCode(answer);
    }
    auto result = answer->add<nvidia::gxf::Tensor>("numbers");
    if (!result) {
      return nvidia::gxf::ToResultCode(result);
    }
    const auto wrapped = result.value()->wrapMemoryBuffer(
        from.shape(), from.element_type(), from.bytes_per_element(),
        nvidia::gxf::Unexpected{GXF_UNINITIALIZED_VALUE}, std::move(to.value()));
    if (!wrapped) {
      return nvidia::gxf::ToResultCode(wrapped);
    }
    const auto marked = gxe::CudaWork::set_fence(answer.value(), std::move(fence.value()));
    if (!marked) {
      return nvidia::gxf::ToResultCode(marked);
    }
    return nvidia::gxf::ToResultCode(output_->publish(answer.value(), getExecutionTimestamp()));
  }

  gxf_result_t stop() override {
    // Its work goes on.
    return nvidia::gxf::ToResultCode(streams_->releaseStream(stream_));
  }

 private:
  static constexpr gxe::CudaKernel<ScaleArguments> kScale{kScalePtx, "scale"};

  nvidia::gxf::Parameter<nvidia::gxf::Handle<nvidia::gxf::Receiver>> input_;
  nvidia::gxf::Parameter<nvidia::gxf::Handle<nvidia::gxf::Transmitter>> output_;
  nvidia::gxf::Parameter<nvidia::gxf::Handle<nvidia::gxf::Allocator>> pool_;
  nvidia::gxf::Parameter<nvidia::gxf::Handle<nvidia::gxf::CudaStreamPool>> streams_;
  nvidia::gxf::Parameter<float> factor_;
  nvidia::gxf::Handle<nvidia::gxf::CudaStream> stream_ =
      nvidia::gxf::Handle<nvidia::gxf::CudaStream>::Null();
};

}  // namespace @crate@
