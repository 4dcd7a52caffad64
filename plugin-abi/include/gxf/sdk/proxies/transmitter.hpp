/// Proxies for foreign transmitters.
#ifndef GXF_SDK_PROXIES_TRANSMITTER_HPP_
#define GXF_SDK_PROXIES_TRANSMITTER_HPP_

#include "gxf/sdk/announce.hpp"
#include "gxf/sdk/proxies/queue.hpp"
#include "gxf/std/transmitter.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename Base>
class TransmitterProxy : public QueueProxy<Base> {
 public:
  Expected<void> Connect() {
    auto connected = QueueProxy<Base>::Connect();
    connected &= transmitter_.Connect(this->context(), this->cid(), GXE_TID_TRANSMITTER);
    if (!connected) { return connected; }
    direct_ = {transmitter_.object(), &transmitter_.table()};
    this->direct_transmitter_ = &direct_;
    return Success;
  }

  gxf_result_t publish_abi(gxf_uid_t uid) override {
    const auto message = MessageOf(this->context(), uid);
    if (!message) { return message.error(); }
    return ToGxf(transmitter_.table().publish_as_is(transmitter_.object(), message.value()));
  }
  size_t back_size_abi() override {
    return this->queue_.table().back_count(this->queue_.object());
  }
  gxf_result_t sync_abi() override {
    return ToGxf(this->queue_.table().sync(this->queue_.object()));
  }
  gxf_result_t sync_io_abi() override {
    const auto function = transmitter_.table().sync_io;
    return function == nullptr ? GXF_NOT_IMPLEMENTED : ToGxf(function(transmitter_.object()));
  }

 private:
  Link<GxeTransmitterVtable> transmitter_;
  typename Base::DirectTransmitter direct_{};
};
template <>
struct Proxy<Transmitter> : ProxyOf<TransmitterProxy<Transmitter>> {};
inline const Announced<Transmitter> kTransmitterAnnounced;

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_TRANSMITTER_HPP_
