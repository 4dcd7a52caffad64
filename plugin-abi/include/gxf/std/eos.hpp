/// The end of a stream of messages.
#ifndef NVIDIA_GXF_STD_EOS_HPP_
#define NVIDIA_GXF_STD_EOS_HPP_

#include <cstdint>
#include <utility>

#include "gxf/core/entity.hpp"

namespace nvidia {
namespace gxf {

/// Marks the end of a stream: no more messages follow.
class EndOfStream {
 public:
  EndOfStream() = default;
  EndOfStream(const EndOfStream&) = delete;
  EndOfStream& operator=(const EndOfStream&) = delete;
  EndOfStream(EndOfStream&& other) noexcept : stream_id_(std::exchange(other.stream_id_, -1)) {}
  EndOfStream& operator=(EndOfStream&& other) noexcept {
    stream_id_ = std::exchange(other.stream_id_, -1);
    return *this;
  }

  /// Which stream; -1 for all.
  int64_t stream_id() const { return stream_id_; }
  void stream_id(int64_t id) { stream_id_ = id; }

  /// A message with an end-of-stream payload.
  static Expected<Entity> createEoSMessage(gxf_context_t context, int64_t stream_id = -1) {
    auto message = Entity::New(context);
    if (!message) { return message; }
    auto end = message->add<EndOfStream>();
    if (!end) { return ForwardError(end); }
    end.value()->stream_id(stream_id);
    return message;
  }

 private:
  int64_t stream_id_ = -1;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_EOS_HPP_
