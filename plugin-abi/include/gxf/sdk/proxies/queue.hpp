/// Proxies for foreign queues.
#ifndef GXF_SDK_PROXIES_QUEUE_HPP_
#define GXF_SDK_PROXIES_QUEUE_HPP_

#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/std/queue.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

/// The id of a message, after releasing its reference: readers of a queue that use ids hold none.
inline gxf_uid_t WithoutReference(GxeMessage* message) {
  const gxf_uid_t uid = Host().message_id(message);
  Host().message_release(message);
  return uid;
}

/// The id of a message; the caller owns its reference.
inline gxf_uid_t WithReference(GxeMessage* message) {
  return Host().message_id(message);
}

template <typename Base>
class QueueProxy : public Base {
 public:
  Expected<void> Connect() {
    const auto connected = queue_.Connect(this->context(), this->cid(), GXE_TID_QUEUE);
    if (!connected) { return connected; }
    direct_ = {queue_.object(), &queue_.table()};
    this->direct_queue_ = &direct_;
    return Success;
  }

  gxf_result_t pop_abi(gxf_uid_t* uid) override {
    GxeMessage* message = nullptr;
    const GxeResultCode code = queue_.table().pop(queue_.object(), &message);
    if (code == GxeResultCode_SUCCESS) { *uid = WithReference(message); }
    return ToGxf(code);
  }
  gxf_result_t push_abi(gxf_uid_t other) override {
    const auto message = MessageOf(this->context(), other);
    if (!message) { return message.error(); }
    return ToGxf(queue_.table().push(queue_.object(), message.value()));
  }
  gxf_result_t peek_abi(gxf_uid_t* uid, int32_t index) override {
    GxeMessage* message = nullptr;
    const GxeResultCode code = queue_.table().peek(queue_.object(), index, &message);
    if (code == GxeResultCode_SUCCESS) { *uid = WithoutReference(message); }
    return ToGxf(code);
  }
  size_t capacity_abi() override { return queue_.table().capacity(queue_.object()); }
  size_t size_abi() override { return queue_.table().message_count(queue_.object()); }

 protected:
  Link<GxeQueueVtable> queue_;

 private:
  typename Base::DirectQueue direct_{};
};
template <>
struct Proxy<Queue> : ProxyOf<QueueProxy<Queue>> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_QUEUE_HPP_
