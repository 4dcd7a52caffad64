/// A receiver that keeps the latest message only.
#ifndef NVIDIA_GXF_STD_ASYNC_BUFFER_RECEIVER_HPP_
#define NVIDIA_GXF_STD_ASYNC_BUFFER_RECEIVER_HPP_

#include "gxf/std/receiver.hpp"

namespace nvidia {
namespace gxf {

/// The host's receiver for the latest message. A handle to one leads there.
class AsyncBufferReceiver : public Receiver {
 public:
  /// Takes the latest message, as `receive_abi` does.
  gxf_result_t read_freshest(gxf_uid_t* uid) { return receive_abi(uid); }
};

namespace sdk __attribute__((visibility("hidden"))) {
template <>
struct Proxy<AsyncBufferReceiver> : ProxyOf<ReceiverProxy<AsyncBufferReceiver>> {};
}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_ASYNC_BUFFER_RECEIVER_HPP_
