// The stages of a chain in C++, equivalent to `src/lib.rs`.
#include <cstdint>

#include "gxf/std/codelet.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/transmitter.hpp"

namespace bench_cpp {

using namespace nvidia::gxf;

/// Publishes a message with a number on every tick.
class Source : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(output_, "output", "Output", "Publishes the messages"));
  }

  gxf_result_t tick() override {
    auto message = Entity::New(context());
    if (!message) { return message.error(); }
    auto number = message->add<int64_t>("number");
    if (!number) { return number.error(); }
    *number.value() = count_++;
    return ToResultCode(output_->publish(message.value(), getExecutionTimestamp()));
  }

 private:
  Parameter<Handle<Transmitter>> output_;
  int64_t count_ = 0;
};

/// Forwards each message.
class Pass : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(input_, "input", "Input", "Receives the messages");
    result &= registrar->parameter(output_, "output", "Output", "Where they go");
    return ToResultCode(result);
  }

  gxf_result_t tick() override {
    auto message = input_->receive();
    if (!message) { return message.error(); }
    return ToResultCode(output_->publish(message.value(), getExecutionTimestamp()));
  }

 private:
  Parameter<Handle<Receiver>> input_;
  Parameter<Handle<Transmitter>> output_;
};

/// Takes each message and checks that none is missing.
class Sink : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(
        registrar->parameter(input_, "input", "Input", "Receives the messages"));
  }

  gxf_result_t tick() override {
    auto message = input_->receive();
    if (!message) { return message.error(); }
    auto number = message->get<int64_t>("number");
    if (!number) { return number.error(); }
    return *number.value() == expected_++ ? GXF_SUCCESS : GXF_INVALID_DATA_FORMAT;
  }

 private:
  Parameter<Handle<Receiver>> input_;
  int64_t expected_ = 0;
};

}  // namespace bench_cpp

GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a70, "BenchStagesCpp",
                         "Stages of the benchmarks in C++", "", "1.0.0", "Apache-2.0");
GXF_EXT_FACTORY_ADD(0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a71, bench_cpp::Source,
                    nvidia::gxf::Codelet, "Publishes numbers");
GXF_EXT_FACTORY_ADD(0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a72, bench_cpp::Pass, nvidia::gxf::Codelet,
                    "Passes messages on");
GXF_EXT_FACTORY_ADD(0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a73, bench_cpp::Sink, nvidia::gxf::Codelet,
                    "Takes messages");
GXF_EXT_FACTORY_END()
