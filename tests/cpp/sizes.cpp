// Shapes and frames that are larger than any memory, what a refused call leaves, and memory that
// comes from DLPack.
#include <cstdint>
#include <utility>

#include "gxf/multimedia/audio.hpp"
#include "gxf/multimedia/video.hpp"
#include "gxf/std/allocator.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/timestamp.hpp"

namespace sizes {

using namespace nvidia::gxf;

#define CHECK(CONDITION) \
  if (!(CONDITION)) { GXF_LOG_ERROR("line %d: %s is false", __LINE__, #CONDITION); }

constexpr auto kSystem = MemoryStorageType::kSystem;
constexpr auto kLinear = SurfaceLayout::GXF_SURFACE_LAYOUT_PITCH_LINEAR;
constexpr auto kRgba = VideoFormat::GXF_VIDEO_FORMAT_RGBA;
constexpr auto kYuv = VideoFormat::GXF_VIDEO_FORMAT_YUV420;
const Unexpected kNoStrides{GXF_UNINITIALIZED_VALUE};

class Sizes : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(pool_, "pool");
    result &= registrar->parameter(block_, "block");
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    TooLarge();
    Refused();
    FromDLPack();
    Stamps();
    GXF_LOG_INFO("all checked");
    // The text of a refusal.
    Tensor tensor;
    return ToResultCode(tensor.reshape<float>(Shape{65536, 65536, 65536, 65536}, kSystem, pool_));
  }

 private:
  void TooLarge() {
    Tensor tensor;
    const Shape huge{65536, 65536, 65536, 65536};
    CHECK(huge.size() == UINT64_MAX);
    CHECK(tensor.reshape<float>(huge, kSystem, pool_).error() == GXF_ARGUMENT_OUT_OF_RANGE);
    CHECK(!tensor.reshape<uint8_t>(Shape{1, 65536, 65536, 65536, 65536}, kSystem, pool_));
    CHECK(!tensor.wrapMemory(Shape{3, 1}, PrimitiveType::kUnsigned8, 1,
                             Tensor::stride_array_t{UINT64_MAX / 2 + 1, 1}, kSystem, this, nullptr));
    // Elements of more than 4 GiB.
    const uint64_t element = (uint64_t{1} << 32) + 8;
    CHECK(tensor.wrapMemory(Shape{2, 2}, PrimitiveType::kCustom, element, kNoStrides, kSystem, this,
                            nullptr));
    CHECK(tensor.size() == 4 * element && tensor.stride(0) == 2 * element);

    VideoBuffer frame;
    for (const bool align : {false, true}) {
      CHECK(frame.resize<kRgba>(1u << 30, 4, kLinear, kSystem, pool_, align).error() ==
            GXF_ARGUMENT_OUT_OF_RANGE);
      CHECK(!frame.resize<kRgba>(UINT32_MAX, 2, kLinear, kSystem, pool_, align));
      CHECK(!frame.resize<kYuv>(UINT32_MAX, 2, kLinear, kSystem, pool_, align));
      CHECK(!frame.resize<kYuv>(2, UINT32_MAX, kLinear, kSystem, pool_, align));
      CHECK(!frame.resize<kYuv>(1u << 20, 1u << 20, kLinear, kSystem, pool_, align));
    }
    CHECK(frame.size() == 0);
    CHECK(ComputeStrides(true, 1u << 30, 4, 0) == UINT32_MAX && StrideAlign(UINT32_MAX) == UINT32_MAX);
    CHECK(ComputeStrides(true, 3, 4, 0) == 256 && StrideAlign(257) == 512);
  }

  void Refused() {
    Tensor tensor;
    CHECK(tensor.reshape<uint8_t>(Shape{2, 2}, kSystem, pool_));
    MemoryBuffer small;
    CHECK(small.resize(pool_, 4, kSystem));
    CHECK(tensor.wrapMemoryBuffer(Shape{100, 100}, PrimitiveType::kFloat32, 4, kNoStrides,
                                  std::move(small)).error() == GXF_ARGUMENT_OUT_OF_RANGE);
    CHECK(!tensor.reshape<float>(Shape{9}, kSystem, Handle<Allocator>::Null()));
    CHECK(tensor.shape() == Shape({2, 2}) && tensor.size() == 4 && tensor.data<uint8_t>());
    // The old memory is gone before the allocator refuses.
    CHECK(!tensor.reshape<float>(Shape{1000}, kSystem, block_));
    CHECK(tensor.rank() == 0 && tensor.pointer() == nullptr && !tensor.data<float>());

    VideoBuffer frame;
    CHECK(frame.resize<kRgba>(4, 4, kLinear, kSystem, pool_));
    CHECK(!frame.resize<kRgba>(400, 400, kLinear, kSystem, block_));
    CHECK(frame.video_frame_info().width == 0 && frame.size() == 0);
    CHECK(frame.resize<kRgba>(4, 4, kLinear, kSystem, pool_, false));
    VideoBufferInfo info = frame.video_frame_info();
    CHECK(frame.resizeCustom(info, 63, kSystem, pool_));
    CHECK(!frame.moveToTensor(&tensor) && frame.size() == 63);

    AudioBuffer sound;
    constexpr auto kInterleaved = AudioLayout::GXF_AUDIO_LAYOUT_INTERLEAVED;
    constexpr auto kFloat = AudioFormat::GXF_AUDIO_FORMAT_F32LE;
    CHECK(sound.resize<kFloat>(2, 100, 48000, kInterleaved, kSystem, pool_));
    CHECK(!sound.resize<kFloat>(2, 1000, 48000, kInterleaved, kSystem, block_));
    CHECK(sound.audio_buffer_info().samples == 0 && sound.size() == 0);
  }

  void FromDLPack() {
    static float values[15];
    int64_t shape[] = {3, 5};
    int64_t strides[] = {1, 3};
    DLManagedTensor given{};
    given.dl_tensor = {values, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, strides, 0};
    const auto size = [&](int64_t outer, int64_t inner) -> size_t {
      strides[0] = outer;
      strides[1] = inner;
      Tensor tensor;
      const auto taken = tensor.fromDLPack(&given);
      return taken ? tensor.size() : SIZE_MAX;
    };
    CHECK(size(1, 3) == 60);
    CHECK(size(5, 1) == 60);
    CHECK(size(0, 1) == 20);
    // Three columns of five: the last row ends with its third.
    shape[1] = 3;
    CHECK(size(5, 1) == 52);
    CHECK(size(INT64_MAX, 1) == SIZE_MAX);

    Tensor wrapped;
    CHECK(wrapped.wrapMemory(Shape{3, 5}, PrimitiveType::kFloat32, 4, Tensor::stride_array_t{4, 12},
                             kSystem, values, nullptr));
    CHECK(wrapped.size() == 60);
    // Without CUDA, host memory is ordinary memory.
    Tensor host;
    CHECK(host.wrapMemory(Shape{3}, PrimitiveType::kFloat32, 4, kNoStrides, MemoryStorageType::kHost,
                          values, nullptr));
    CHECK(host.device()->device_type == kDLCPU);
  }

  void Stamps() {
    MultiSourceTimestamp measured;
    CHECK(measured.push_back({Timestamp{1, 2}, TimeDomainID::PTP}));
    MultiSourceTimestamp stamps;
    CHECK(stamps.push_back({Timestamp{3, 4}, TimeDomainID::NTP}));
    CHECK(stamps.push_back({Timestamp{5, 6}, TimeDomainID::TSC}));
    stamps = measured;
    CHECK(stamps.size() == 1 && getTimestamp(stamps, TimeDomainID::PTP)->acqtime == 2);
    stamps = MultiSourceTimestamp();
    CHECK(stamps.empty());
  }

  Parameter<Handle<Allocator>> pool_;
  Parameter<Handle<Allocator>> block_;
};

}  // namespace sizes

GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x51235, 1, "Sizes", "Sizes of payloads", "gxe", "1.0.0", "Apache-2.0");
GXF_EXT_FACTORY_ADD(0x51235, 2, sizes::Sizes, nvidia::gxf::Codelet, "Checks sizes");
GXF_EXT_FACTORY_END()
