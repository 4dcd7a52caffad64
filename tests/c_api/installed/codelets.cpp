// An extension as GXF's users write them: tensors with a payload of its own from one codelet to
// another.
#include <cstdint>
#include <string>
#include <vector>

#include "common/assert.hpp"
#include "common/logger.hpp"
#include "gems/utils/time.hpp"
#include "gxf/core/entity.hpp"
#include "gxf/core/parameter_parser_std.hpp"
#include "gxf/std/allocator.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/timestamp.hpp"
#include "gxf/std/transmitter.hpp"

namespace installed {

struct Number {
  int64_t value;
};

class TensorTx : public nvidia::gxf::Codelet {
 public:
  gxf_result_t registerInterface(nvidia::gxf::Registrar* registrar) override {
    nvidia::gxf::Expected<void> result;
    result &= registrar->parameter(out_, "out", "Output", "Where tensors go");
    result &= registrar->parameter(pool_, "pool", "Pool", "Memory of the tensors");
    result &= registrar->parameter(shape_, "shape", "Shape", "Dimensions of the tensors",
                                   std::vector<int32_t>{2, 3});
    result &= registrar->parameter(label_, "label", "Label", "A name of the tensors",
                                   nvidia::gxf::Registrar::NoDefaultParameter(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(gain_, "gain", "Gain", "Factor of the elements", 1.0,
                                   GXF_PARAMETER_FLAGS_DYNAMIC);
    result &= registrar->parameter(matrix_, "matrix", "Matrix", "Nothing reads it",
                                   std::vector<std::vector<double>>{});
    return nvidia::gxf::ToResultCode(result);
  }

  gxf_result_t tick() override {
    auto message = nvidia::gxf::Entity::New(context());
    if (!message) { return nvidia::gxf::ToResultCode(message); }
    auto tensor = message->add<nvidia::gxf::Tensor>("tensor");
    if (!tensor) { return nvidia::gxf::ToResultCode(tensor); }
    const auto reshaped = tensor.value()->reshape<float>(
        nvidia::gxf::Shape{shape_.get()}, nvidia::gxf::MemoryStorageType::kSystem, pool_);
    if (!reshaped) { return nvidia::gxf::ToResultCode(reshaped); }
    auto elements = tensor.value()->data<float>();
    if (!elements) { return nvidia::gxf::ToResultCode(elements); }
    for (uint64_t index = 0; index < tensor.value()->element_count(); index++) {
      elements.value()[index] = static_cast<float>(static_cast<double>(index) * gain_.get());
    }
    auto number = message->add<Number>("number");
    if (!number) { return nvidia::gxf::ToResultCode(number); }
    number.value()->value = getExecutionCount();
    return nvidia::gxf::ToResultCode(out_->publish(message.value(), getExecutionTimestamp()));
  }

 private:
  nvidia::gxf::Parameter<nvidia::gxf::Handle<nvidia::gxf::Transmitter>> out_;
  nvidia::gxf::Parameter<nvidia::gxf::Handle<nvidia::gxf::Allocator>> pool_;
  nvidia::gxf::Parameter<std::vector<int32_t>> shape_;
  nvidia::gxf::Parameter<std::string> label_;
  nvidia::gxf::Parameter<double> gain_;
  nvidia::gxf::Parameter<std::vector<std::vector<double>>> matrix_;
};

class TensorRx : public nvidia::gxf::Codelet {
 public:
  gxf_result_t registerInterface(nvidia::gxf::Registrar* registrar) override {
    nvidia::gxf::Expected<void> result;
    result &= registrar->parameter(in_, "in", "Input", "Where tensors come from");
    result &= registrar->parameter(expected_, "expected", "Expected", "How many must come", 50L);
    return nvidia::gxf::ToResultCode(result);
  }

  gxf_result_t start() override {
    received_ = 0;
    return GXF_SUCCESS;
  }

  gxf_result_t tick() override {
    auto message = in_->receive();
    if (!message) { return nvidia::gxf::ToResultCode(message); }
    const auto tensor = message->get<nvidia::gxf::Tensor>();
    const auto number = message->get<Number>("number");
    const auto timestamp = message->get<nvidia::gxf::Timestamp>();
    if (!tensor || !number || !timestamp) { return GXF_ENTITY_COMPONENT_NOT_FOUND; }
    received_++;
    if (tensor.value()->rank() != 2 || number.value()->value != received_) {
      GXF_LOG_ERROR("tensor %ld is not the next one", number.value()->value);
      return GXF_INVALID_DATA_FORMAT;
    }
    return GXF_SUCCESS;
  }

  gxf_result_t stop() override {
    return received_ == expected_.get() ? GXF_SUCCESS : GXF_CONTRACT_MESSAGE_NOT_AVAILABLE;
  }

 private:
  nvidia::gxf::Parameter<nvidia::gxf::Handle<nvidia::gxf::Receiver>> in_;
  nvidia::gxf::Parameter<int64_t> expected_;
  int64_t received_ = 0;
};

}  // namespace installed

extern "C" {

GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x8f1d2b7a90c34e51, 0xa0b1c2d3e4f50001, "Installed", "Of a user", "nobody",
                         "1.0.0", "Apache-2.0")
GXF_EXT_FACTORY_SET_DISPLAY_INFO("Installed", "Test", "Of a user")
GXF_EXT_FACTORY_ADD(0x8f1d2b7a90c34e51, 0xa0b1c2d3e4f50002, installed::TensorTx,
                    nvidia::gxf::Codelet, "Sends tensors");
GXF_EXT_FACTORY_ADD(0x8f1d2b7a90c34e51, 0xa0b1c2d3e4f50003, installed::TensorRx,
                    nvidia::gxf::Codelet, "Receives tensors");
GXF_EXT_FACTORY_ADD_0(0x8f1d2b7a90c34e51, 0xa0b1c2d3e4f50004, installed::Number, "A number");
GXF_EXT_FACTORY_END()
}
