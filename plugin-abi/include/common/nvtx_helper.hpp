/// Marks for profilers. Without NVTX on the machine they have a type of their own and go nowhere.
#ifndef NVIDIA_COMMON_NVTX_HELPER_HPP_
#define NVIDIA_COMMON_NVTX_HELPER_HPP_

#include <cstdint>
#include <string>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#else
/// A mark on the time line of a profiler.
struct nvtxEventAttributes_t {
  uint32_t category;
  /// 0xAARRGGBB
  uint32_t color;
  struct {
    const char* ascii;
  } message;
};
#endif

namespace nvidia {
namespace detail {

/// The message must live as long as the mark.
inline nvtxEventAttributes_t ColoredEvent(const std::string& message, uint32_t category,
                                          uint32_t color) {
  nvtxEventAttributes_t event{};
#if __has_include(<nvtx3/nvToolsExt.h>)
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.colorType = NVTX_COLOR_ARGB;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
#endif
  event.category = category;
  event.color = color;
  event.message.ascii = message.c_str();
  return event;
}

}  // namespace detail
}  // namespace nvidia

inline nvtxEventAttributes_t CreateGreenEvent(const std::string& message, uint32_t category) {
  return nvidia::detail::ColoredEvent(message, category, 0xff00ff00);
}
inline nvtxEventAttributes_t CreateRedEvent(const std::string& message, uint32_t category) {
  return nvidia::detail::ColoredEvent(message, category, 0xffff0000);
}
inline nvtxEventAttributes_t CreateBlueEvent(const std::string& message, uint32_t category) {
  return nvidia::detail::ColoredEvent(message, category, 0xff0000ff);
}
inline nvtxEventAttributes_t CreateBlackEvent(const std::string& message, uint32_t category) {
  return nvidia::detail::ColoredEvent(message, category, 0xff000000);
}

#endif  // NVIDIA_COMMON_NVTX_HELPER_HPP_
