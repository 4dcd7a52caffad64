/// Connects a transmitter to a receiver.
#ifndef NVIDIA_GXF_STD_CONNECTION_HPP_
#define NVIDIA_GXF_STD_CONNECTION_HPP_

#include "gxf/core/component.hpp"
#include "gxf/core/registrar.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/transmitter.hpp"

namespace nvidia {
namespace gxf {

/// A route from a transmitter to a receiver.
class Connection : public Component {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(source_, "source", "Source channel", "Where messages leave.");
    result &= registrar->parameter(target_, "target", "Target channel", "Where messages arrive.");
    return ToResultCode(result);
  }
  virtual Handle<Transmitter> source() const { return source_.get(); }
  virtual Handle<Receiver> target() const { return target_.get(); }
  Expected<void> setTransmitter(Handle<Transmitter> value) { return source_.set(std::move(value)); }
  Expected<void> setReceiver(Handle<Receiver> value) { return target_.set(std::move(value)); }

 private:
  Parameter<Handle<Transmitter>> source_;
  Parameter<Handle<Receiver>> target_;
};

namespace sdk __attribute__((visibility("hidden"))) {

class ConnectionProxy : public Connection {
 public:
  Expected<void> Connect() { return Success; }
  Handle<Transmitter> source() const override {
    return RemoteParameter<Handle<Transmitter>>(*this, "source")
        .value_or(Handle<Transmitter>::Null());
  }
  Handle<Receiver> target() const override {
    return RemoteParameter<Handle<Receiver>>(*this, "target").value_or(Handle<Receiver>::Null());
  }
};
template <>
struct Proxy<Connection> : ProxyOf<ConnectionProxy> {};

}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_CONNECTION_HPP_
