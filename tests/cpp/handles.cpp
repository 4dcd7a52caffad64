// Codelets as applications write them, around components of the host: a recorder with a file and a
// buffer, a composer of messages with several tensors, a source that works on a thread of its own,
// and parameters of types of its own.
#include <atomic>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gxf/core/parameter_parser_std.hpp"
#include "gxf/multimedia/video.hpp"
#include "gxf/serialization/entity_serializer.hpp"
#include "gxf/serialization/file.hpp"
#include "gxf/serialization/serialization_buffer.hpp"
#include "gxf/std/allocator.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/scheduling_term_combiner.hpp"
#include "gxf/std/scheduling_terms.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/timestamp.hpp"
#include "gxf/std/transmitter.hpp"

namespace handles {

struct Crop {
  int left = 0;
  int top = 0;
};

}  // namespace handles

namespace nvidia {
namespace gxf {

template <>
struct ParameterParser<handles::Crop> {
  static Expected<handles::Crop> Parse(gxf_context_t, gxf_uid_t, const char* key,
                                       const YAML::Node& node, const std::string&) {
    if (!node.IsMap() || !node["left"]) {
      GXF_LOG_ERROR("parameter %s is no crop", key);
      return Unexpected{GXF_PARAMETER_PARSER_ERROR};
    }
    return handles::Crop{node["left"].as<int>(), node["top"].as<int>(0)};
  }
};

template <>
struct ParameterParser<std::map<std::string, Handle<Receiver>>> {
  using Table = std::map<std::string, Handle<Receiver>>;
  static Expected<Table> Parse(gxf_context_t context, gxf_uid_t uid, const char* key,
                               const YAML::Node& node, const std::string& prefix) {
    Table table;
    for (const auto& entry : node) {
      auto handle =
          ParameterParser<Handle<Receiver>>::Parse(context, uid, key, entry.second, prefix);
      if (!handle) { return ForwardError(handle); }
      table[entry.first.as<std::string>()] = handle.value();
    }
    return table;
  }
};

}  // namespace gxf
}  // namespace nvidia

namespace handles {

using namespace nvidia::gxf;

// Fills a tensor that is a component of the graph, before anything starts.
class Lens : public Component {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(pool_, "pool", "Pool", "Where memory comes from");
    result &= registrar->parameter(table_, "table", "Table", "What light becomes");
    return ToResultCode(result);
  }
  gxf_result_t initialize() override {
    RETURN_IF_ERROR(table_->reshape<float>({2, 2}, MemoryStorageType::kSystem, pool_));
    table_->data<float>().value()[3] = 0.25f;
    return GXF_SUCCESS;
  }
  gxf_result_t deinitialize() override {
    *(table_.get()) = Tensor();
    return GXF_SUCCESS;
  }

 private:
  Parameter<Handle<Allocator>> pool_;
  Parameter<Handle<Tensor>> table_;
};

// A message with two tensors, a frame and a time, made on a thread of its own.
class Camera : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(signal_, "signal", "Signal", "Where frames leave");
    result &= registrar->parameter(pool_, "pool", "Pool", "Where memory comes from");
    result &= registrar->parameter(event_, "event", "Event", "Says that a frame is there");
    result &= registrar->parameter(crops_, "crops", "Crops", "Parts of the frame",
                                   std::vector<Crop>{});
    // The names are the caller's, who may have made them for this call.
    const std::string key = "frames";
    result &= registrar->parameter(frames_, key.c_str(), "Frames", "How many", 3L);
    result &= registrar->parameter(table_, "table", "Table", "What light becomes");
    return ToResultCode(result);
  }
  gxf_result_t start() override {
    event_->setEventState(AsynchronousEventState::EVENT_WAITING);
    thread_ = std::thread([this] { Work(); });
    return GXF_SUCCESS;
  }
  gxf_result_t tick() override {
    auto message = CreateTensorMap(
        context(), pool_,
        {{"image", MemoryStorageType::kSystem, Shape{2, 3}, PrimitiveType::kFloat32, 4},
         {"mask", MemoryStorageType::kSystem, Shape{6}, PrimitiveType::kUnsigned8, 1}});
    if (!message) { return ToResultCode(message); }
    // The map called it a mask, the graph calls it a shadow.
    const gxf_uid_t mask = UNWRAP_OR_RETURN(message->get<Tensor>("mask")).cid();
    GXF_ASSERT_SUCCESS(
        GxfParameterSetStr(context(), mask, kInternalNameParameterKey, "shadow"));
    gxf_uid_t shadow = kNullUid;
    void* place = nullptr;
    GXF_ASSERT_SUCCESS(GxfComponentFindAndGetPtr(
        context(), message->eid(), message->entity_item_ptr(),
        message->get<Tensor>("shadow")->tid(), "shadow", nullptr, &shadow, &place));
    if (shadow != mask || message->get<Tensor>("shadow")->get() != place) { return GXF_FAILURE; }
    if (table_.get().name() != std::string("table") || table_->data<float>().value()[3] != 0.25f) {
      return GXF_FAILURE;
    }
    auto image = UNWRAP_OR_RETURN(message->get<Tensor>("image"));
    float* data = UNWRAP_OR_RETURN(image->data<float>());
    for (int i = 0; i < 6; i++) { data[i] = static_cast<float>(getExecutionCount() * 10 + i); }
    auto frame = UNWRAP_OR_RETURN(message->add<VideoBuffer>("frame"));
    RETURN_IF_ERROR(frame->resize<VideoFormat::GXF_VIDEO_FORMAT_RGB>(
        4, 2, SurfaceLayout::GXF_SURFACE_LAYOUT_PITCH_LINEAR, MemoryStorageType::kSystem, pool_));
    RETURN_IF_ERROR(signal_->publish(message.value(), getExecutionTimestamp()));
    event_->setEventState(getExecutionCount() < frames_.get()
                              ? AsynchronousEventState::EVENT_WAITING
                              : AsynchronousEventState::EVENT_NEVER);
    request_++;
    return GXF_SUCCESS;
  }
  gxf_result_t stop() override {
    stopped_ = true;
    if (thread_.joinable()) { thread_.join(); }
    const auto& crops = crops_.get();
    GXF_LOG_INFO("camera stopped, crops=%zu top=%d", crops.size(), crops.at(1).top);
    return GXF_SUCCESS;
  }

 private:
  void Work() {
    for (int64_t frame = 0; frame < frames_.get() && !stopped_; frame++) {
      while (request_ < frame && !stopped_) { std::this_thread::yield(); }
      if (!stopped_) { event_->setEventState(AsynchronousEventState::EVENT_DONE); }
    }
  }

  Parameter<Handle<Transmitter>> signal_;
  Parameter<Handle<Allocator>> pool_;
  Parameter<Handle<AsynchronousSchedulingTerm>> event_;
  Parameter<std::vector<Crop>> crops_;
  Parameter<int64_t> frames_;
  Parameter<Handle<Tensor>> table_;
  std::thread thread_;
  std::atomic<int64_t> request_{0};
  std::atomic<bool> stopped_{false};
};

// Writes what arrives to the host's buffer and file, and reads it back.
class Recorder : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(inputs_, "inputs", "Inputs", "Where messages arrive, by name");
    result &= registrar->parameter(serializer_, "serializer", "Serializer", "Of messages");
    result &= registrar->parameter(buffer_, "buffer", "Buffer", "In memory");
    result &= registrar->parameter(file_, "file", "File", "On the disk");
    result &= registrar->parameter(terms_, "terms", "Terms", "A combiner of the host");
    return ToResultCode(result);
  }
  gxf_result_t start() override {
    const auto list = terms_->getTermList();
    const auto both = terms_->combine({SchedulingConditionType::WAIT, 0},
                                      {SchedulingConditionType::READY, 0});
    GXF_LOG_INFO("combiner has %zu terms, says %s", list.size(),
                 SchedulingConditionTypeStr(both.type));
    RETURN_IF_ERROR(file_->open("frames.bin", "wb+"));
    return GXF_SUCCESS;
  }
  gxf_result_t tick() override {
    auto message = inputs_.get().at("frames")->receive();
    if (!message) { return GXF_SUCCESS; }
    buffer_->reset();
    const size_t size =
        UNWRAP_OR_RETURN(serializer_->serializeEntity(message.value(), buffer_.get()));
    if (buffer_->size() != size || buffer_->capacity() < size) { return GXF_FAILURE; }
    RETURN_IF_ERROR(file_->write(buffer_->data(), buffer_->size()));
    auto back = UNWRAP_OR_RETURN(serializer_->deserializeEntity(context(), buffer_.get()));
    auto image = UNWRAP_OR_RETURN(back.get<Tensor>("image"));
    const auto tensors = UNWRAP_OR_RETURN(back.findAll<Tensor>());
    if (tensors[0]->get() != image.get() || tensors[1]->name() != std::string("shadow")) {
      return GXF_FAILURE;
    }

    // To DLPack and back: the same memory.
    DLManagedTensor* exported = UNWRAP_OR_RETURN(image->toDLPack());
    Tensor imported(exported);
    if (imported.pointer() != image->pointer() || imported.shape() != image->shape()) {
      return GXF_FAILURE;
    }
    // A tensor of another device stays on it; nobody touches its memory.
    DLManagedTensor* elsewhere = UNWRAP_OR_RETURN(image->toDLPack());
    elsewhere->dl_tensor.device = DLDevice{kDLCUDA, 3};
    Tensor remote(elsewhere);
    DLManagedTensor* again = UNWRAP_OR_RETURN(remote.toDLPack());
    const DLDevice device = again->dl_tensor.device;
    again->deleter(again);
    if (device.device_type != kDLCUDA || device.device_id != 3) { return GXF_FAILURE; }
    messages_++;
    last_ = imported.data<float>().value()[5];
    bytes_ += size;
    return GXF_SUCCESS;
  }
  gxf_result_t stop() override {
    RETURN_IF_ERROR(file_->flush());
    const size_t end = UNWRAP_OR_RETURN(file_->tell());
    RETURN_IF_ERROR(file_->seek(0));
    std::vector<char> bytes(end + 1);
    const size_t read = UNWRAP_OR_RETURN(file_->read(bytes.data(), bytes.size()));
    GXF_LOG_INFO("recorded %d messages, last=%.0f, file %s, read %s, end %d", messages_, last_,
                 end == bytes_ ? "complete" : "torn", read == end ? "all" : "less", file_->eof());
    RETURN_IF_ERROR(file_->close());
    return file_->isOpen() ? GXF_FAILURE : GXF_SUCCESS;
  }

 private:
  Parameter<std::map<std::string, Handle<Receiver>>> inputs_;
  Parameter<Handle<EntitySerializer>> serializer_;
  Parameter<Handle<SerializationBuffer>> buffer_;
  Parameter<Handle<File>> file_;
  Parameter<Handle<SchedulingTermCombiner>> terms_;
  int messages_ = 0;
  float last_ = 0.0f;
  size_t bytes_ = 0;
};

}  // namespace handles

GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x6f1d1c0e3b5a4d6a, 0x8c6bb1de7a0f0001, "Handles",
                         "Codelets around components of the host", "gxe", "1.0.0", "Apache-2.0");
GXF_EXT_FACTORY_ADD(0x6f1d1c0e3b5a4d6a, 0x8c6bb1de7a0f0002, handles::Camera, nvidia::gxf::Codelet,
                    "Makes frames");
GXF_EXT_FACTORY_ADD(0x6f1d1c0e3b5a4d6a, 0x8c6bb1de7a0f0003, handles::Recorder,
                    nvidia::gxf::Codelet, "Records frames");
GXF_EXT_FACTORY_ADD(0x6f1d1c0e3b5a4d6a, 0x8c6bb1de7a0f0004, handles::Lens,
                    nvidia::gxf::Component, "Fills a table");
GXF_EXT_FACTORY_END()
