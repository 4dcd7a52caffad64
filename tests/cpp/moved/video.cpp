// Frames and tensors as vision extensions handle them: every colour format, planes with padding,
// memory with a foreign owner, tensors made of frames and frames made of tensors.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/byte.hpp"
#include "common/span.hpp"
#include "gxf/multimedia/camera.hpp"
#include "gxf/multimedia/video.hpp"
#include "gxf/std/allocator.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/memory_buffer.hpp"
#include "gxf/std/parameter_parser_std.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/timestamp.hpp"
#include "gxf/std/transmitter.hpp"
#include "gxf/std/unbounded_allocator.hpp"

namespace vision {

using nvidia::byte;
using nvidia::gxf::Allocator;
using nvidia::gxf::CameraModel;
using nvidia::gxf::ColorPlane;
using nvidia::gxf::Entity;
using nvidia::gxf::Expected;
using nvidia::gxf::Handle;
using nvidia::gxf::MemoryStorageType;
using nvidia::gxf::Parameter;
using nvidia::gxf::PrimitiveType;
using nvidia::gxf::Registrar;
using nvidia::gxf::Shape;
using nvidia::gxf::Success;
using nvidia::gxf::SurfaceLayout;
using nvidia::gxf::Tensor;
using nvidia::gxf::TensorDescription;
using nvidia::gxf::ToResultCode;
using nvidia::gxf::Unexpected;
using nvidia::gxf::VideoBuffer;
using nvidia::gxf::VideoBufferInfo;
using nvidia::gxf::VideoFormat;
using nvidia::gxf::VideoFormatSize;
using nvidia::gxf::VideoTypeTraits;

constexpr uint32_t kWidth = 36;
constexpr uint32_t kHeight = 8;

// What a format takes without gaps between its rows.
struct FormatFact {
  const char* name;
  size_t planes;
  uint64_t bytes;
};

template <VideoFormat C>
Expected<FormatFact> Measure(Handle<Allocator> pool, bool padded) {
  VideoBuffer buffer;
  auto resized = buffer.resize<C>(kWidth, kHeight, SurfaceLayout::GXF_SURFACE_LAYOUT_PITCH_LINEAR,
                                  MemoryStorageType::kSystem, pool, padded);
  if (!resized) { return nvidia::gxf::ForwardError(resized); }
  const VideoBufferInfo info = buffer.video_frame_info();
  VideoFormatSize<C> format_size;
  const auto planes = format_size.getDefaultColorPlanes(kWidth, kHeight, padded);
  const uint64_t size = format_size.size(kWidth, kHeight, padded);
  if (info.color_format != C || planes.size() != info.color_planes.size() ||
      size != buffer.size()) {
    return Unexpected{GXF_INVALID_DATA_FORMAT};
  }
  // Planes lie one behind the other and hold what they say.
  uint64_t end = 0;
  for (const ColorPlane& plane : info.color_planes) {
    if (plane.offset != end || plane.size < uint64_t{plane.stride} * plane.height) {
      return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE};
    }
    if (plane.stride < plane.width * plane.bytes_per_pixel ||
        (padded && plane.stride % nvidia::gxf::kGxfAlignValue != 0)) {
      return Unexpected{GXF_ARGUMENT_INVALID};
    }
    std::memset(buffer.pointer() + plane.offset, 1, plane.size);
    end += plane.size;
  }
  if (end != buffer.size()) { return Unexpected{GXF_OUT_OF_MEMORY}; }
  return FormatFact{VideoTypeTraits<C>::name, planes.size(), size};
}

// Publishes a frame in a format the file names, with the camera it is from.
class Source : public nvidia::gxf::Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(output_, "output", "Output", "");
    result &= registrar->parameter(pool_, "pool", "Pool", "");
    return ToResultCode(result);
  }
  gxf_result_t start() override {
    uint64_t total = 0;
    for (const bool padded : {false, true}) {
      for (const auto& fact :
           {Measure<VideoFormat::GXF_VIDEO_FORMAT_YUV420>(pool_, padded),
            Measure<VideoFormat::GXF_VIDEO_FORMAT_YUV420_709_ER>(pool_, padded),
            Measure<VideoFormat::GXF_VIDEO_FORMAT_NV12>(pool_, padded),
            Measure<VideoFormat::GXF_VIDEO_FORMAT_NV24_ER>(pool_, padded),
            Measure<VideoFormat::GXF_VIDEO_FORMAT_RGBA>(pool_, padded),
            Measure<VideoFormat::GXF_VIDEO_FORMAT_BGR>(pool_, padded),
            Measure<VideoFormat::GXF_VIDEO_FORMAT_RGB16>(pool_, padded),
            Measure<VideoFormat::GXF_VIDEO_FORMAT_BGR32>(pool_, padded),
            Measure<VideoFormat::GXF_VIDEO_FORMAT_R8_G8_B8>(pool_, padded),
            Measure<VideoFormat::GXF_VIDEO_FORMAT_R32_G32_B32_D32>(pool_, padded),
            Measure<VideoFormat::GXF_VIDEO_FORMAT_RGBD16>(pool_, padded),
            Measure<VideoFormat::GXF_VIDEO_FORMAT_GRAY16>(pool_, padded),
            Measure<VideoFormat::GXF_VIDEO_FORMAT_GRAY32F>(pool_, padded),
            Measure<VideoFormat::GXF_VIDEO_FORMAT_D64F>(pool_, padded),
            Measure<VideoFormat::GXF_VIDEO_FORMAT_RAW16_GRBG>(pool_, padded)}) {
        if (!fact) { return ToResultCode(fact); }
        total += fact->bytes;
        GXF_LOG_DEBUG("%s: %zu planes, %lu bytes", fact->name, fact->planes, fact->bytes);
      }
    }
    GXF_LOG_INFO("formats take %lu bytes", total);
    return GXF_SUCCESS;
  }
  gxf_result_t tick() override {
    auto message = Entity::New(context());
    if (!message) { return ToResultCode(message); }
    auto video = message->add<VideoBuffer>("left");
    auto camera = message->add<CameraModel>("intrinsics");
    if (!video || !camera) { return GXF_FAILURE; }
    auto model = camera.value();
    model->dimensions = {kWidth, kHeight};
    model->focal_length = {20.0f, 20.0f};
    model->distortion_type = nvidia::gxf::DistortionType::Brown;
    for (float& coefficient : model->distortion_coefficients) { coefficient = 0.25f; }
    // Memory of our own with rows as long as a camera's driver makes them.
    const uint32_t stride = 128;
    ColorPlane plane("RGB", 3, stride);
    plane.width = kWidth;
    plane.height = kHeight;
    plane.size = stride * kHeight;
    const VideoBufferInfo info{kWidth, kHeight, VideoFormat::GXF_VIDEO_FORMAT_RGB, {plane},
                               SurfaceLayout::GXF_SURFACE_LAYOUT_PITCH_LINEAR};
    auto memory = std::make_shared<std::vector<byte>>(plane.size);
    std::iota(memory->begin(), memory->end(), byte{0});
    lent_++;
    const auto wrapped = video.value()->wrapMemory(
        info, memory->size(), MemoryStorageType::kSystem, memory->data(),
        [memory, this](void* pointer) -> Expected<void> {
          if (pointer != memory->data()) { return Unexpected{GXF_ARGUMENT_INVALID}; }
          lent_--;
          return Success;
        });
    if (!wrapped) { return wrapped.error(); }
    return ToResultCode(output_->publish(*message, getExecutionTimestamp()));
  }
  gxf_result_t deinitialize() override {
    GXF_LOG_INFO("%d frames are still lent", lent_.load());
    return GXF_SUCCESS;
  }

 private:
  Parameter<Handle<nvidia::gxf::Transmitter>> output_;
  Parameter<Handle<Allocator>> pool_;
  std::atomic<int> lent_{0};
};

// Turns frames into tensors: planar floats for a network, and the frame's own bytes.
class Preprocessor : public nvidia::gxf::Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(input_, "input", "Input", "");
    result &= registrar->parameter(output_, "output", "Output", "");
    result &= registrar->parameter(pool_, "pool", "Pool", "");
    result &= registrar->parameter(scale_, "scale", "Scale", "Of each channel",
                                   std::vector<float>{1.0f, 1.0f, 1.0f});
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    auto received = input_->receive();
    if (!received) { return ToResultCode(received); }
    Handle<VideoBuffer> frame;
    Handle<CameraModel> camera;
    Expected<void> found = received->get<VideoBuffer>().assign_to(frame);
    found &= received->get<CameraModel>("intrinsics").assign_to(camera);
    if (!found) {
      GXF_LOG_ERROR("message without frame or camera: %s", GxfResultStr(found.error()));
      return ToResultCode(found);
    }
    const auto info = frame->video_frame_info();
    if (info.width != camera->dimensions.x || info.height != camera->dimensions.y ||
        camera->distortion_coefficients[7] != 0.25f) {
      return GXF_PARAMETER_OUT_OF_RANGE;
    }
    const auto width = static_cast<int32_t>(info.width);
    const auto height = static_cast<int32_t>(info.height);
    const auto rows = nvidia::gxf::CreateTensorMap(
        context(), pool_,
        {{"rows", MemoryStorageType::kSystem, Shape{2, 3}, PrimitiveType::kFloat32, 4,
          Tensor::stride_array_t{64, 8}},
         {"plain", MemoryStorageType::kSystem, Shape{2, 3}, PrimitiveType::kFloat32, 4}});
    if (!rows || rows->get<Tensor>("rows").value()->stride(0) != 64 ||
        rows->get<Tensor>("plain").value()->stride(0) != 12) {
      return GXF_FAILURE;
    }
    auto output = nvidia::gxf::CreateTensorMap(
        context(), pool_,
        {{"planar", MemoryStorageType::kSystem, Shape{1, 3, height, width},
          PrimitiveType::kFloat32, sizeof(float)},
         {"half", MemoryStorageType::kHost, Shape{height, width}, PrimitiveType::kFloat16, 2}});
    if (!output) { return ToResultCode(output); }
    auto planar = output->get<Tensor>("planar");
    if (!planar) { return ToResultCode(planar); }
    auto data = planar.value()->data<float>();
    if (!data || planar.value()->data<double>()) { return GXF_FAILURE; }
    const uint64_t row_step = planar.value()->stride(2) / sizeof(float);
    const uint64_t channel_step = planar.value()->stride(1) / sizeof(float);
    const ColorPlane& plane = info.color_planes[0];
    for (uint32_t row = 0; row < plane.height; row++) {
      const byte* pixel = frame->pointer() + plane.offset + row * plane.stride;
      for (uint32_t column = 0; column < plane.width; column++) {
        for (uint32_t channel = 0; channel < 3; channel++) {
          data.value()[channel * channel_step + row * row_step + column] =
              static_cast<float>(*pixel++) * scale_.get()[channel];
        }
      }
    }

    // The frame's own memory, in rows with gaps, goes on as a tensor.
    auto packed = output->add<Tensor>("packed");
    if (!packed) { return ToResultCode(packed); }
    auto moved = frame->moveToTensor(packed.value());
    if (!moved) { return ToResultCode(moved); }
    if (packed.value()->shape() != Shape{height, width, 3} || frame->pointer() != nullptr ||
        packed.value()->element_type() != PrimitiveType::kUnsigned8 ||
        packed.value()->stride(0) != plane.stride || packed.value()->isContiguous().value()) {
      GXF_LOG_ERROR("a tensor of rank %u with %lu bytes a row", packed.value()->rank(),
                    packed.value()->stride(0));
      return GXF_INVALID_DATA_FORMAT;
    }
    return ToResultCode(output_->publish(output.value(), getExecutionTimestamp()));
  }

 private:
  Parameter<Handle<nvidia::gxf::Receiver>> input_;
  Parameter<Handle<nvidia::gxf::Transmitter>> output_;
  Parameter<Handle<Allocator>> pool_;
  Parameter<std::vector<float>> scale_;
};

// Reads the tensors, makes frames and views of them, and hands one through DLPack.
class Postprocessor : public nvidia::gxf::Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(input_, "input", "Input", "");
    result &= registrar->parameter(names_, "names", "Names", "Of the tensors",
                                   std::vector<std::string>{"planar", "half", "packed"});
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    auto message = input_->receive();
    if (!message) { return ToResultCode(message); }
    uint64_t bytes = 0;
    for (const auto& name : names_.get()) {
      auto tensor = message->get<Tensor>(name.c_str());
      if (!tensor) {
        GXF_LOG_ERROR("no tensor %s", name.c_str());
        return ToResultCode(tensor);
      }
      bytes += tensor.value()->bytes_size();
    }
    Handle<Tensor> planar = message->get<Tensor>("planar").value();
    const TensorDescription description{planar.name(), planar->storage_type(), planar->shape(),
                                        planar->element_type(), planar->bytes_per_element()};
    const Tensor& constant = *planar;
    const float* first = constant.data<float>().value();

    // One channel as a frame, which keeps the tensor's message alive.
    VideoBuffer channel;
    VideoFormatSize<VideoFormat::GXF_VIDEO_FORMAT_GRAY32F> format;
    std::array<ColorPlane, 1> planes{ColorPlane("gray", 4, kWidth * 4)};
    const uint64_t size = format.size(kWidth, kHeight, planes, false);
    const VideoBufferInfo info{kWidth, kHeight, VideoFormat::GXF_VIDEO_FORMAT_GRAY32F,
                               std::vector<ColorPlane>{planes.begin(), planes.end()},
                               SurfaceLayout::GXF_SURFACE_LAYOUT_PITCH_LINEAR};
    auto wrapped = channel.wrapMemory(info, size, MemoryStorageType::kSystem, planar->pointer(),
                                      [owner = message.value()](void*) { return Success; });
    if (!wrapped) { return ToResultCode(wrapped); }
    nvidia::Span<const float> row(reinterpret_cast<const float*>(channel.pointer()), kWidth);

    // A view of it through DLPack, with its axes in another order.
    auto exported = planar->toDLPack();
    if (!exported) { return ToResultCode(exported); }
    Tensor view;
    auto imported = view.fromDLPack(exported.value());
    if (!imported) { return ToResultCode(imported); }
    auto permuted = view.permute({0, 2, 3, 1});
    if (!permuted) { return ToResultCode(permuted); }
    if (view.shape() != Shape{1, kHeight, kWidth, 3} || view.stride(3) != planar->stride(1) ||
        view.pointer() != planar->pointer()) {
      return GXF_FAILURE;
    }

    // A tensor of bytes that becomes a frame.
    auto pool = Tensor{};
    std::vector<byte> bytes_of_frame(kWidth * kHeight * 4, byte{9});
    auto filled = pool.wrapMemory(Shape{kHeight, kWidth, 4}, PrimitiveType::kUnsigned8, 1,
                                  Unexpected{GXF_UNINITIALIZED_VALUE}, MemoryStorageType::kSystem,
                                  bytes_of_frame.data(), nullptr);
    auto made = message->add<Tensor>("frame");
    if (!filled || !made) { return GXF_FAILURE; }
    *made.value() = std::move(pool);
    VideoBuffer frame;
    auto created = frame.createFromTensor<VideoFormat::GXF_VIDEO_FORMAT_RGBA>(
        made.value(), SurfaceLayout::GXF_SURFACE_LAYOUT_PITCH_LINEAR, false);
    if (!created) { return ToResultCode(created); }
    const auto frame_info = frame.video_frame_info();
    if (frame_info.width != kWidth || frame.pointer()[0] != 9) { return GXF_INVALID_DATA_FORMAT; }

    nvidia::gxf::MemoryBuffer moved = made.value()->move_buffer();
    if (moved.size() != 0 && moved.pointer() != nullptr) { GXF_LOG_DEBUG("the tensor kept it"); }
    if (isFirstTick()) {
      GXF_LOG_INFO("%s: %lu bytes, %u dimensions, pixel %.0f, row %zu ends with %.0f",
                   description.name.c_str(), bytes, description.shape.rank(), first[1], row.size(),
                   row.last(1).value()[0].value());
    }
    return GXF_SUCCESS;
  }

 private:
  Parameter<Handle<nvidia::gxf::Receiver>> input_;
  Parameter<std::vector<std::string>> names_;
};

}  // namespace vision

extern "C" {
GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x1f2e3d4c5b6a7988, 0x8899aabbccddee01, "VisionExtension", "Frames", "gxe",
                         "1.0.0", "Apache-2.0")
GXF_EXT_FACTORY_ADD(0x1f2e3d4c5b6a7988, 0x8899aabbccddee02, vision::Source, nvidia::gxf::Codelet,
                    "Publishes frames")
GXF_EXT_FACTORY_ADD(0x1f2e3d4c5b6a7988, 0x8899aabbccddee03, vision::Preprocessor,
                    nvidia::gxf::Codelet, "Makes tensors")
GXF_EXT_FACTORY_ADD(0x1f2e3d4c5b6a7988, 0x8899aabbccddee04, vision::Postprocessor,
                    nvidia::gxf::Codelet, "Reads tensors")
GXF_EXT_FACTORY_END()
}
