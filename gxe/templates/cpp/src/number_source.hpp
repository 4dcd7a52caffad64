#pragma once

#include <cstdint>

#include "gxf/std/codelet.hpp"
#include "gxf/std/transmitter.hpp"

namespace @crate@ {

class NumberSource : public nvidia::gxf::Codelet {
 public:
  // What `gxe inspect` shows.
  static constexpr const char* kDescription = "Publishes the next number on every tick, as an int64_t.";

  gxf_result_t registerInterface(nvidia::gxf::Registrar* registrar) override {
    nvidia::gxf::Expected<void> result;
    result &= registrar->parameter(signal_, "signal", "Signal",
                                   "Transmitter that publishes the numbers.");
    // `gxe check` finds a connection that does not fit.
    result &= registrar->carries<int64_t>("signal");
    result &= registrar->parameter(first_, "first", "First", "First number.", int64_t{0});
    return nvidia::gxf::ToResultCode(result);
  }

  gxf_result_t start() override {
    next_ = first_;
    return GXF_SUCCESS;
  }

  gxf_result_t tick() override {
    auto message = nvidia::gxf::Entity::New(context());
    if (!message) {
      return nvidia::gxf::ToResultCode(message);
    }
    auto number = message->add<int64_t>("number");
    if (!number) {
      return nvidia::gxf::ToResultCode(number);
    }
    *number.value() = next_++;
    return nvidia::gxf::ToResultCode(signal_->publish(message.value(), getExecutionTimestamp()));
  }

 private:
  nvidia::gxf::Parameter<nvidia::gxf::Handle<nvidia::gxf::Transmitter>> signal_;
  nvidia::gxf::Parameter<int64_t> first_;
  int64_t next_ = 0;
};

}  // namespace @crate@
