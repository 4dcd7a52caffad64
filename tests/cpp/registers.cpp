// Codelets that fill and change the memory of registers, and say so.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "gxf/std/allocator.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/device_queue.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/transmitter.hpp"

namespace gxe {
namespace test {
namespace cpp {

using nvidia::gxf::Entity;
using nvidia::gxf::Handle;
using nvidia::gxf::Parameter;
using nvidia::gxf::Registrar;
using nvidia::gxf::Tensor;

// Publishes tensors that it fills with its number of ticks, in memory of its pool.
class Fill : public nvidia::gxf::Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    nvidia::gxf::Expected<void> result;
    result &= registrar->parameter(output_, "output");
    result &= registrar->parameter(pool_, "pool");
    return nvidia::gxf::ToResultCode(result);
  }

  gxf_result_t start() override {
    number_ = 0;
    return GXF_SUCCESS;
  }

  gxf_result_t tick() override {
    auto message = Entity::New(context());
    if (!message) { return nvidia::gxf::ToResultCode(message); }
    auto tensor = message.value().add<Tensor>("tensor");
    if (!tensor) { return nvidia::gxf::ToResultCode(tensor); }
    const auto size = static_cast<int32_t>(pool_->block_size());
    const auto shaped = tensor.value()->reshape<uint8_t>(
        nvidia::gxf::Shape{size}, nvidia::gxf::MemoryStorageType::kSystem, pool_);
    if (!shaped) { return nvidia::gxf::ToResultCode(shaped); }
    std::memset(tensor.value()->pointer(), ++number_, size);
    return nvidia::gxf::ToResultCode(output_->publish(std::move(message.value())));
  }

 private:
  Parameter<Handle<nvidia::gxf::Transmitter>> output_;
  Parameter<Handle<nvidia::gxf::Allocator>> pool_;
  uint8_t number_ = 0;
};

// Adds one to every byte of what it finds in its allocator, and publishes that.
class Grow : public nvidia::gxf::Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    nvidia::gxf::Expected<void> result;
    result &= registrar->parameter(output_, "output");
    result &= registrar->parameter(pool_, "pool");
    return nvidia::gxf::ToResultCode(result);
  }

  gxf_result_t tick() override {
    auto message = Entity::New(context());
    if (!message) { return nvidia::gxf::ToResultCode(message); }
    auto tensor = message.value().add<Tensor>("tensor");
    if (!tensor) { return nvidia::gxf::ToResultCode(tensor); }
    const auto size = static_cast<int32_t>(pool_->block_size());
    const auto shaped = tensor.value()->reshape<uint8_t>(
        nvidia::gxf::Shape{size}, nvidia::gxf::MemoryStorageType::kSystem, pool_);
    if (!shaped) { return nvidia::gxf::ToResultCode(shaped); }
    uint8_t* const bytes = tensor.value()->pointer();
    std::for_each(bytes, bytes + size, [](uint8_t& byte) { ++byte; });
    return nvidia::gxf::ToResultCode(output_->publish(std::move(message.value())));
  }

 private:
  Parameter<Handle<nvidia::gxf::Transmitter>> output_;
  Parameter<Handle<nvidia::gxf::Allocator>> pool_;
};

// Adds one to every byte of the tensors that it passes on.
class Change : public nvidia::gxf::Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    nvidia::gxf::Expected<void> result;
    result &= registrar->parameter(input_, "input");
    result &= registrar->parameter(output_, "output");
    return nvidia::gxf::ToResultCode(result);
  }

  gxf_result_t tick() override {
    auto message = input_->receive();
    if (!message) { return nvidia::gxf::ToResultCode(message); }
    auto tensor = message.value().get<Tensor>("tensor");
    if (!tensor) { return nvidia::gxf::ToResultCode(tensor); }
    uint8_t* const bytes = tensor.value()->pointer();
    std::for_each(bytes, bytes + tensor.value()->size(), [](uint8_t& byte) { ++byte; });
    return nvidia::gxf::ToResultCode(output_->publish(std::move(message.value())));
  }

 private:
  Parameter<Handle<nvidia::gxf::Receiver>> input_;
  Parameter<Handle<nvidia::gxf::Transmitter>> output_;
};

// A queue of a device that does not exist.
class Dsp : public nvidia::gxf::Component, public gxe::DeviceQueue {
 public:
  gxf_result_t registerInterface(Registrar*) override { return GXF_SUCCESS; }
  std::string device() const override { return "dsp"; }
  nvidia::gxf::Expected<void> begin_thread() override {
    GXF_LOG_INFO("a thread for %s", name());
    return nvidia::gxf::Success;
  }
};

}  // namespace cpp
}  // namespace test
}  // namespace gxe

GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x62d8a4f01c3b4e95, 0xb7f0c9152e6a3d84, "RegistersInCpp",
                         "Fills and changes the memory of registers", "gxe", "0.1.0",
                         "Apache-2.0");
GXF_EXT_FACTORY_ADD(0x3a5c7e9012f44b68, 0x8d1f6e0b4c29a573, gxe::test::cpp::Fill,
                    nvidia::gxf::Codelet, "Fills memory that it is given");
GXE_EXT_FACTORY_SET_FLAGS(gxe::test::cpp::Fill, GXE_TYPE_PUBLISHES_INTO);
GXF_EXT_FACTORY_ADD(0xbe952614ab4855ba, 0xc0dabb9cc307cbdf, gxe::test::cpp::Grow,
                    nvidia::gxf::Codelet, "Changes memory that keeps its value");
GXE_EXT_FACTORY_SET_FLAGS(gxe::test::cpp::Grow, GXE_TYPE_PUBLISHES_INTO);
GXF_EXT_FACTORY_ADD(0x71b0d5e6384a4c2f, 0x90e3a7c4d85b1f62, gxe::test::cpp::Change,
                    nvidia::gxf::Codelet, "Changes memory in place");
GXE_EXT_FACTORY_SET_FLAGS(gxe::test::cpp::Change, GXE_TYPE_IN_PLACE);
GXF_EXT_FACTORY_ADD(0x4e8a2c5f90d74b13, 0xa61c7f3e5b08d924, gxe::test::cpp::Dsp,
                    nvidia::gxf::Component, "Has a thread for its users");
GXF_EXT_FACTORY_END()
