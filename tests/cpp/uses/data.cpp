// Uses of the headers of `gxf/serialization/`, `gxf/multimedia/` and `gxf/cuda/` as extensions write
// them. It is compiled, not run.
#include "gxf/cuda/cuda_common.hpp"
#include "gxf/cuda/cuda_event.hpp"
#include "gxf/cuda/cuda_stream.hpp"
#include "gxf/cuda/cuda_stream_id.hpp"
#include "gxf/cuda/cuda_stream_pool.hpp"
#include "gxf/messages/camera_message.hpp"
#include "gxf/multimedia/audio.hpp"
#include "gxf/multimedia/camera.hpp"
#include "gxf/multimedia/video.hpp"
#include "gxf/npp/nppi_mul_c.hpp"
#include "gxf/npp/nppi_set.hpp"
#include "gxf/serialization/component_serializer.hpp"
#include "gxf/serialization/endpoint.hpp"
#include "gxf/serialization/entity_recorder.hpp"
#include "gxf/serialization/entity_replayer.hpp"
#include "gxf/serialization/entity_serializer.hpp"
#include "gxf/serialization/file.hpp"
#include "gxf/serialization/file_stream.hpp"
#include "gxf/serialization/serialization_buffer.hpp"
#include "gxf/serialization/std_component_serializer.hpp"
#include "gxf/serialization/std_entity_id_serializer.hpp"
#include "gxf/serialization/std_entity_serializer.hpp"
#include "gxf/serialization/tid_hash.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/cuda_green_context.hpp"
#include "gxf/std/cuda_green_context_pool.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/timestamp.hpp"
#include "gxf/stream/stream_sync.hpp"
#include "gxf/stream/stream_sync_id.hpp"

#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

// An application may have formats of its own.
namespace nvidia {
namespace gxf {
namespace uses {

class Serializer : public ComponentSerializer {
 public:
  struct Header {
    uint64_t size;
    uint32_t kind;
  };
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(allocator_, "allocator", "Allocator", ""));
  }
  gxf_result_t initialize() override {
    return ToResultCode(ExpectedOrCode(ComponentSerializer::initialize())
                            .and_then([this] { return configure<int64_t>(); })
                            .and_then([this] { return configure<Tensor>(); })
                            .and_then([this] {
                              return setSerializer<Timestamp>(
                                  [this](void* component, Endpoint* endpoint) {
                                    return serializeTimestamp(
                                        *static_cast<Timestamp*>(component), endpoint);
                                  });
                            })
                            .and_then([this] {
                              return setDeserializer<Timestamp>(
                                  [this](void* component, Endpoint* endpoint) {
                                    return deserializeTimestamp(endpoint).assign_to(
                                        *static_cast<Timestamp*>(component));
                                  });
                            }));
  }

 private:
  template <typename T>
  Expected<void> configure() {
    const auto set = setSerializer<T>([](void* component, Endpoint* endpoint) -> Expected<size_t> {
      if (!component || !endpoint) { return Unexpected{GXF_ARGUMENT_NULL}; }
      Header header{sizeof(T), 1};
      auto size = endpoint->writeTrivialType<Header>(&header);
      if (!size) { return ForwardError(size); }
      return endpoint->write(component, sizeof(T)).map([&](size_t more) {
        return more + size.value();
      });
    });
    if (!set) { return ForwardError(set); }
    const gxf_tid_t tid{1, 2};
    const bool known = getSerializer(tid) && getDeserializer<T>() && getSerializer<T>();
    RETURN_IF_ERROR(clearSerializer<T>());
    RETURN_IF_ERROR(clearDeserializer(tid));
    return known ? Success : Unexpected{GXF_QUERY_NOT_FOUND};
  }
  Expected<size_t> serializeTimestamp(Timestamp timestamp, Endpoint* endpoint) {
    return endpoint->writeTrivialType<Timestamp>(&timestamp);
  }
  Expected<Timestamp> deserializeTimestamp(Endpoint* endpoint) {
    Timestamp timestamp;
    const auto size = endpoint->readTrivialType<Timestamp>(&timestamp);
    if (!size) { return ForwardError(size); }
    return timestamp;
  }

  Parameter<Handle<Allocator>> allocator_;
};

/// An endpoint that only counts.
class Counter : public Endpoint {
 public:
  gxf_result_t is_write_available_abi() override { return GXF_SUCCESS; }
  gxf_result_t is_read_available_abi() override { return GXF_FAILURE; }
  gxf_result_t write_abi(const void* data, size_t size, size_t* bytes_written) override {
    if (data == nullptr) { return GXF_ARGUMENT_NULL; }
    *bytes_written = size;
    return GXF_SUCCESS;
  }
  gxf_result_t read_abi(void*, size_t, size_t*) override { return GXF_NOT_IMPLEMENTED; }
  gxf_result_t write_ptr_abi(const void* pointer, size_t size, MemoryStorageType type) override {
    return pointer && size && type == MemoryStorageType::kHost ? GXF_SUCCESS : GXF_FAILURE;
  }
};

gxf_result_t Serialization(gxf_context_t context, Handle<EntitySerializer> entities,
                           Handle<ComponentSerializer> components,
                           Handle<SerializationBuffer> buffer, Handle<File> file,
                           Handle<Endpoint> endpoint, Handle<Allocator> allocator,
                           Entity message) {
  const auto size = entities->serializeEntity(message, endpoint.get());
  const auto same = entities->serializeEntity(message, endpoint);
  const auto in_file = entities->serializeEntity(message, file.get());
  RETURN_IF_ERROR(entities->deserializeEntity(message, buffer.get()));
  Expected<Entity> read = entities->deserializeEntity(context, buffer.get());
  for (auto handle : message.findAll().value()) {
    if (!components->isSupported(handle.value().tid())) { continue; }
    RETURN_IF_ERROR(components->serializeComponent(handle.value(), endpoint));
    RETURN_IF_ERROR(components->deserializeComponent(handle.value(), endpoint.get()));
  }
  Handle<Endpoint> as_endpoint = buffer;
  if (!endpoint->isWriteAvailable() || !endpoint->isReadAvailable()) { return GXF_FAILURE; }
  char text[4] = "abc";
  const Expected<size_t> written = endpoint->write(text, sizeof(text));
  const Expected<size_t> back = endpoint->read(text, sizeof(text));
  RETURN_IF_ERROR(endpoint->write_ptr(text, sizeof(text), MemoryStorageType::kSystem));
  uint64_t number = 0;
  RETURN_IF_ERROR(endpoint->writeTrivialType(&number));
  RETURN_IF_ERROR(endpoint->readTrivialType<uint64_t>(&number));

  buffer->reset();
  RETURN_IF_ERROR(buffer->resize(1024, MemoryStorageType::kHost));
  RETURN_IF_ERROR(buffer->resize(2048));
  RETURN_IF_ERROR(buffer->wrapMemory(text, sizeof(text), MemoryStorageType::kSystem,
                                     [](void*) { return Success; }));
  std::vector<byte> copy(buffer->data(), buffer->data() + buffer->size());
  if (buffer->capacity() < buffer->size() || buffer->storage_type() != MemoryStorageType::kSystem) {
    return GXF_FAILURE;
  }
  SerializationBuffer::release_function_t release;

  RETURN_IF_ERROR(file->open());
  RETURN_IF_ERROR(file->open("/tmp/file"));
  RETURN_IF_ERROR(file->open("/tmp/file", "wb+"));
  file->clear();
  RETURN_IF_ERROR(file->seek(0));
  RETURN_IF_ERROR(file->seek(-4, SEEK_END));
  const Expected<size_t> position = file->tell();
  RETURN_IF_ERROR(file->flush());
  RETURN_IF_ERROR(file->rename("/tmp/other"));
  RETURN_IF_ERROR(file->addTimestamp(7));
  RETURN_IF_ERROR(file->addTimestamp(7, true));
  RETURN_IF_ERROR(file->writeProtect());
  if (file->eof() || file->error() || !file->isOpen()) { return GXF_FAILURE; }
  const std::string path = std::string(file->path()) + file->mode();
  RETURN_IF_ERROR(file->close());

  FileStream stream("in", "out");
  FileStream empty;
  empty = std::move(stream);
  const std::string index_path = std::string("base") + FileStream::kIndexFileExtension +
                                 FileStream::kBinaryFileExtension;
  stream = FileStream("", index_path);
  RETURN_IF_ERROR(stream.open());
  EntityIndex index;
  index.log_time = 1;
  index.data_size = size.value();
  index.data_offset = stream.getWriteOffset().value();
  RETURN_IF_ERROR(stream.writeTrivialType(&index));
  RETURN_IF_ERROR(stream.setWriteOffset(0));
  RETURN_IF_ERROR(stream.setReadOffset(0));
  RETURN_IF_ERROR(stream.getReadOffset());
  stream.clear();
  RETURN_IF_ERROR(stream.flush());
  RETURN_IF_ERROR(stream.close());
  static_assert(sizeof(EntityIndex) == 24 && sizeof(StdEntitySerializer::EntityHeader) == 40 &&
                    sizeof(StdEntitySerializer::ComponentHeader) == 32 &&
                    sizeof(StdEntityIdSerializer::EntityHeader) == 16,
                "as they lie in recordings");
  std::unordered_map<gxf_tid_t, int, TidHash> by_type;
  by_type[Handle<EntitySerializer>(entities).tid()] = 1;
  return same && in_file && read && written && back && position && !path.empty() && !release &&
                 as_endpoint && allocator
             ? GXF_SUCCESS
             : GXF_FAILURE;
}

gxf_result_t Video(gxf_context_t context, Handle<Allocator> pool, Entity& message) {
  auto frame = message.add<VideoBuffer>("frame");
  if (!frame) { return ToResultCode(frame); }
  Handle<VideoBuffer> video = frame.value();
  constexpr auto surface_layout = SurfaceLayout::GXF_SURFACE_LAYOUT_PITCH_LINEAR;
  constexpr auto storage_type = MemoryStorageType::kHost;
  RETURN_IF_ERROR(video->resize<VideoFormat::GXF_VIDEO_FORMAT_RGB>(640, 480, surface_layout,
                                                                  storage_type, pool));
  RETURN_IF_ERROR(video->resize<VideoFormat::GXF_VIDEO_FORMAT_NV12>(
      640, 480, SurfaceLayout::GXF_SURFACE_LAYOUT_BLOCK_LINEAR, storage_type, pool, false));
  RETURN_IF_ERROR(video->resize<VideoFormat::GXF_VIDEO_FORMAT_YUV420>(640, 480, surface_layout,
                                                                     storage_type, pool));
  VideoFormatSize<VideoFormat::GXF_VIDEO_FORMAT_RGBA> rgba;
  VideoFormatSize<VideoFormat::GXF_VIDEO_FORMAT_NV12> nv12;
  const auto planes = rgba.getDefaultColorPlanes(640, 480);
  const auto tight = nv12.getDefaultColorPlanes(640, 480, false);
  const uint64_t size = rgba.size(640, 480) + nv12.size(640, 480, false);
  std::array<ColorPlane, 1> rgba_planes{ColorPlane("RGBA", 4, 640 * 4)};
  const uint64_t filled = rgba.fillColorPlanes(640, 480, rgba_planes);
  const uint64_t again = rgba.size(640, 480, rgba_planes, false);
  std::array<ColorPlane, 2> nv12_planes{ColorPlane("Y", 1, 640), ColorPlane("UV", 2, 640)};
  nv12.fillColorPlanes(640, 480, nv12_planes, false);
  VideoBufferInfo buffer_info{640, 480, VideoFormat::GXF_VIDEO_FORMAT_RGBA, planes,
                              surface_layout};
  RETURN_IF_ERROR(video->resizeCustom(buffer_info, size, storage_type, pool));
  std::vector<unsigned char> bytes(size);
  RETURN_IF_ERROR(video->wrapMemory(buffer_info, bytes.size(), MemoryStorageType::kSystem,
                                    bytes.data(), nullptr));
  RETURN_IF_ERROR(video->wrapMemory(buffer_info, bytes.size(), MemoryStorageType::kSystem,
                                    bytes.data(), [](void*) { return Success; }));
  const VideoBufferInfo info = video->video_frame_info();
  for (const ColorPlane& plane : info.color_planes) {
    if (plane.stride < plane.width * plane.bytes_per_pixel || plane.color_space.empty()) {
      return GXF_FAILURE;
    }
    std::memset(video->pointer() + plane.offset, 0, plane.size);
  }
  if (video->video_frame_info().width != 640 || info.color_format != buffer_info.color_format ||
      info.surface_layout != surface_layout || video->storage_type() != storage_type) {
    return GXF_FAILURE;
  }
  auto tensor = message.add<Tensor>("tensor");
  if (!tensor) { return tensor.error(); }
  RETURN_IF_ERROR(video->moveToTensor(tensor.value()));
  RETURN_IF_ERROR(video->moveToTensor(tensor.value().get()));
  RETURN_IF_ERROR(video->createFromTensor<VideoFormat::GXF_VIDEO_FORMAT_RGBA>(tensor.value(),
                                                                             surface_layout));
  const auto type = VideoBuffer::getPlanarPrimitiveType(VideoFormat::GXF_VIDEO_FORMAT_GRAY32F);
  const char* name = VideoTypeTraits<VideoFormat::GXF_VIDEO_FORMAT_RGB>::name;
  const uint32_t stride = StrideAlign(7) + ComputeStrides(true, 640, 3, 0) +
                          AlignToEvenDimension(7) + kGxfAlignValue;
  VideoBuffer moved = std::move(*video.get());
  return type && name && stride > filled + again && tight.size() == 2 && context &&
                 moved.size() > 0
             ? GXF_SUCCESS
             : GXF_FAILURE;
}

Expected<void> Streams(Tensor& tensor, VideoBuffer& video) {
  tensor.memory_buffer().setStream(nullptr);
  video.memory_buffer().setStream(nullptr);
  return tensor.memory_buffer().setDevice(video.memory_buffer().device());
}

gxf_result_t Cameras(gxf_context_t context, Handle<Allocator> pool, Entity& message) {
  auto camera = message.add<CameraModel>("intrinsics");
  auto pose = message.add<Pose3D>("extrinsics");
  if (!camera || !pose) { return GXF_FAILURE; }
  camera.value()->dimensions = {640u, 480u};
  camera.value()->focal_length = Vector2f{500.0f, 500.0f};
  camera.value()->principal_point.x = 320.0f;
  camera.value()->skew_value = 0.0f;
  camera.value()->distortion_type = DistortionType::Brown;
  camera.value()->distortion_coefficients[0] = 0.1f;
  for (int i = 0; i < CameraModel::kMaxDistortionCoefficients; i++) {
    camera.value()->distortion_coefficients[static_cast<size_t>(i)] = 0.0f;
  }
  std::memset(&camera.value()->distortion_coefficients[0], 0, sizeof(float) * 8);
  // As an array of C, which they once were.
  std::memset(camera.value()->distortion_coefficients, 0, sizeof(float) * 8);
  const std::array<float, 8> measured{0.5f, 0.25f};
  camera.value()->distortion_coefficients = measured;
  const float* first = camera.value()->distortion_coefficients;
  if (*first + first[1] != 0.75f) { return GXF_FAILURE; }
  pose.value()->rotation = {1.0f, 0, 0, 0, 1.0f, 0, 0, 0, 1.0f};
  pose.value()->translation[2] = 1.0f;
  CameraModelBase<double> precise{};
  precise.focal_length = Vector2d{1.0, 2.0};
  Vector2u pair{1, 2};
  Pose3DBase<double> far{};
  *camera.value() = CameraModel{};
  const CameraModel copy = *camera.value().get();

  auto audio = message.add<AudioBuffer>("audio");
  if (!audio) { return ToResultCode(audio); }
  RETURN_IF_ERROR(audio.value()->resize<AudioFormat::GXF_AUDIO_FORMAT_F32LE>(
      2, 480, 48000, AudioLayout::GXF_AUDIO_LAYOUT_INTERLEAVED, MemoryStorageType::kHost, pool));
  AudioBufferInfo info{2, 480, 48000, 4, AudioFormat::GXF_AUDIO_FORMAT_F32LE,
                       AudioLayout::GXF_AUDIO_LAYOUT_NON_INTERLEAVED};
  RETURN_IF_ERROR(audio.value()->resizeCustom(info, MemoryStorageType::kHost, pool));
  RETURN_IF_ERROR(audio.value()->wrapMemory(info, 1, MemoryStorageType::kHost, nullptr, nullptr));
  const auto stored = audio.value()->audio_buffer_info();
  static_assert(AudioTypeTraits<AudioFormat::GXF_AUDIO_FORMAT_S16LE>::width == 16, "bits");
  return copy.dimensions.x == pair.x && far.rotation[0] == precise.skew_value && context &&
                 stored.channels == 2 && audio.value()->size() > 0 && audio.value()->pointer()
             ? GXF_SUCCESS
             : GXF_FAILURE;
}

/// Tensors of one message, with and without strides of their own.
Expected<Entity> Tensors(gxf_context_t context, Handle<Allocator> pool) {
  const TensorDescription plain{"plain", MemoryStorageType::kSystem, Shape{2, 3},
                                PrimitiveType::kFloat32, 4};
  TensorDescription strided{"strided", MemoryStorageType::kSystem, Shape{2, 3},
                            PrimitiveType::kFloat32, 4, Tensor::stride_array_t{16, 4}};
  if (!strided.strides || plain.strides) { return Unexpected{GXF_FAILURE}; }
  strided.strides = ComputeTrivialStrides(strided.shape, 4);
  return CreateTensorMap(context, pool, {plain, strided}, false);
}

/// What follows a stream.
gxf_result_t Follow(Handle<CudaStream> stream, Handle<CudaEvent> event, Entity message,
                    cudaEvent_t raw) {
  if (!event->initWithEvent(raw, stream->dev_id())) { return GXF_FAILURE; }
  if (!event->initWithEvent(raw, 0, [](cudaEvent_t) {})) { return GXF_FAILURE; }
  if (!stream->record(event, message, [] {})) { return GXF_FAILURE; }
  if (!stream->record(raw, [](cudaEvent_t) {})) { return GXF_FAILURE; }
#if __has_include(<cuda_runtime.h>)
  CONTINUE_CUDA_ERROR(cudaEventQuery(raw), "event %d", 1);
  CHECK_CUDA_ERROR_RESULT(cudaEventSynchronize(raw), "no event");
#endif
  return GXF_SUCCESS;
}

/// What CPU extensions do with the names of CUDA.
class MaybeCuda : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(part_, "part", "Part", "", Registrar::NoDefaultParameter(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(parts_, "parts", "Parts", "", Registrar::NoDefaultParameter(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(pictures_, "pictures", "Pictures", "", Registrar::NoDefaultParameter(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(products_, "products", "Products", "", Registrar::NoDefaultParameter(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(order_, "order", "Order", "", Registrar::NoDefaultParameter(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(pool_, "stream_pool", "Pool", "",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    const auto maybe = pool_.try_get();
    if (!maybe) { return GXF_SUCCESS; }
    Handle<CudaStreamPool> pool = maybe.value();
    auto message = Entity::New(context());
    auto stream_id = message->add<CudaStreamId>("stream");
    stream_id.value()->stream_cid = pool.cid();
    const auto found = message->get<CudaStreamId>();
    return found ? GXF_SUCCESS : GXF_FAILURE;
  }

 private:
  Parameter<Handle<CudaStreamPool>> pool_;
  Parameter<Handle<CudaGreenContext>> part_;
  Parameter<Handle<CudaGreenContextPool>> parts_;
  Parameter<Handle<NppiSet>> pictures_;
  Parameter<Handle<NppiMulC>> products_;
  Parameter<Handle<StreamSync>> order_;
};

}  // namespace uses
}  // namespace gxf
}  // namespace nvidia
