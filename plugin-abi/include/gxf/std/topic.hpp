/// Transmitters and receivers that find each other by name.
#ifndef NVIDIA_GXF_STD_TOPIC_HPP_
#define NVIDIA_GXF_STD_TOPIC_HPP_

#include <string>
#include <vector>

#include "gxf/core/component.hpp"
#include "gxf/core/registrar.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/transmitter.hpp"

namespace nvidia {
namespace gxf {

/// A name under which transmitters publish and receivers listen.
class Topic : public Component {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(topic_name_, "topic_name", "Topic name", "The name.");
    result &= registrar->parameter(transmitters_, "transmitters", "Transmitters",
                                   "Who publishes.", std::vector<Handle<Transmitter>>{});
    result &= registrar->parameter(receivers_, "receivers", "Receivers", "Who listens.",
                                   std::vector<Handle<Receiver>>{});
    return ToResultCode(result);
  }
  virtual std::string getTopicName() const { return topic_name_.get(); }
  virtual std::vector<Handle<Transmitter>> getTransmitters() const { return transmitters_.get(); }
  virtual std::vector<Handle<Receiver>> getReceivers() const { return receivers_.get(); }

 private:
  Parameter<std::string> topic_name_;
  Parameter<std::vector<Handle<Transmitter>>> transmitters_;
  Parameter<std::vector<Handle<Receiver>>> receivers_;
};

namespace sdk __attribute__((visibility("hidden"))) {

class TopicProxy : public Topic {
 public:
  Expected<void> Connect() { return Success; }
  std::string getTopicName() const override {
    return RemoteParameter<std::string>(*this, "topic_name").value_or(std::string{});
  }
  std::vector<Handle<Transmitter>> getTransmitters() const override {
    return RemoteParameter<std::vector<Handle<Transmitter>>>(*this, "transmitters")
        .value_or(std::vector<Handle<Transmitter>>{});
  }
  std::vector<Handle<Receiver>> getReceivers() const override {
    return RemoteParameter<std::vector<Handle<Receiver>>>(*this, "receivers")
        .value_or(std::vector<Handle<Receiver>>{});
  }
};
template <>
struct Proxy<Topic> : ProxyOf<TopicProxy> {};

}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_TOPIC_HPP_
