#pragma once

#include <cinttypes>
#include <cstdint>

#include "gxf/std/codelet.hpp"
#include "gxf/std/receiver.hpp"

namespace @crate@ {

class NumberSink : public nvidia::gxf::Codelet {
 public:
  // What `gxe inspect` shows.
  static constexpr const char* kDescription = "Receives an int64_t on every tick and adds them up.";

  gxf_result_t registerInterface(nvidia::gxf::Registrar* registrar) override {
    nvidia::gxf::Expected<void> result;
    result &= registrar->parameter(signal_, "signal", "Signal", "Receiver that the numbers arrive in.");
    // `gxe check` finds a connection that does not fit.
    result &= registrar->carries<int64_t>("signal");
    return nvidia::gxf::ToResultCode(result);
  }

  gxf_result_t start() override {
    count_ = 0;
    sum_ = 0;
    return GXF_SUCCESS;
  }

  gxf_result_t tick() override {
    auto message = signal_->receive();
    if (!message) {
      return nvidia::gxf::ToResultCode(message);
    }
    auto number = message->get<int64_t>("number");
    if (!number) {
      GXF_LOG_ERROR("the message carries no int64_t called `number`");
      return nvidia::gxf::ToResultCode(number);
    }
    count_ += 1;
    sum_ += *number.value();
    return GXF_SUCCESS;
  }

  gxf_result_t stop() override {
    GXF_LOG_INFO("received %" PRIu64 " numbers, their sum is %" PRId64, count_, sum_);
    return GXF_SUCCESS;
  }

 private:
  nvidia::gxf::Parameter<nvidia::gxf::Handle<nvidia::gxf::Receiver>> signal_;
  uint64_t count_ = 0;
  int64_t sum_ = 0;
};

}  // namespace @crate@
