/// Messages with an image and a description of the camera.
#ifndef NVIDIA_GXF_MESSAGES_CAMERA_MESSAGE_HPP_
#define NVIDIA_GXF_MESSAGES_CAMERA_MESSAGE_HPP_

#include <cstdint>
#include <type_traits>
#include <utility>

#include "gxf/core/entity.hpp"
#include "gxf/multimedia/camera.hpp"
#include "gxf/multimedia/video.hpp"
#include "gxf/std/allocator.hpp"
#include "gxf/std/timestamp.hpp"

namespace nvidia {
namespace gxf {

/// A message of a camera and its payloads.
struct CameraMessageParts {
  Entity message;
  /// The image.
  Handle<VideoBuffer> frame;
  /// The lens.
  Handle<CameraModel> intrinsics;
  /// Where the camera is.
  Handle<Pose3D> extrinsics;
  /// Number of the image.
  Handle<int64_t> sequence_number;
  Handle<Timestamp> timestamp;
};

namespace detail {

/// Fills in the payloads besides the message; `find` is given a handle's place.
template <typename F>
Expected<CameraMessageParts> CameraParts(Entity message, F&& find) {
  CameraMessageParts parts;
  parts.message = std::move(message);
  Expected<void> result;
  result &= find(parts.message, parts.frame, "frame");
  result &= find(parts.message, parts.intrinsics, "intrinsics");
  result &= find(parts.message, parts.extrinsics, "extrinsics");
  result &= find(parts.message, parts.sequence_number, "sequence_number");
  result &= find(parts.message, parts.timestamp, "timestamp");
  if (!result) { return ForwardError(result); }
  return parts;
}

template <typename T>
Expected<void> Store(Expected<Handle<T>> found, Handle<T>& place) {
  if (!found) { return ForwardError(found); }
  place = found.value();
  return Success;
}

inline Expected<CameraMessageParts> NewCameraParts(gxf_context_t context) {
  auto message = Entity::New(context);
  if (!message) { return ForwardError(message); }
  return CameraParts(std::move(message.value()), [](Entity& entity, auto& place, const char* name) {
    using Type = std::remove_reference_t<decltype(*place.get())>;
    return Store(entity.add<Type>(name), place);
  });
}

}  // namespace detail

/// A message with an image of this format, and empty payloads for the rest.
template <VideoFormat Format>
Expected<CameraMessageParts> CreateCameraMessage(gxf_context_t context, uint32_t width,
                                                 uint32_t height, SurfaceLayout layout,
                                                 MemoryStorageType storage_type,
                                                 Handle<Allocator> allocator,
                                                 bool stride_align = true) {
  auto parts = detail::NewCameraParts(context);
  if (!parts) { return parts; }
  const auto resized = parts->frame->resize<Format>(width, height, layout, storage_type,
                                                    std::move(allocator), stride_align);
  if (!resized) { return ForwardError(resized); }
  return parts;
}
/// A message with an image of any form.
inline Expected<CameraMessageParts> CreateCameraMessage(gxf_context_t context,
                                                        VideoBufferInfo buffer_info, uint64_t size,
                                                        MemoryStorageType storage_type,
                                                        Handle<Allocator> allocator) {
  auto parts = detail::NewCameraParts(context);
  if (!parts) { return parts; }
  const auto resized = parts->frame->resizeCustom(std::move(buffer_info), size, storage_type,
                                                  std::move(allocator));
  if (!resized) { return ForwardError(resized); }
  return parts;
}

/// The payloads of a message; `GXF_ENTITY_COMPONENT_NOT_FOUND` when one is missing.
inline Expected<CameraMessageParts> GetCameraMessage(const Entity& message) {
  return detail::CameraParts(message, [](Entity& entity, auto& place, const char* name) {
    using Type = std::remove_reference_t<decltype(*place.get())>;
    return detail::Store(entity.get<Type>(name), place);
  });
}

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_MESSAGES_CAMERA_MESSAGE_HPP_
