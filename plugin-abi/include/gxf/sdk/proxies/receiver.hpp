/// Proxies for foreign receivers.
#ifndef GXF_SDK_PROXIES_RECEIVER_HPP_
#define GXF_SDK_PROXIES_RECEIVER_HPP_

#include "gxf/sdk/announce.hpp"
#include "gxf/sdk/proxies/queue.hpp"
#include "gxf/std/receiver.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename Base>
class ReceiverProxy : public QueueProxy<Base> {
 public:
  Expected<void> Connect() {
    auto connected = QueueProxy<Base>::Connect();
    connected &= receiver_.Connect(this->context(), this->cid(), GXE_TID_RECEIVER);
    if (!connected) { return connected; }
    direct_ = {receiver_.object(), &receiver_.table()};
    this->direct_receiver_ = &direct_;
    return Success;
  }

  gxf_result_t receive_abi(gxf_uid_t* uid) override {
    GxeMessage* message = nullptr;
    const GxeResultCode code = receiver_.table().receive(receiver_.object(), &message);
    if (code == GxeResultCode_SUCCESS) { *uid = WithReference(message); }
    return ToGxf(code);
  }
  size_t back_size_abi() override {
    return this->queue_.table().back_count(this->queue_.object());
  }
  gxf_result_t peek_back_abi(gxf_uid_t* uid, int32_t index) override {
    GxeMessage* message = nullptr;
    const GxeResultCode code = receiver_.table().peek_back(receiver_.object(), index, &message);
    if (code == GxeResultCode_SUCCESS) { *uid = WithoutReference(message); }
    return ToGxf(code);
  }
  gxf_result_t sync_abi() override {
    return ToGxf(this->queue_.table().sync(this->queue_.object()));
  }
  gxf_result_t sync_io_abi() override {
    const auto function = receiver_.table().sync_io;
    return function == nullptr ? GXF_NOT_IMPLEMENTED : ToGxf(function(receiver_.object()));
  }
  gxf_result_t wait_abi() override {
    const auto function = receiver_.table().wait;
    return function == nullptr ? GXF_NOT_IMPLEMENTED : ToGxf(function(receiver_.object()));
  }

 private:
  Link<GxeReceiverVtable> receiver_;
  typename Base::DirectReceiver direct_{};
};
template <>
struct Proxy<Receiver> : ProxyOf<ReceiverProxy<Receiver>> {};
inline const Announced<Receiver> kReceiverAnnounced;

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_RECEIVER_HPP_
