/// Marks for profilers. Without NVTX on the machine they have a type of their own and go nowhere.
#ifndef NVIDIA_COMMON_NVTX_HELPER_HPP_
#define NVIDIA_COMMON_NVTX_HELPER_HPP_

#include "gxf/sdk/requirements.hpp"

#include <cstdint>
#include <string>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#elif __has_include(<nvToolsExt.h>)
#include <nvToolsExt.h>
#else
#define NVTX_VERSION 3

/// How the color of a mark is given.
typedef enum nvtxColorType_t {
  NVTX_COLOR_UNKNOWN = 0,
  NVTX_COLOR_ARGB = 1,
} nvtxColorType_t;
/// Which member of the message of a mark is set.
typedef enum nvtxMessageType_t {
  NVTX_MESSAGE_UNKNOWN = 0,
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
} nvtxMessageType_t;
/// Which member of the payload of a mark is set.
typedef enum nvtxPayloadType_t {
  NVTX_PAYLOAD_UNKNOWN = 0,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3,
} nvtxPayloadType_t;

/// A mark on the time line of a profiler.
typedef struct nvtxEventAttributes_t {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t colorType;
  /// 0xAARRGGBB
  uint32_t color;
  int32_t payloadType;
  int32_t reserved0;
  union {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
  } payload;
  int32_t messageType;
  union {
    const char* ascii;
    const wchar_t* unicode;
  } message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE (static_cast<uint16_t>(sizeof(nvtxEventAttributes_t)))

typedef uint64_t nvtxRangeId_t;
inline void nvtxMarkEx(const nvtxEventAttributes_t*) {}
inline void nvtxMarkA(const char*) {}
inline int nvtxRangePushEx(const nvtxEventAttributes_t*) { return 0; }
inline int nvtxRangePushA(const char*) { return 0; }
inline int nvtxRangePop() { return 0; }
inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t*) { return 0; }
inline nvtxRangeId_t nvtxRangeStartA(const char*) { return 0; }
inline void nvtxRangeEnd(nvtxRangeId_t) {}
#endif

namespace nvidia {
namespace detail {

/// The message must live as long as the mark.
inline nvtxEventAttributes_t ColoredEvent(const std::string& message, uint32_t category,
                                          uint32_t color) {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.colorType = NVTX_COLOR_ARGB;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
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
