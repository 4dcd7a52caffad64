#pragma once

#include <cstdint>

#include "gxf/std/allocator.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/transmitter.hpp"

namespace @crate@ {

class NumberSource : public nvidia::gxf::Codelet {
 public:
  // What `gxe inspect` shows.
  static constexpr const char* kDescription =
      "Publishes a tensor of the next numbers on every tick, as float32 in host memory.";

  gxf_result_t registerInterface(nvidia::gxf::Registrar* registrar) override {
    nvidia::gxf::Expected<void> result;
    result &= registrar->parameter(output_, "output", "Output",
                                   "Transmitter that publishes the tensors.");
    // `gxe check` finds a connection that does not fit.
    result &= registrar->carries<nvidia::gxf::Tensor>("output");
    result &= registrar->parameter(pool_, "pool", "Pool", "Allocator of the tensors.");
    result &= registrar->parameter(length_, "length", "Length", "Numbers in a tensor.", 1000);
    return nvidia::gxf::ToResultCode(result);
  }

  gxf_result_t start() override {
    next_ = 0;
    return GXF_SUCCESS;
  }

  gxf_result_t tick() override {
    auto message = nvidia::gxf::Entity::New(context());
    if (!message) {
      return nvidia::gxf::ToResultCode(message);
    }
    auto tensor = message->add<nvidia::gxf::Tensor>("numbers");
    if (!tensor) {
      return nvidia::gxf::ToResultCode(tensor);
    }
    const auto shaped = tensor.value()->reshape<float>(
        nvidia::gxf::Shape{length_.get()}, nvidia::gxf::MemoryStorageType::kHost, pool_.get());
    if (!shaped) {
      return nvidia::gxf::ToResultCode(shaped);
    }
    float* const numbers = tensor.value()->data<float>().value();
    for (int32_t i = 0; i < length_.get(); i++) {
      numbers[i] = next_++;
    }
    return nvidia::gxf::ToResultCode(output_->publish(message.value(), getExecutionTimestamp()));
  }

 private:
  nvidia::gxf::Parameter<nvidia::gxf::Handle<nvidia::gxf::Transmitter>> output_;
  nvidia::gxf::Parameter<nvidia::gxf::Handle<nvidia::gxf::Allocator>> pool_;
  nvidia::gxf::Parameter<int32_t> length_;
  float next_ = 0;
};

}  // namespace @crate@
