// A codelet in C++: the square of each int32_t it receives.
#include <cstdint>
#include <utility>

#include "gxf/std/codelet.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/transmitter.hpp"

namespace three_languages {

class Squares : public nvidia::gxf::Codelet {
 public:
  gxf_result_t registerInterface(nvidia::gxf::Registrar* registrar) override {
    nvidia::gxf::Expected<void> result;
    result &= registrar->parameter(number_, "number", "Number", "Receiver of the numbers.");
    result &= registrar->parameter(square_, "square", "Square", "Transmitter of the squares.");
    return nvidia::gxf::ToResultCode(result);
  }

  gxf_result_t tick() override {
    auto received = number_->receive();
    if (!received) { return nvidia::gxf::ToResultCode(received); }
    auto number = received->get<int32_t>("Integer");
    if (!number) { return nvidia::gxf::ToResultCode(number); }
    auto message = nvidia::gxf::Entity::New(context());
    if (!message) { return nvidia::gxf::ToResultCode(message); }
    auto square = message->add<int32_t>("square");
    if (!square) { return nvidia::gxf::ToResultCode(square); }
    *square.value() = *number.value() * *number.value();
    return nvidia::gxf::ToResultCode(square_->publish(message.value(), getExecutionTimestamp()));
  }

 private:
  nvidia::gxf::Parameter<nvidia::gxf::Handle<nvidia::gxf::Receiver>> number_;
  nvidia::gxf::Parameter<nvidia::gxf::Handle<nvidia::gxf::Transmitter>> square_;
};

}  // namespace three_languages

GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x5b0c5b6d0d7b4b61, 0x9a3f8a5a7f0d2c11, "ThreeLanguages", "Squares in C++", "",
                         "0.1.0", "Apache-2.0");
GXF_EXT_FACTORY_ADD(0x3d6c9f2f1e0a4d75, 0x8b8de1c05ab0f3a2, three_languages::Squares,
                    nvidia::gxf::Codelet, "Squares of the numbers it receives.");
GXF_EXT_FACTORY_END()
