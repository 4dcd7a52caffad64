#pragma once

#include <cinttypes>
#include <cstdint>

#include "gxf/std/codelet.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/tensor.hpp"

namespace @crate@ {

class NumberSink : public nvidia::gxf::Codelet {
 public:
  // What `gxe inspect` shows.
  static constexpr const char* kDescription =
      "Receives a tensor of float32 in host memory on every tick; logs the sum of all when the graph stops.";

  gxf_result_t registerInterface(nvidia::gxf::Registrar* registrar) override {
    nvidia::gxf::Expected<void> result;
    result &= registrar->parameter(input_, "input", "Input", "Receiver that the tensors arrive in.");
    // `gxe check` finds a connection that does not fit.
    result &= registrar->carries<nvidia::gxf::Tensor>("input");
    return nvidia::gxf::ToResultCode(result);
  }

  gxf_result_t start() override {
    count_ = 0;
    sum_ = 0;
    return GXF_SUCCESS;
  }

  gxf_result_t tick() override {
    auto message = input_->receive();
    if (!message) {
      return nvidia::gxf::ToResultCode(message);
    }
    auto tensor = message->get<nvidia::gxf::Tensor>();
    if (!tensor) {
      return nvidia::gxf::ToResultCode(tensor);
    }
    const auto numbers = tensor.value()->data<float>();
    if (!numbers) {
      return nvidia::gxf::ToResultCode(numbers);
    }
    const uint64_t length = tensor.value()->element_count();
    for (uint64_t i = 0; i < length; i++) {
      sum_ += numbers.value()[i];
    }
    count_ += length;
    return GXF_SUCCESS;
  }

  gxf_result_t stop() override {
    GXF_LOG_INFO("received %" PRIu64 " numbers, their sum is %.0f", count_, sum_);
    return GXF_SUCCESS;
  }

 private:
  nvidia::gxf::Parameter<nvidia::gxf::Handle<nvidia::gxf::Receiver>> input_;
  uint64_t count_ = 0;
  double sum_ = 0;
};

}  // namespace @crate@
