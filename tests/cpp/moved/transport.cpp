// Queues, memory and serializers of an extension's own: what a project has that carries its messages
// over something GXF does not know. The host's recorder, replayer and queues use them, and they use
// the host's.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/endian.hpp"
#include "gxf/core/entity.hpp"
#include "gxf/core/gxf.h"
#include "gxf/multimedia/video.hpp"
#include "gxf/serialization/component_serializer.hpp"
#include "gxf/serialization/endpoint.hpp"
#include "gxf/serialization/entity_serializer.hpp"
#include "gxf/serialization/file_stream.hpp"
#include "gxf/serialization/tid_hash.hpp"
#include "gxf/std/allocator.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/queue.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/timestamp.hpp"
#include "gxf/std/transmitter.hpp"

namespace transport {

using namespace nvidia::gxf;  // NOLINT
using nvidia::byte;
using nvidia::DecodeLittleEndian;
using nvidia::EncodeLittleEndian;
using nvidia::FixedVector;

// A position on a plane. Messages carry it.
struct Point2 {
  double x = 0.0;
  double y = 0.0;
};

// Queues of ids. A queue holds a reference of each message in it.
template <typename Base>
class IdQueue : public Base {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(
        registrar->parameter(capacity_, "capacity", "Capacity", "Messages", uint64_t{2}));
  }
  gxf_result_t deinitialize() override {
    Expected<void> result;
    for (auto* stage : {&main_, &back_}) {
      for (const gxf_uid_t uid : *stage) {
        result &= ExpectedOrCode(GxfEntityRefCountDec(this->context(), uid));
      }
      stage->clear();
    }
    GXF_LOG_INFO("queue '%s' passed %zu messages on", this->name(), passed_);
    return ToResultCode(result);
  }
  gxf_result_t pop_abi(gxf_uid_t* uid) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (uid == nullptr) { return GXF_ARGUMENT_NULL; }
    if (main_.empty()) { return GXF_FAILURE; }
    *uid = main_.front();
    main_.pop_front();
    passed_++;
    return GXF_SUCCESS;
  }
  gxf_result_t push_abi(gxf_uid_t other) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (back_.size() + main_.size() >= capacity_.get()) {
      GXF_LOG_WARNING("queue '%s' is full", this->name());
      return GXF_EXCEEDING_PREALLOCATED_SIZE;
    }
    const gxf_result_t code = GxfEntityRefCountInc(this->context(), other);
    if (code != GXF_SUCCESS) { return code; }
    back_.push_back(other);
    return GXF_SUCCESS;
  }
  gxf_result_t peek_abi(gxf_uid_t* uid, int32_t index) override { return Look(main_, uid, index); }
  size_t capacity_abi() override { return capacity_; }
  size_t size_abi() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return main_.size();
  }
  size_t back_size_abi() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return back_.size();
  }
  gxf_result_t sync_abi() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::move(back_.begin(), back_.end(), std::back_inserter(main_));
    back_.clear();
    return GXF_SUCCESS;
  }

 protected:
  gxf_result_t Look(const std::deque<gxf_uid_t>& stage, gxf_uid_t* uid, int32_t index) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (index < 0 || static_cast<size_t>(index) >= stage.size()) { return GXF_FAILURE; }
    *uid = stage[static_cast<size_t>(index)];
    return GXF_SUCCESS;
  }

  Parameter<uint64_t> capacity_;
  std::mutex mutex_;
  std::deque<gxf_uid_t> main_;
  std::deque<gxf_uid_t> back_;
  size_t passed_ = 0;
};

class IdReceiver : public IdQueue<Receiver> {
 public:
  gxf_result_t receive_abi(gxf_uid_t* uid) override { return pop_abi(uid); }
  gxf_result_t peek_back_abi(gxf_uid_t* uid, int32_t index) override {
    return Look(back_, uid, index);
  }
};

class IdTransmitter : public IdQueue<Transmitter> {
 public:
  gxf_result_t publish_abi(gxf_uid_t uid) override {
    auto entity = Entity::Shared(context(), uid);
    if (!entity) { return ToResultCode(entity); }
    // Only messages with a position may leave.
    if (!entity->get<Point2>()) {
      GXF_LOG_ERROR("no position in message %05zu", uid);
      return GXF_ENTITY_COMPONENT_NOT_FOUND;
    }
    return push_abi(uid);
  }
};

// Hands out memory from one array and refuses more than it has.
class ArenaAllocator : public Allocator {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(block_size_, "block_size", "Size", "Of a block", 256ul);
    result &= registrar->parameter(num_blocks_, "num_blocks", "Blocks", "", 8ul);
    return ToResultCode(result);
  }
  gxf_result_t initialize() override {
    stage_ = AllocatorStage::kInitializationInProgress;
    arena_ = std::make_unique<byte[]>(block_size_ * num_blocks_);
    for (uint64_t i = num_blocks_; i > 0; i--) {
      free_.push_back(arena_.get() + (i - 1) * block_size_);
    }
    stage_ = AllocatorStage::kInitialized;
    return GXF_SUCCESS;
  }
  gxf_result_t is_available_abi(uint64_t size) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stage_ != AllocatorStage::kInitialized) { return GXF_INVALID_LIFECYCLE_STAGE; }
    return size <= block_size_ && !free_.empty() ? GXF_SUCCESS : GXF_FAILURE;
  }
  gxf_result_t allocate_abi(uint64_t size, int32_t type, void** pointer) override {
    if (pointer == nullptr) { return GXF_ARGUMENT_NULL; }
    if (static_cast<MemoryStorageType>(type) == MemoryStorageType::kDevice) {
      return GXF_MEMORY_INVALID_STORAGE_MODE;
    }
    if (is_available_abi(size) != GXF_SUCCESS) { return GXF_OUT_OF_MEMORY; }
    const std::lock_guard<std::mutex> lock(mutex_);
    *pointer = free_.back();
    free_.pop_back();
    most_ = std::max<size_t>(most_, num_blocks_.get() - free_.size());
    return GXF_SUCCESS;
  }
  gxf_result_t free_abi(void* pointer) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto* block = static_cast<byte*>(pointer);
    if (block < arena_.get() || block >= arena_.get() + block_size_ * num_blocks_) {
      return GXF_ARGUMENT_OUT_OF_RANGE;
    }
    free_.push_back(block);
    return GXF_SUCCESS;
  }
  uint64_t block_size_abi() const override { return block_size_; }
  gxf_result_t deinitialize() override {
    GXF_LOG_INFO("arena: %zu of %zu blocks are free, %s, used %s", free_.size(), num_blocks_.get(),
                 allocator_stage_str(stage_), most_ > 0 ? "yes" : "no");
    stage_ = AllocatorStage::kUninitialized;
    return GXF_SUCCESS;
  }

 private:
  Parameter<uint64_t> block_size_;
  Parameter<uint64_t> num_blocks_;
  std::unique_ptr<byte[]> arena_;
  std::vector<byte*> free_;
  std::mutex mutex_;
  size_t most_ = 0;
  AllocatorStage stage_ = AllocatorStage::kUninitialized;
};

// Bytes in memory that are read in the order in which they were written.
class Loopback : public Endpoint {
 public:
  gxf_result_t is_write_available_abi() override {
    return bytes_.size() < 1 << 16 ? GXF_SUCCESS : GXF_FAILURE;
  }
  gxf_result_t is_read_available_abi() override {
    return bytes_.empty() ? GXF_FAILURE : GXF_SUCCESS;
  }
  gxf_result_t write_abi(const void* data, size_t size, size_t* bytes_written) override {
    if (data == nullptr || bytes_written == nullptr) { return GXF_ARGUMENT_NULL; }
    const auto* first = static_cast<const byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
    *bytes_written = size;
    return GXF_SUCCESS;
  }
  gxf_result_t read_abi(void* data, size_t size, size_t* bytes_read) override {
    if (data == nullptr || bytes_read == nullptr) { return GXF_ARGUMENT_NULL; }
    *bytes_read = std::min(size, bytes_.size());
    std::copy_n(bytes_.begin(), *bytes_read, static_cast<byte*>(data));
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<ptrdiff_t>(*bytes_read));
    return *bytes_read == size ? GXF_SUCCESS : GXF_FAILURE;
  }
  gxf_result_t write_ptr_abi(const void* pointer, size_t size, MemoryStorageType type) override {
    size_t written = 0;
    return type == MemoryStorageType::kDevice ? GXF_MEMORY_INVALID_STORAGE_MODE
                                              : write_abi(pointer, size, &written);
  }
  size_t waiting() const { return bytes_.size(); }

 private:
  std::deque<byte> bytes_;
};

// Writes positions, and tensors in host memory.
class PointSerializer : public ComponentSerializer {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(allocator_, "allocator", "Allocator", "For tensors"));
  }
  gxf_result_t initialize() override {
    return ToResultCode(
        ExpectedOrCode(ComponentSerializer::initialize())
            .and_then([&]() { return configureSerializers(); })
            .and_then([&]() { return configureDeserializers(); }));
  }
  gxf_result_t deinitialize() override {
    return ToResultCode(clearSerializer<Point2>() & clearDeserializer<Point2>());
  }

 private:
#pragma pack(push, 1)
  struct TensorHeader {
    uint32_t rank;
    int32_t element_type;
    std::array<int32_t, Shape::kMaxRank> dimensions;
  };
#pragma pack(pop)

  Expected<void> configureSerializers() {
    Expected<void> result;
    result &= setSerializer<Point2>([this](void* component, Endpoint* endpoint) {
      return serializePoint(*static_cast<Point2*>(component), endpoint);
    });
    result &= setSerializer<Tensor>([this](void* component, Endpoint* endpoint) {
      return serializeTensor(*static_cast<Tensor*>(component), endpoint);
    });
    return result;
  }
  Expected<void> configureDeserializers() {
    Expected<void> result;
    result &= setDeserializer<Point2>([this](void* component, Endpoint* endpoint) {
      return deserializePoint(endpoint).assign_to(*static_cast<Point2*>(component));
    });
    result &= setDeserializer<Tensor>([this](void* component, Endpoint* endpoint) -> Expected<void> {
      auto tensor = deserializeTensor(endpoint);
      if (!tensor) { return ForwardError(tensor); }
      *static_cast<Tensor*>(component) = std::move(tensor.value());
      return Success;
    });
    return result;
  }

  Expected<size_t> serializePoint(const Point2& point, Endpoint* endpoint) {
    if (!endpoint) { return Unexpected{GXF_ARGUMENT_NULL}; }
    uint64_t raw[2];
    std::memcpy(raw, &point, sizeof(raw));
    for (auto& word : raw) { word = EncodeLittleEndian(word); }
    return endpoint->write(raw, sizeof(raw));
  }
  Expected<Point2> deserializePoint(Endpoint* endpoint) {
    uint64_t raw[2];
    const auto size = endpoint->read(raw, sizeof(raw));
    if (!size) { return ForwardError(size); }
    if (size.value() != sizeof(raw)) { return Unexpected{GXF_INVALID_DATA_FORMAT}; }
    Point2 point;
    for (auto& word : raw) { word = DecodeLittleEndian(word); }
    std::memcpy(&point, raw, sizeof(raw));
    return point;
  }
  Expected<size_t> serializeTensor(const Tensor& tensor, Endpoint* endpoint) {
    TensorHeader header{tensor.rank(), static_cast<int32_t>(tensor.element_type()), {}};
    for (uint32_t i = 0; i < tensor.rank(); i++) {
      header.dimensions[i] = tensor.shape().dimension(i);
    }
    auto size = endpoint->writeTrivialType<TensorHeader>(&header);
    if (!size) { return ForwardError(size); }
    const auto written = endpoint->write_ptr(tensor.pointer(), tensor.size(), tensor.storage_type());
    if (!written) { return ForwardError(written); }
    return size.value() + tensor.size();
  }
  Expected<Tensor> deserializeTensor(Endpoint* endpoint) {
    TensorHeader header;
    const auto size = endpoint->readTrivialType<TensorHeader>(&header);
    if (!size) { return ForwardError(size); }
    if (header.rank > Shape::kMaxRank) { return Unexpected{GXF_INVALID_DATA_FORMAT}; }
    const auto type = static_cast<PrimitiveType>(header.element_type);
    Tensor tensor;
    auto result = tensor.reshapeCustom(Shape(header.dimensions, header.rank), type,
                                       PrimitiveTypeSize(type), Unexpected{GXF_UNINITIALIZED_VALUE},
                                       MemoryStorageType::kSystem, allocator_);
    if (!result) { return ForwardError(result); }
    const auto read = endpoint->read(tensor.pointer(), tensor.size());
    if (!read) { return ForwardError(read); }
    return Expected<Tensor>(std::move(tensor));
  }

  Parameter<Handle<Allocator>> allocator_;
};

// Writes all components of a message that one of its serializers knows.
class CompactSerializer : EntitySerializer {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(
        registrar->parameter(serializers_, "component_serializers", "Serializers", ""));
  }
  gxf_result_t serialize_entity_abi(gxf_uid_t eid, Endpoint* endpoint, uint64_t* size) override {
    if (!endpoint || !size) { return GXF_ARGUMENT_NULL; }
    auto entity = Entity::Shared(context(), eid);
    if (!entity) { return ToResultCode(entity); }
    auto components = entity->findAll<16>();
    if (!components) { return ToResultCode(components); }
    FixedVector<UntypedHandle, 16> known;
    for (size_t i = 0; i < components->size(); i++) {
      const auto component = components->at(i).value();
      if (find(component.tid())) { known.push_back(component); }
    }
    Header header{kMagic, static_cast<uint32_t>(known.size()), sequence_++};
    Expected<size_t> total = endpoint->writeTrivialType(&header);
    for (auto component : known) {
      const auto written = serialize(component.value(), endpoint);
      total = total + written;
    }
    return ToResultCode(total.assign_to(*size));
  }
  Expected<Entity> deserialize_entity_header_abi(Endpoint* endpoint) override {
    return Entity::New(context()).map([&](Entity entity) -> Expected<Entity> {
      const gxf_result_t code = deserialize_entity_abi(entity.eid(), endpoint);
      return ExpectedOrCode(code, entity);
    });
  }
  gxf_result_t deserialize_entity_abi(gxf_uid_t eid, Endpoint* endpoint) override {
    auto entity = Entity::Shared(context(), eid);
    if (!entity) { return ToResultCode(entity); }
    Header header;
    const auto size = endpoint->readTrivialType(&header);
    if (!size) { return ToResultCode(size); }
    if (header.magic != kMagic || header.sequence != expected_++) {
      return GXF_INVALID_DATA_FORMAT;
    }
    Expected<void> result;
    for (uint32_t i = 0; i < header.count && result; i++) {
      result &= deserialize(entity.value(), endpoint);
    }
    return ToResultCode(result);
  }

 private:
  struct Header {
    uint32_t magic;
    uint32_t count;
    uint64_t sequence;
  };
  struct ComponentHeader {
    gxf_tid_t tid;
    uint64_t name_size;
  };
  static constexpr uint32_t kMagic = 0x31584647;

  Expected<Handle<ComponentSerializer>> find(gxf_tid_t tid) {
    const auto known = cache_.find(tid);
    if (known != cache_.end()) { return known->second; }
    for (size_t i = 0; i < serializers_.get().size(); i++) {
      const auto serializer = serializers_.get().at(i);
      if (!serializer) { return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE}; }
      if (serializer.value()->isSupported(tid)) { return cache_[tid] = serializer.value(); }
    }
    return Unexpected{GXF_QUERY_NOT_FOUND};
  }
  Expected<size_t> serialize(const UntypedHandle& component, Endpoint* endpoint) {
    const ComponentHeader header{component.tid(), std::strlen(component.name())};
    auto size = endpoint->writeTrivialType<ComponentHeader>(&header);
    if (!size) { return size; }
    size = size + endpoint->write(component.name(), header.name_size);
    auto serializer = find(component.tid());
    if (!serializer) { return ForwardError(serializer); }
    return size + serializer.value()->serializeComponent(component, endpoint);
  }
  Expected<void> deserialize(Entity& entity, Endpoint* endpoint) {
    ComponentHeader header;
    const auto size = endpoint->readTrivialType<ComponentHeader>(&header);
    if (!size) { return ForwardError(size); }
    std::string name(header.name_size, '\0');
    const auto read = endpoint->read(&name[0], name.size());
    if (!read) { return ForwardError(read); }
    auto component = entity.add(header.tid, name.c_str());
    if (!component) { return ForwardError(component); }
    auto serializer = find(component->tid());
    if (!serializer) { return ForwardError(serializer); }
    return serializer.value()->deserializeComponent(component.value(), endpoint);
  }

  Parameter<FixedVector<Handle<ComponentSerializer>, 16>> serializers_;
  std::unordered_map<gxf_tid_t, Handle<ComponentSerializer>, TidHash> cache_;
  uint64_t sequence_ = 0;
  uint64_t expected_ = 0;
};

// Publishes positions with a tensor.
class Walker : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(output_, "output", "Output", "");
    result &= registrar->parameter(allocator_, "allocator", "Allocator", "");
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    auto message = Entity::New(context());
    if (!message) { return ToResultCode(message); }
    auto point = message->add<Point2>("position");
    auto tensor = message->add<Tensor>("map");
    if (!point || !tensor) { return GXF_FAILURE; }
    point.value()->x = static_cast<double>(getExecutionCount());
    point.value()->y = -point.value()->x;
    auto shaped = tensor.value()->reshape<int32_t>(Shape{4, 4}, MemoryStorageType::kSystem,
                                                   allocator_);
    if (!shaped) { return ToResultCode(shaped); }
    std::fill_n(tensor.value()->data<int32_t>().value(), 16, static_cast<int32_t>(point.value()->x));
    return ToResultCode(output_->publish(message.value(), 1000 * getExecutionCount()));
  }

 private:
  Parameter<Handle<Transmitter>> output_;
  Parameter<Handle<Allocator>> allocator_;
};

// Sends what arrives through an endpoint and takes it out again.
class Relay : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(input_, "input", "Input", "");
    result &= registrar->parameter(output_, "output", "Output", "");
    result &= registrar->parameter(serializer_, "serializer", "Serializer", "");
    result &= registrar->parameter(endpoint_, "endpoint", "Endpoint", "");
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    const auto message = input_->receive();
    if (!message) { return ToResultCode(message); }
    if (!endpoint_->isWriteAvailable() || endpoint_->isReadAvailable()) { return GXF_FAILURE; }
    auto result = serializer_->serializeEntity(message.value(), endpoint_.get());
    if (!result) { return ToResultCode(result); }
    auto back = serializer_->deserializeEntity(context(), endpoint_.get());
    if (!back) { return ToResultCode(back); }
    if (endpoint_->isReadAvailable()) { return GXF_INVALID_DATA_FORMAT; }
    return ToResultCode(output_->publish(back.value()));
  }

 private:
  Parameter<Handle<Receiver>> input_;
  Parameter<Handle<Transmitter>> output_;
  Parameter<Handle<EntitySerializer>> serializer_;
  Parameter<Handle<Endpoint>> endpoint_;
};

// Checks what arrives.
class Checker : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(input_, "input", "Input", ""));
  }
  gxf_result_t tick() override {
    while (input_->size() > 0) {
      auto message = input_->receive();
      if (!message) { return ToResultCode(message); }
      const auto point = message->get<Point2>("position");
      const auto tensor = message->get<Tensor>("map");
      if (!point || !tensor) { return GXF_ENTITY_COMPONENT_NOT_FOUND; }
      const auto data = tensor.value()->data<int32_t>();
      if (!data || data.value()[15] != static_cast<int32_t>(point.value()->x)) {
        return GXF_INVALID_DATA_FORMAT;
      }
      sum_ += point.value()->x;
    }
    return GXF_SUCCESS;
  }
  gxf_result_t stop() override {
    GXF_LOG_INFO("'%s' summed up %.0f", entity().name(), sum_);
    return GXF_SUCCESS;
  }

 private:
  Parameter<Handle<Receiver>> input_;
  double sum_ = 0.0;
};

}  // namespace transport

extern "C" {
GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x77f0e1d2c3b4a501, 0x0f1e2d3c4b5a6901, "TransportExtension", "Transport",
                         "gxe", "2.1.0", "Apache-2.0");
GXF_EXT_FACTORY_ADD_0(0x77f0e1d2c3b4a501, 0x0f1e2d3c4b5a6902, transport::Point2, "A position");
GXF_EXT_FACTORY_ADD(0x77f0e1d2c3b4a501, 0x0f1e2d3c4b5a6903, transport::IdReceiver,
                    nvidia::gxf::Receiver, "Holds ids");
GXF_EXT_FACTORY_ADD(0x77f0e1d2c3b4a501, 0x0f1e2d3c4b5a6904, transport::IdTransmitter,
                    nvidia::gxf::Transmitter, "Holds ids");
GXF_EXT_FACTORY_ADD(0x77f0e1d2c3b4a501, 0x0f1e2d3c4b5a6905, transport::ArenaAllocator,
                    nvidia::gxf::Allocator, "One array");
GXF_EXT_FACTORY_ADD(0x77f0e1d2c3b4a501, 0x0f1e2d3c4b5a6906, transport::Loopback,
                    nvidia::gxf::Endpoint, "Bytes in memory");
GXF_EXT_FACTORY_ADD(0x77f0e1d2c3b4a501, 0x0f1e2d3c4b5a6907, transport::PointSerializer,
                    nvidia::gxf::ComponentSerializer, "Writes positions");
GXF_EXT_FACTORY_ADD(0x77f0e1d2c3b4a501, 0x0f1e2d3c4b5a6908, transport::CompactSerializer,
                    nvidia::gxf::EntitySerializer, "Writes messages");
GXF_EXT_FACTORY_ADD(0x77f0e1d2c3b4a501, 0x0f1e2d3c4b5a6909, transport::Walker,
                    nvidia::gxf::Codelet, "Publishes positions");
GXF_EXT_FACTORY_ADD(0x77f0e1d2c3b4a501, 0x0f1e2d3c4b5a690a, transport::Relay,
                    nvidia::gxf::Codelet, "Through an endpoint");
GXF_EXT_FACTORY_ADD(0x77f0e1d2c3b4a501, 0x0f1e2d3c4b5a690b, transport::Checker,
                    nvidia::gxf::Codelet, "Checks");
GXF_EXT_FACTORY_END();
}  // extern "C"
