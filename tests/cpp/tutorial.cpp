// The tutorial's extension: the code of GXF's documentation as it is printed there, completed with
// includes, namespaces and class headers only. docs/cpp-tutorial.md walks through it.
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "gxf/std/codelet.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/transmitter.hpp"

using namespace nvidia::gxf;

namespace sample {
namespace test {

class Test : public Codelet {
 public:
  gxf_result_t start() override { return GXF_SUCCESS; }
  gxf_result_t tick() override {
    // Do Something ...
    return GXF_SUCCESS;
  }
  gxf_result_t stop() override { return GXF_SUCCESS; }
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(some_parameter_, "Some Parameter");
    return ToResultCode(result);
  }
  Parameter<Handle<Receiver>> some_parameter_;
};

class HelloWorld : public Codelet {
 public:
  gxf_result_t start() override { return GXF_SUCCESS; }
  gxf_result_t tick() override {
    GXF_LOG_INFO("Hello World from GXF");
    return GXF_SUCCESS;
  }
  gxf_result_t stop() override { return GXF_SUCCESS; }
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(some_parameter_, "Some Parameter");
    return ToResultCode(result);
  }
  Parameter<Handle<Receiver>> some_parameter_;
};

class File : public Codelet {
 public:
  gxf_result_t initialize() {
    access_file_ = true;
    return GXF_SUCCESS;
  }
  gxf_result_t start() override {
    if (access_file_) {
      file_ = fopen("Some File Name", "Read or Write Mode");
      if (file_ == nullptr) {
        GXF_LOG_ERROR("%s", strerror(errno));
        return Unexpected{GXF_FAILURE};
      }
    }
    return GXF_SUCCESS;
  }
  gxf_result_t tick() override {
    // Do some file operation
    return GXF_SUCCESS;
  }
  gxf_result_t stop() override {
    const int result = fclose(file_);
    if (result != 0) {
      GXF_LOG_ERROR("%s", strerror(errno));
      return Unexpected{GXF_FAILURE};
    }
    file_ = nullptr;
    return GXF_SUCCESS;
  }
  gxf_result_t deinitialize() override {
    access_file_ = false;
    return GXF_SUCCESS;
  }
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(some_parameter_, "Some Parameter");
    // Not used here
    return ToResultCode(result);
  }
  Parameter<Handle<Receiver>> some_parameter_;
  bool access_file_{false};
  std::FILE* file_;
};

class PingTx : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(signal_, "signal", "Signal", "Where pings leave."));
  }
  gxf_result_t tick() override;

 private:
  Parameter<Handle<Transmitter>> signal_;
};

class PingRx : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(signal_, "signal", "Signal", "Where pings arrive."));
  }
  gxf_result_t tick() override;

 private:
  Parameter<Handle<Receiver>> signal_;
};

gxf_result_t PingTx::tick() {
  Expected<Entity> message = Entity::New(context());
  if (!message) {
    GXF_LOG_ERROR("Failure creating message entity.");
    return message.error();
  }
  auto int_value = message.value().add<int32_t>("Integer");
  auto value = int_value.value();
  *value = 9999;
  auto result = signal_->publish(message.value());
  GXF_LOG_INFO("Message Sent: int_value = %d", *value);
  return ToResultCode(message);
}

gxf_result_t PingRx::tick() {
  auto message = signal_->receive();
  if (!message || message.value().is_null()) {
    return GXF_CONTRACT_MESSAGE_NOT_AVAILABLE;
  }
  auto value = message.value();
  auto rx_value = message->findAll<int32_t>();
  GXF_LOG_INFO("Message Received: rx_value = %d", *(rx_value->at(0).value()));
  return GXF_SUCCESS;
}

}  // namespace test
}  // namespace sample

GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0xd8629d822909316d, 0xa9ee7410c8c1a7b6, "test",
"A Dummy Example", "", "1.0.0", "NVIDIA");
GXF_EXT_FACTORY_SET_DISPLAY_INFO("Dummy Extension", "Dummy", "GXF Dummy Extension");
GXF_EXT_FACTORY_ADD(0xd39d70014cab3ecf, 0xb397c9d200cf9e8d, sample::test::HelloWorld,
nvidia::gxf::Codelet, "Dummy example source codelet.");
GXF_EXT_FACTORY_ADD(0x5f0cfc5ab1a94c4e, 0x8d1e93f1b8a0c801, sample::test::Test,
nvidia::gxf::Codelet, "Does nothing.");
GXF_EXT_FACTORY_ADD(0x5f0cfc5ab1a94c4e, 0x8d1e93f1b8a0c802, sample::test::File,
nvidia::gxf::Codelet, "Opens a file.");
GXF_EXT_FACTORY_ADD(0x5f0cfc5ab1a94c4e, 0x8d1e93f1b8a0c803, sample::test::PingTx,
nvidia::gxf::Codelet, "Sends pings.");
GXF_EXT_FACTORY_ADD(0x5f0cfc5ab1a94c4e, 0x8d1e93f1b8a0c804, sample::test::PingRx,
nvidia::gxf::Codelet, "Receives pings.");
GXF_EXT_FACTORY_END()
