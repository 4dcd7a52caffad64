/// Video frames.
#ifndef NVIDIA_GXF_MULTIMEDIA_VIDEO_HPP_
#define NVIDIA_GXF_MULTIMEDIA_VIDEO_HPP_

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gxf/std/memory_buffer.hpp"
#include "gxf/std/tensor.hpp"

namespace nvidia {
namespace gxf {

/// Default alignment of rows in bytes.
constexpr uint16_t kGxfAlignValue = 256;

namespace detail {

inline uint64_t AlignStride(uint64_t stride) {
  return (stride + kGxfAlignValue - 1) / kGxfAlignValue * kGxfAlignValue;
}
/// As `ComputeStrides`, of any width.
inline uint64_t StrideOf(bool stride_align, uint64_t width, uint32_t bytes_per_pixel,
                         uint32_t stride) {
  if (stride != 0) { return stride; }
  const uint64_t row = width * bytes_per_pixel;
  return stride_align ? AlignStride(row) : row;
}
/// The number, or the largest one of 32 bits.
inline uint32_t In32Bits(uint64_t number) {
  return static_cast<uint32_t>(number < UINT32_MAX ? number : UINT32_MAX);
}

}  // namespace detail

/// The next multiple of `kGxfAlignValue`; `UINT32_MAX` for more than that.
inline uint32_t StrideAlign(uint32_t stride) {
  return detail::In32Bits(detail::AlignStride(stride));
}
/// Bytes from a row to the next; a `stride` above 0 is used unchanged. `UINT32_MAX` for more than
/// that.
inline uint32_t ComputeStrides(bool stride_align, uint32_t width, uint32_t bytes_per_pixel,
                               uint32_t stride) {
  return detail::In32Bits(detail::StrideOf(stride_align, width, bytes_per_pixel, stride));
}
/// The next even number.
inline uint32_t AlignToEvenDimension(uint32_t value) {
  return value + (value & 1u);
}

/// Arrangement of a frame's pixels. `ER`: full value range. `709`: ITU-R BT.709.
enum class VideoFormat : int64_t {
  GXF_VIDEO_FORMAT_CUSTOM = 0,
  GXF_VIDEO_FORMAT_YUV420 = 1,
  GXF_VIDEO_FORMAT_YUV420_ER = 2,
  GXF_VIDEO_FORMAT_YUV420_709 = 3,
  GXF_VIDEO_FORMAT_YUV420_709_ER = 4,
  GXF_VIDEO_FORMAT_NV12 = 5,
  GXF_VIDEO_FORMAT_NV12_ER = 6,
  GXF_VIDEO_FORMAT_NV12_709 = 7,
  GXF_VIDEO_FORMAT_NV12_709_ER = 8,
  GXF_VIDEO_FORMAT_RGBA = 9,
  GXF_VIDEO_FORMAT_BGRA = 10,
  GXF_VIDEO_FORMAT_ARGB = 11,
  GXF_VIDEO_FORMAT_ABGR = 12,
  GXF_VIDEO_FORMAT_RGBX = 13,
  GXF_VIDEO_FORMAT_BGRX = 14,
  GXF_VIDEO_FORMAT_XRGB = 15,
  GXF_VIDEO_FORMAT_XBGR = 16,
  GXF_VIDEO_FORMAT_RGB = 17,
  GXF_VIDEO_FORMAT_BGR = 18,
  GXF_VIDEO_FORMAT_R8_G8_B8 = 19,
  GXF_VIDEO_FORMAT_B8_G8_R8 = 20,
  GXF_VIDEO_FORMAT_GRAY = 21,
  GXF_VIDEO_FORMAT_GRAY16 = 22,
  GXF_VIDEO_FORMAT_GRAY32 = 23,
  GXF_VIDEO_FORMAT_GRAY32F = 24,
  GXF_VIDEO_FORMAT_RGB16 = 25,
  GXF_VIDEO_FORMAT_BGR16 = 26,
  GXF_VIDEO_FORMAT_RGB32 = 27,
  GXF_VIDEO_FORMAT_BGR32 = 28,
  GXF_VIDEO_FORMAT_R16_G16_B16 = 29,
  GXF_VIDEO_FORMAT_B16_G16_R16 = 30,
  GXF_VIDEO_FORMAT_R32_G32_B32 = 31,
  GXF_VIDEO_FORMAT_B32_G32_R32 = 32,
  GXF_VIDEO_FORMAT_NV24 = 33,
  GXF_VIDEO_FORMAT_NV24_ER = 34,
  GXF_VIDEO_FORMAT_R8_G8_B8_D8 = 35,
  GXF_VIDEO_FORMAT_R16_G16_B16_D16 = 36,
  GXF_VIDEO_FORMAT_R32_G32_B32_D32 = 37,
  GXF_VIDEO_FORMAT_RGBD8 = 38,
  GXF_VIDEO_FORMAT_RGBD16 = 39,
  GXF_VIDEO_FORMAT_RGBD32 = 40,
  GXF_VIDEO_FORMAT_D32F = 41,
  GXF_VIDEO_FORMAT_D64F = 42,
  GXF_VIDEO_FORMAT_RAW16_RGGB = 43,
  GXF_VIDEO_FORMAT_RAW16_BGGR = 44,
  GXF_VIDEO_FORMAT_RAW16_GRBG = 45,
  GXF_VIDEO_FORMAT_RAW16_GBRG = 46,
};

/// Name and number of a format.
template <VideoFormat T>
struct VideoTypeTraits;

#define GXF_VIDEO_TYPE_TRAITS(ENUM)                               \
  template <>                                                     \
  struct VideoTypeTraits<VideoFormat::ENUM> {                     \
    static constexpr const char* name = #ENUM;                    \
    static constexpr VideoFormat value = VideoFormat::ENUM;       \
  };

GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_CUSTOM)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_YUV420)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_YUV420_ER)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_YUV420_709)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_YUV420_709_ER)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_NV12)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_NV12_ER)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_NV12_709)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_NV12_709_ER)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_RGBA)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_BGRA)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_ARGB)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_ABGR)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_RGBX)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_BGRX)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_XRGB)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_XBGR)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_RGB)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_BGR)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_R8_G8_B8)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_B8_G8_R8)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_GRAY)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_GRAY16)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_GRAY32)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_GRAY32F)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_RGB16)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_BGR16)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_RGB32)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_BGR32)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_R16_G16_B16)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_B16_G16_R16)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_R32_G32_B32)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_B32_G32_R32)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_NV24)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_NV24_ER)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_R8_G8_B8_D8)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_R16_G16_B16_D16)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_R32_G32_B32_D32)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_RGBD8)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_RGBD16)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_RGBD32)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_D32F)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_D64F)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_RAW16_RGGB)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_RAW16_BGGR)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_RAW16_GRBG)
GXF_VIDEO_TYPE_TRAITS(GXF_VIDEO_FORMAT_RAW16_GBRG)

/// Order of a frame's rows in memory.
enum class SurfaceLayout : int32_t {
  GXF_SURFACE_LAYOUT_INVALID = 0,
  GXF_SURFACE_LAYOUT_PITCH_LINEAR = 1,
  GXF_SURFACE_LAYOUT_BLOCK_LINEAR = 2,
};

/// One plane of a frame.
struct ColorPlane {
  std::string color_space;
  uint8_t bytes_per_pixel = 0;
  uint32_t stride = 0;
  /// Bytes from the frame's first byte.
  uint32_t offset = 0;
  uint32_t width = 0;
  uint32_t height = 0;
  uint64_t size = 0;

  ColorPlane() = default;
  ColorPlane(const char* c_space, uint8_t c_depth, uint32_t c_stride = 0)
      : color_space(c_space), bytes_per_pixel(c_depth), stride(c_stride) {}
  ColorPlane(const std::string& c_space, uint8_t c_depth, uint32_t c_stride = 0)
      : color_space(c_space), bytes_per_pixel(c_depth), stride(c_stride) {}
};

/// Description of a frame.
struct VideoBufferInfo {
  uint32_t width;
  uint32_t height;
  VideoFormat color_format;
  std::vector<ColorPlane> color_planes;
  SurfaceLayout surface_layout;
};

namespace detail {

/// A plane of a format.
struct PlaneForm {
  const char* color_space;
  uint8_t bytes_per_pixel;
  /// Half as wide and high as the frame.
  bool is_half;
};
struct VideoForm {
  VideoFormat format;
  PrimitiveType element_type;
  uint32_t plane_count;
  PlaneForm planes[GXE_MAX_COLOR_PLANES];
};

inline constexpr VideoForm kVideoForms[] = {
    {VideoFormat::GXF_VIDEO_FORMAT_YUV420,
     PrimitiveType::kUnsigned8,
     3,
     {{"Y", 1, false}, {"U", 1, true}, {"V", 1, true}}},
    {VideoFormat::GXF_VIDEO_FORMAT_YUV420_ER,
     PrimitiveType::kUnsigned8,
     3,
     {{"Y", 1, false}, {"U", 1, true}, {"V", 1, true}}},
    {VideoFormat::GXF_VIDEO_FORMAT_YUV420_709,
     PrimitiveType::kUnsigned8,
     3,
     {{"Y", 1, false}, {"U", 1, true}, {"V", 1, true}}},
    {VideoFormat::GXF_VIDEO_FORMAT_YUV420_709_ER,
     PrimitiveType::kUnsigned8,
     3,
     {{"Y", 1, false}, {"U", 1, true}, {"V", 1, true}}},
    {VideoFormat::GXF_VIDEO_FORMAT_NV12,
     PrimitiveType::kUnsigned8,
     2,
     {{"Y", 1, false}, {"UV", 2, true}}},
    {VideoFormat::GXF_VIDEO_FORMAT_NV12_ER,
     PrimitiveType::kUnsigned8,
     2,
     {{"Y", 1, false}, {"UV", 2, true}}},
    {VideoFormat::GXF_VIDEO_FORMAT_NV12_709,
     PrimitiveType::kUnsigned8,
     2,
     {{"Y", 1, false}, {"UV", 2, true}}},
    {VideoFormat::GXF_VIDEO_FORMAT_NV12_709_ER,
     PrimitiveType::kUnsigned8,
     2,
     {{"Y", 1, false}, {"UV", 2, true}}},
    {VideoFormat::GXF_VIDEO_FORMAT_RGBA,
     PrimitiveType::kUnsigned8,
     1,
     {{"RGBA", 4, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_BGRA,
     PrimitiveType::kUnsigned8,
     1,
     {{"BGRA", 4, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_ARGB,
     PrimitiveType::kUnsigned8,
     1,
     {{"ARGB", 4, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_ABGR,
     PrimitiveType::kUnsigned8,
     1,
     {{"ABGR", 4, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_RGBX,
     PrimitiveType::kUnsigned8,
     1,
     {{"RGBX", 4, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_BGRX,
     PrimitiveType::kUnsigned8,
     1,
     {{"BGRX", 4, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_XRGB,
     PrimitiveType::kUnsigned8,
     1,
     {{"XRGB", 4, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_XBGR,
     PrimitiveType::kUnsigned8,
     1,
     {{"XBGR", 4, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_RGB,
     PrimitiveType::kUnsigned8,
     1,
     {{"RGB", 3, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_BGR,
     PrimitiveType::kUnsigned8,
     1,
     {{"BGR", 3, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_R8_G8_B8,
     PrimitiveType::kUnsigned8,
     3,
     {{"R", 1, false}, {"G", 1, false}, {"B", 1, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_B8_G8_R8,
     PrimitiveType::kUnsigned8,
     3,
     {{"B", 1, false}, {"G", 1, false}, {"R", 1, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_GRAY,
     PrimitiveType::kUnsigned8,
     1,
     {{"gray", 1, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_GRAY16,
     PrimitiveType::kUnsigned16,
     1,
     {{"gray", 2, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_GRAY32,
     PrimitiveType::kUnsigned32,
     1,
     {{"gray", 4, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_GRAY32F,
     PrimitiveType::kFloat32,
     1,
     {{"gray", 4, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_RGB16,
     PrimitiveType::kUnsigned16,
     1,
     {{"RGB", 6, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_BGR16,
     PrimitiveType::kUnsigned16,
     1,
     {{"BGR", 6, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_RGB32,
     PrimitiveType::kUnsigned32,
     1,
     {{"RGB", 12, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_BGR32,
     PrimitiveType::kUnsigned32,
     1,
     {{"BGR", 12, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_R16_G16_B16,
     PrimitiveType::kUnsigned16,
     3,
     {{"R", 2, false}, {"G", 2, false}, {"B", 2, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_B16_G16_R16,
     PrimitiveType::kUnsigned16,
     3,
     {{"B", 2, false}, {"G", 2, false}, {"R", 2, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_R32_G32_B32,
     PrimitiveType::kUnsigned32,
     3,
     {{"R", 4, false}, {"G", 4, false}, {"B", 4, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_B32_G32_R32,
     PrimitiveType::kUnsigned32,
     3,
     {{"B", 4, false}, {"G", 4, false}, {"R", 4, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_NV24,
     PrimitiveType::kUnsigned8,
     2,
     {{"Y", 1, false}, {"UV", 2, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_NV24_ER,
     PrimitiveType::kUnsigned8,
     2,
     {{"Y", 1, false}, {"UV", 2, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_R8_G8_B8_D8,
     PrimitiveType::kUnsigned8,
     4,
     {{"R", 1, false}, {"G", 1, false}, {"B", 1, false}, {"D", 1, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_R16_G16_B16_D16,
     PrimitiveType::kUnsigned16,
     4,
     {{"R", 2, false}, {"G", 2, false}, {"B", 2, false}, {"D", 2, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_R32_G32_B32_D32,
     PrimitiveType::kUnsigned32,
     4,
     {{"R", 4, false}, {"G", 4, false}, {"B", 4, false}, {"D", 4, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_RGBD8,
     PrimitiveType::kUnsigned8,
     1,
     {{"RGBD", 4, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_RGBD16,
     PrimitiveType::kUnsigned16,
     1,
     {{"RGBD", 8, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_RGBD32,
     PrimitiveType::kUnsigned32,
     1,
     {{"RGBD", 16, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_D32F,
     PrimitiveType::kFloat32,
     1,
     {{"D", 4, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_D64F,
     PrimitiveType::kFloat64,
     1,
     {{"D", 8, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_RAW16_RGGB,
     PrimitiveType::kUnsigned16,
     1,
     {{"Raw_RGGB", 8, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_RAW16_BGGR,
     PrimitiveType::kUnsigned16,
     1,
     {{"Raw_BGGR", 8, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_RAW16_GRBG,
     PrimitiveType::kUnsigned16,
     1,
     {{"Raw_GRBG", 8, false}}},
    {VideoFormat::GXF_VIDEO_FORMAT_RAW16_GBRG,
     PrimitiveType::kUnsigned16,
     1,
     {{"Raw_GBRG", 8, false}}},
};

constexpr size_t kVideoFormCount = sizeof(kVideoForms) / sizeof(kVideoForms[0]);

/// Position of a format in the table, or its length. A position and no pointer, since compilers
/// with sanitizers do not compare pointers in constant expressions.
constexpr size_t FindVideoFormIndex(VideoFormat format) {
  for (size_t i = 0; i < kVideoFormCount; i++) {
    if (kVideoForms[i].format == format) { return i; }
  }
  return kVideoFormCount;
}
inline const VideoForm* FindVideoForm(VideoFormat format) {
  const size_t index = FindVideoFormIndex(format);
  return index == kVideoFormCount ? nullptr : &kVideoForms[index];
}
constexpr size_t PlaneCount(VideoFormat format) {
  const size_t index = FindVideoFormIndex(format);
  return index == kVideoFormCount ? 0 : kVideoForms[index].plane_count;
}

}  // namespace detail

/// Size and planes of frames of a format.
template <VideoFormat T, typename Enabler = void>
struct VideoFormatSize {
  static_assert(detail::PlaneCount(T) > 0, "the planes of a custom format are its user's business");
  static constexpr size_t kPlaneCount = detail::PlaneCount(T);
  using Planes = std::array<ColorPlane, kPlaneCount>;

  /// The planes without sizes.
  static Planes defaultPlanes() {
    Planes planes;
    const detail::VideoForm& form = *detail::FindVideoForm(T);
    for (size_t i = 0; i < kPlaneCount; i++) {
      planes[i] = ColorPlane(form.planes[i].color_space, form.planes[i].bytes_per_pixel);
    }
    return planes;
  }
  Planes defaultRGB() const { return defaultPlanes(); }
  Planes defaultRGBA() const { return defaultPlanes(); }
  Planes defaultRGBD() const { return defaultPlanes(); }
  Planes defaultDepth() const { return defaultPlanes(); }
  Planes defaultGray() const { return defaultPlanes(); }
  Planes defaultBayerRaw16() const { return defaultPlanes(); }
  Planes default_yuv = defaultPlanes();

  /// Fills sizes, strides and offsets in; returns the bytes of the frame, or `UINT64_MAX` if one of
  /// these numbers is larger than its 32 bits.
  uint64_t fillColorPlanes(uint32_t width, uint32_t height, Planes& planes,
                           bool stride_align = true) const {
    const detail::VideoForm& form = *detail::FindVideoForm(T);
    bool has_half = false;
    for (size_t i = 0; i < kPlaneCount; i++) { has_half = has_half || form.planes[i].is_half; }
    const uint64_t odd = has_half ? 1 : 0;
    const uint64_t full_width = width + (width & odd);
    const uint64_t full_height = height + (height & odd);
    uint64_t offset = 0;
    bool fits = true;
    for (size_t i = 0; i < kPlaneCount; i++) {
      ColorPlane& plane = planes[i];
      const uint64_t part = form.planes[i].is_half ? 2 : 1;
      const uint64_t rows = full_height / part;
      const uint64_t stride = detail::StrideOf(stride_align, full_width / part,
                                               plane.bytes_per_pixel, plane.stride);
      for (const uint64_t number : {full_width, rows, stride, offset}) {
        fits = fits && number <= UINT32_MAX;
      }
      plane.width = detail::In32Bits(full_width / part);
      plane.height = detail::In32Bits(rows);
      plane.stride = detail::In32Bits(stride);
      plane.size = uint64_t{plane.stride} * plane.height;
      plane.offset = detail::In32Bits(offset);
      offset = plane.offset + plane.size;
    }
    return fits ? offset : UINT64_MAX;
  }
  uint64_t size(uint32_t width, uint32_t height, Planes& planes, bool stride_align = true) const {
    return fillColorPlanes(width, height, planes, stride_align);
  }
  uint64_t size(uint32_t width, uint32_t height, bool stride_align = true) const {
    Planes planes = defaultPlanes();
    return fillColorPlanes(width, height, planes, stride_align);
  }
  std::vector<ColorPlane> getDefaultColorPlanes(uint32_t width, uint32_t height,
                                                bool stride_align = true) const {
    Planes planes = defaultPlanes();
    fillColorPlanes(width, height, planes, stride_align);
    return std::vector<ColorPlane>(planes.begin(), planes.end());
  }
};

/// A video frame, in the layout every language of extensions sees.
class VideoBuffer {
 public:
  using release_function_t = MemoryBuffer::release_function_t;

  VideoBuffer() = default;
  VideoBuffer(const VideoBuffer&) = delete;
  VideoBuffer& operator=(const VideoBuffer&) = delete;
  VideoBuffer(VideoBuffer&& other) noexcept { *this = std::move(other); }
  VideoBuffer& operator=(VideoBuffer&& other) noexcept {
    if (this != &other) {
      info_ = std::exchange(other.info_, GxeVideoBufferInfo{});
      memory_ = std::move(other.memory_);
    }
    return *this;
  }

  /// New memory for a frame.
  template <VideoFormat C>
  Expected<void> resize(uint32_t width, uint32_t height, SurfaceLayout layout,
                        MemoryStorageType storage_type, Handle<Allocator> allocator,
                        bool stride_align = true) {
    if (width == 0 || height == 0) { return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE}; }
    const VideoFormatSize<C> format;
    auto planes = format.defaultPlanes();
    const uint64_t size = format.fillColorPlanes(width, height, planes, stride_align);
    if (size == UINT64_MAX) {
      sdk::Report("a frame of " + std::to_string(width) + " x " + std::to_string(height) +
                  " pixels is too large: strides and offsets of planes have 32 bits");
      return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE};
    }
    return resizeCustom(
        VideoBufferInfo{width, height, C, {planes.begin(), planes.end()}, layout}, size,
        storage_type, std::move(allocator));
  }
  Expected<void> resizeCustom(VideoBufferInfo buffer_info, uint64_t size,
                              MemoryStorageType storage_type, Handle<Allocator> allocator,
                              void* stream = nullptr) {
    (void)stream;
    const auto info = InfoOf(buffer_info);
    if (!info) { return ForwardError(info); }
    return Take(info.value(), memory_.resize(std::move(allocator), size, storage_type));
  }
  /// Wraps foreign memory.
  Expected<void> wrapMemory(VideoBufferInfo buffer_info, uint64_t size,
                            MemoryStorageType storage_type, void* pointer,
                            release_function_t release_func) {
    const auto info = InfoOf(buffer_info);
    if (!info) { return ForwardError(info); }
    return Take(info.value(),
                memory_.wrapMemory(pointer, size, storage_type, std::move(release_func)));
  }
  /// The frame as a tensor of height, width and channels, which takes the memory over. Only frames
  /// of one plane can be.
  Expected<void> moveToTensor(Handle<Tensor>& tensor) { return moveToTensor(tensor.get()); }
  Expected<void> moveToTensor(Tensor* tensor) {
    if (tensor == nullptr) { return Unexpected{GXF_ARGUMENT_NULL}; }
    if (memory_.pointer() == nullptr) { return Unexpected{GXF_UNINITIALIZED_VALUE}; }
    const auto format = static_cast<VideoFormat>(info_.color_format);
    const auto type = getPlanarPrimitiveType(format);
    if (!type || info_.plane_count != 1) { return Unexpected{GXF_INVALID_DATA_FORMAT}; }
    const GxeColorPlane& plane = info_.color_planes[0];
    // A tensor that refuses memory releases it.
    if (plane.height == 0 || plane.width == 0 ||
        uint64_t{plane.stride} * plane.height > memory_.size()) {
      return Unexpected{GXF_INVALID_DATA_FORMAT};
    }
    const uint64_t element = PrimitiveTypeSize(type.value());
    const auto channels = static_cast<int32_t>(plane.bytes_per_pixel / element);
    const Shape shape{static_cast<int32_t>(plane.height), static_cast<int32_t>(plane.width),
                      channels};
    const Tensor::stride_array_t strides = {plane.stride, plane.bytes_per_pixel, element};
    const auto moved =
        tensor->wrapMemoryBuffer(shape, type.value(), element, strides, std::move(memory_));
    if (moved) { info_ = GxeVideoBufferInfo{}; }
    return moved;
  }
  /// A frame that takes ownership of the memory of a tensor of height, width and channels.
  template <VideoFormat C>
  Expected<void> createFromTensor(Handle<Tensor>& tensor, SurfaceLayout layout,
                                  bool stride_align = true) {
    if (!tensor || tensor->rank() < 2) { return Unexpected{GXF_INVALID_DATA_FORMAT}; }
    const auto height = static_cast<uint32_t>(tensor->shape().dimension(0));
    const auto width = static_cast<uint32_t>(tensor->shape().dimension(1));
    const VideoFormatSize<C> format;
    const auto type = getPlanarPrimitiveType(C);
    if (!type || type.value() != tensor->element_type() ||
        format.size(width, height, stride_align) != tensor->size()) {
      return Unexpected{GXF_INVALID_DATA_FORMAT};
    }
    const auto info = InfoOf(VideoBufferInfo{
        width, height, C, format.getDefaultColorPlanes(width, height, stride_align), layout});
    if (!info) { return ForwardError(info); }
    memory_ = tensor->move_buffer();
    return Take(info.value(), Success);
  }

  VideoBufferInfo video_frame_info() const {
    VideoBufferInfo info{info_.width, info_.height, static_cast<VideoFormat>(info_.color_format),
                         {}, static_cast<SurfaceLayout>(info_.surface_layout)};
    for (uint32_t i = 0; i < info_.plane_count && i < GXE_MAX_COLOR_PLANES; i++) {
      const GxeColorPlane& plane = info_.color_planes[i];
      ColorPlane ours(plane.color_space, plane.bytes_per_pixel, plane.stride);
      ours.offset = plane.offset;
      ours.width = plane.width;
      ours.height = plane.height;
      ours.size = plane.size;
      info.color_planes.push_back(std::move(ours));
    }
    return info;
  }
  MemoryStorageType storage_type() const { return memory_.storage_type(); }
  uint64_t size() const { return memory_.size(); }
  byte* pointer() const { return memory_.pointer(); }
  MemoryBuffer& memory_buffer() { return memory_; }

  /// Type of the elements of a format's planes.
  static Expected<PrimitiveType> getPlanarPrimitiveType(VideoFormat format) {
    const detail::VideoForm* form = detail::FindVideoForm(format);
    if (form == nullptr) { return Unexpected{GXF_INVALID_DATA_FORMAT}; }
    return form->element_type;
  }

 private:
  static Expected<GxeVideoBufferInfo> InfoOf(const VideoBufferInfo& info) {
    if (info.color_planes.size() > GXE_MAX_COLOR_PLANES) {
      return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE};
    }
    GxeVideoBufferInfo abi{};
    abi.width = info.width;
    abi.height = info.height;
    abi.color_format = static_cast<GxeVideoFormat>(info.color_format);
    abi.plane_count = static_cast<uint32_t>(info.color_planes.size());
    abi.surface_layout = static_cast<GxeSurfaceLayout>(info.surface_layout);
    for (size_t i = 0; i < info.color_planes.size(); i++) {
      const ColorPlane& ours = info.color_planes[i];
      GxeColorPlane& plane = abi.color_planes[i];
      if (ours.color_space.size() >= sizeof(plane.color_space)) {
        return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE};
      }
      std::memcpy(plane.color_space, ours.color_space.c_str(), ours.color_space.size());
      plane.size = ours.size;
      plane.stride = ours.stride;
      plane.offset = ours.offset;
      plane.width = ours.width;
      plane.height = ours.height;
      plane.bytes_per_pixel = ours.bytes_per_pixel;
    }
    return abi;
  }
  Expected<void> Take(const GxeVideoBufferInfo& info, Expected<void> changed) {
    return detail::TakeDescription(info_, memory_, info, std::move(changed));
  }

  GxeVideoBufferInfo info_{};
  MemoryBuffer memory_;
};

static_assert(sizeof(VideoBuffer) == sizeof(GxeVideoBuffer), "messages share this layout");

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_MULTIMEDIA_VIDEO_HPP_
