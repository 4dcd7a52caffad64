/// The usual receiver.
#ifndef NVIDIA_GXF_STD_DOUBLE_BUFFER_RECEIVER_HPP_
#define NVIDIA_GXF_STD_DOUBLE_BUFFER_RECEIVER_HPP_

#include "gxf/sdk/announce.hpp"
#include "gxf/sdk/double_buffer_queue.hpp"
#include "gxf/std/receiver.hpp"

namespace nvidia {
namespace gxf {

/// The usual receiver: messages wait in a back stage until the graph moves them on.
class DoubleBufferReceiver : public detail::DoubleBufferQueue<Receiver> {
 public:
  gxf_result_t receive_abi(gxf_uid_t* uid) override {
    const gxf_result_t code = pop_abi(uid);
    return code == GXF_FAILURE ? GXF_CONTRACT_MESSAGE_NOT_AVAILABLE : code;
  }
  gxf_result_t peek_back_abi(gxf_uid_t* uid, int32_t index) override {
    return queue_ == nullptr ? GXF_FAILURE : Show(queue_->peek_backstage(Position(index)), uid);
  }
};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<DoubleBufferReceiver>
    : ProxyOf<DoubleBufferProxy<ReceiverProxy<DoubleBufferReceiver>>> {};
inline const Announced<DoubleBufferReceiver> kDoubleBufferReceiverAnnounced;
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_DOUBLE_BUFFER_RECEIVER_HPP_
