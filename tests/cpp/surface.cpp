// An extension that uses the breadth of the C++ headers: components derived from every base, handles
// to components of the host and to its own, payloads, parameters of many types.
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "gems/staging_queue/staging_queue.hpp"
#include "gxf/core/parameter_parser_std.hpp"
#include "gxf/multimedia/camera.hpp"
#include "gxf/multimedia/video.hpp"
#include "gxf/serialization/component_serializer.hpp"
#include "gxf/serialization/entity_serializer.hpp"
#include "gxf/serialization/serialization_buffer.hpp"
#include "gxf/std/block_memory_pool.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/controller.hpp"
#include "gxf/std/double_buffer_receiver.hpp"
#include "gxf/std/double_buffer_transmitter.hpp"
#include "gxf/std/eos.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/metric.hpp"
#include "gxf/std/monitor.hpp"
#include "gxf/std/scheduler.hpp"
#include "gxf/std/scheduling_term_combiner.hpp"
#include "gxf/std/scheduling_terms.hpp"
#include "gxf/std/synthetic_clock.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/timestamp.hpp"
#include "gxf/std/unbounded_allocator.hpp"

namespace nvidia {
namespace gxf {
namespace surface {

/// A payload of this extension.
struct Reading {
  std::string text = "fresh";
  std::vector<int> values;
};

enum class Color { kRed, kGreen };

}  // namespace surface

template <>
struct ParameterParser<surface::Color> {
  static Expected<surface::Color> Parse(gxf_context_t, gxf_uid_t, const char*,
                                        const YAML::Node& node, const std::string&) {
    const std::string name = node.as<std::string>();
    if (name == "red") { return surface::Color::kRed; }
    if (name == "green") { return surface::Color::kGreen; }
    return Unexpected{GXF_PARAMETER_OUT_OF_RANGE};
  }
};

namespace surface {

// As in GXF: a queue of ids whose references the queue looks after itself.
class CountingReceiver : public Receiver {
 public:
  using queue_t = ::gxf::staging_queue::StagingQueue<Entity>;
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(capacity_, "capacity", "Capacity", "Room.", 4UL);
    return ToResultCode(result);
  }
  gxf_result_t initialize() override {
    queue_ = std::make_unique<queue_t>(capacity_, ::gxf::staging_queue::OverflowBehavior::kFault,
                                       Entity{});
    return GXF_SUCCESS;
  }
  gxf_result_t deinitialize() override {
    GXF_LOG_INFO("counting receiver took %d messages", count_);
    queue_.reset();
    return GXF_SUCCESS;
  }
  gxf_result_t pop_abi(gxf_uid_t* uid) override {
    Entity entity = queue_->pop();
    if (entity.is_null()) { return GXF_FAILURE; }
    const gxf_result_t code = GxfEntityRefCountInc(context(), entity.eid());
    if (code != GXF_SUCCESS) { return code; }
    *uid = entity.eid();
    return GXF_SUCCESS;
  }
  gxf_result_t push_abi(gxf_uid_t other) override {
    count_++;
    auto entity = Entity::Shared(context(), other);
    if (!entity) { return ToResultCode(entity); }
    return queue_->push(std::move(entity.value())) ? GXF_SUCCESS : GXF_EXCEEDING_PREALLOCATED_SIZE;
  }
  gxf_result_t peek_abi(gxf_uid_t* uid, int32_t index) override {
    const Entity entity = queue_->peek(static_cast<size_t>(index));
    *uid = entity.eid();
    return entity.is_null() ? GXF_FAILURE : GXF_SUCCESS;
  }
  size_t capacity_abi() override { return queue_->capacity(); }
  size_t size_abi() override { return queue_->size(); }
  gxf_result_t receive_abi(gxf_uid_t* uid) override { return pop_abi(uid); }
  size_t back_size_abi() override { return queue_->back_size(); }
  gxf_result_t peek_back_abi(gxf_uid_t* uid, int32_t index) override {
    const Entity entity = queue_->peek_backstage(static_cast<size_t>(index));
    *uid = entity.eid();
    return entity.is_null() ? GXF_FAILURE : GXF_SUCCESS;
  }
  gxf_result_t sync_abi() override { return queue_->sync() ? GXF_SUCCESS : GXF_FAILURE; }

 private:
  Parameter<uint64_t> capacity_;
  std::unique_ptr<queue_t> queue_;
  int count_ = 0;
};

// Derived from a component the host has.
class NamedTransmitter : public DoubleBufferTransmitter {};

// Ready at every other question.
class EveryOther : public SchedulingTerm {
 public:
  gxf_result_t check_abi(int64_t timestamp, SchedulingConditionType* type,
                         int64_t* target) const override {
    *type = asked_ % 2 == 0 ? SchedulingConditionType::READY : SchedulingConditionType::WAIT_TIME;
    *target = timestamp + 1000;
    return GXF_SUCCESS;
  }
  gxf_result_t update_state_abi(int64_t) override {
    asked_++;
    return GXF_SUCCESS;
  }
  gxf_result_t onExecute_abi(int64_t) override { return GXF_SUCCESS; }

 private:
  int64_t asked_ = 0;
};

class SlowPeriod : public PeriodicSchedulingTerm {};

class CountingAllocator : public Allocator {
 public:
  gxf_result_t is_available_abi(uint64_t size) override {
    return size <= 1 << 20 ? GXF_SUCCESS : GXF_FAILURE;
  }
  gxf_result_t allocate_abi(uint64_t size, int32_t type, void** pointer) override {
    if (type == static_cast<int32_t>(MemoryStorageType::kDevice)) { return GXF_NOT_IMPLEMENTED; }
    used_++;
    *pointer = ::operator new(size);
    return GXF_SUCCESS;
  }
  using Allocator::free_abi;
  gxf_result_t free_abi(void* pointer) override {
    used_--;
    ::operator delete(pointer);
    return GXF_SUCCESS;
  }
  gxf_result_t deinitialize() override {
    GXF_LOG_INFO("counting allocator has %d blocks out", used_.load());
    return GXF_SUCCESS;
  }

 private:
  std::atomic<int> used_{0};
};

class StepClock : public Clock {
 public:
  double time() const override { return TimestampToTime(timestamp()); }
  int64_t timestamp() const override { return now_; }
  Expected<void> sleepFor(int64_t duration) override {
    now_ += duration;
    return Success;
  }
  Expected<void> sleepUntil(int64_t target) override {
    if (target > now_) { now_ = target; }
    return Success;
  }

 private:
  std::atomic<int64_t> now_{0};
};

// Runs entities one after the other until none is ready.
class RoundScheduler : public Scheduler {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(clock_, "clock", "Clock", "Time."));
  }
  gxf_result_t prepare_abi(EntityExecutor* executor) override {
    executor_ = executor;
    return GXF_SUCCESS;
  }
  gxf_result_t schedule_abi(gxf_uid_t eid) override {
    entities_.push_back(eid);
    return GXF_SUCCESS;
  }
  gxf_result_t unschedule_abi(gxf_uid_t) override { return GXF_SUCCESS; }
  gxf_result_t runAsync_abi() override {
    thread_ = std::thread([this] { result_ = Run(); });
    return GXF_SUCCESS;
  }
  gxf_result_t stop_abi() override {
    stop_ = true;
    return GXF_SUCCESS;
  }
  gxf_result_t wait_abi() override {
    if (thread_.joinable()) { thread_.join(); }
    return result_;
  }
  gxf_result_t event_notify_abi(gxf_uid_t, gxf_event_t) override { return GXF_SUCCESS; }

 private:
  gxf_result_t Run() {
    std::set<gxf_uid_t> over;
    while (!stop_) {
      bool any = false;
      int64_t next = 0;
      for (const gxf_uid_t eid : entities_) {
        if (over.count(eid) != 0) { continue; }
        const auto condition = executor_->executeEntity(eid, clock_->timestamp());
        if (!condition) { return condition.error(); }
        any = any || condition->type == SchedulingConditionType::READY;
        if (condition->type == SchedulingConditionType::NEVER) { over.insert(eid); }
        if (condition->type == SchedulingConditionType::WAIT_TIME) {
          next = next == 0 ? condition->target_timestamp
                           : std::min(next, condition->target_timestamp);
        }
      }
      if (any) { continue; }
      if (next == 0) { return GXF_SUCCESS; }
      RETURN_IF_ERROR(clock_->sleepUntil(next));
    }
    return GXF_SUCCESS;
  }

  Parameter<Handle<Clock>> clock_;
  EntityExecutor* executor_ = nullptr;
  std::vector<gxf_uid_t> entities_;
  std::thread thread_;
  std::atomic<bool> stop_{false};
  gxf_result_t result_ = GXF_SUCCESS;
};

class TickCounter : public Monitor {
 public:
  gxf_result_t on_execute_abi(gxf_uid_t, uint64_t, gxf_result_t code) override {
    if (code == GXF_SUCCESS) { count_++; }
    return GXF_SUCCESS;
  }
  gxf_result_t deinitialize() override {
    GXF_LOG_INFO("monitor saw executions: %s", count_ > 0 ? "yes" : "no");
    return GXF_SUCCESS;
  }

 private:
  std::atomic<int> count_{0};
};

class Forgiving : public Controller {
 public:
  gxf_controller_status_t control(gxf_uid_t, Expected<void> code) override {
    if (!code) {
      return gxf_controller_status_t{GXF_BEHAVIOR_FAILURE, GXF_EXECUTE_FAILURE_DEACTIVATE};
    }
    return gxf_controller_status_t{GXF_BEHAVIOR_RUNNING, GXF_EXECUTE_SUCCESS};
  }
};

class ReadingSerializer : public ComponentSerializer {
 public:
  gxf_result_t initialize() override {
    Expected<void> result;
    result &= setSerializer<Reading>([](void* component, Endpoint* endpoint) -> Expected<size_t> {
      const auto& text = static_cast<Reading*>(component)->text;
      const uint64_t size = text.size();
      // In two steps: the operands of + may be evaluated in any order.
      const auto prefix = endpoint->writeTrivialType(&size);
      return prefix + endpoint->write(text.data(), text.size());
    });
    result &= setDeserializer<Reading>([](void* component, Endpoint* endpoint) -> Expected<void> {
      uint64_t size = 0;
      auto read = endpoint->readTrivialType(&size);
      if (!read) { return ForwardError(read); }
      auto& text = static_cast<Reading*>(component)->text;
      text.resize(size);
      return Expected<void>(endpoint->read(&text[0], size));
    });
    return ToResultCode(result);
  }
};

class Buffer : public SerializationBuffer {};

class OneReading : public EntitySerializer {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(serializer_, "serializer", "Serializer", "For it."));
  }
  gxf_result_t serialize_entity_abi(gxf_uid_t eid, Endpoint* endpoint, uint64_t* size) override {
    return ToResultCode(Entity::Shared(context(), eid)
                            .map([](Entity entity) { return entity.get<Reading>(); })
                            .map([&](Handle<Reading> reading) {
                              return serializer_->serializeComponent(reading, endpoint);
                            })
                            .assign_to(*size));
  }
  Expected<Entity> deserialize_entity_header_abi(Endpoint*) override {
    return Entity::New(context());
  }
  gxf_result_t deserialize_entity_abi(gxf_uid_t eid, Endpoint* endpoint) override {
    auto entity = Entity::Shared(context(), eid);
    if (!entity) { return entity.error(); }
    auto reading = entity->add<Reading>("reading");
    if (!reading) { return ToResultCode(reading); }
    return ToResultCode(serializer_->deserializeComponent(reading.value(), endpoint));
  }

 private:
  Parameter<Handle<ComponentSerializer>> serializer_;
};

// Parameters of many types, said back as they arrived.
class Everything : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(text_, "text", "Text", "A text.", std::string("none"));
    result &= registrar->parameter(small_, "small", "Small", "8 bits.", static_cast<uint8_t>(7));
    result &= registrar->parameter(number_, "number", "Number", "A number.", 1.5);
    result &= registrar->parameter(list_, "list", "List", "Numbers.", std::vector<int32_t>{1, 2});
    result &= registrar->parameter(nested_, "nested", "Nested", "Rows.");
    result &= registrar->parameter(array_, "array", "Array", "Three numbers.");
    result &= registrar->parameter(fixed_, "fixed", "Fixed", "At most four.",
                                   Registrar::NoDefaultParameter(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(word_, "word", "Word", "At most five letters.");
    result &= registrar->parameter(receivers_, "receivers", "Receivers", "Where messages arrive.");
    result &= registrar->parameter(color_, "color", "Color", "An enumeration.", Color::kRed);
    result &= registrar->parameter(table_, "table", "Table", "By name.");
    result &= registrar->parameter(absent_, "absent", "Absent", "Optional.",
                                   Registrar::NoDefaultParameter(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(path_, "path", "Path", "A file.", FilePath("/dev/null"));
    result &= registrar->parameter(flags_, "flags", "Flags", "Booleans.",
                                   std::vector<bool>{true, false});
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    std::string nested;
    for (const auto& row : nested_.get()) {
      for (const double value : row) { nested += std::to_string(static_cast<int>(value)); }
      nested += "/";
    }
    GXF_LOG_INFO("text=%s small=%d number=%.1f list=%zu nested=%s array=%d%d%d fixed=%zu word=%s",
                 text_.get().c_str(), small_.get(), number_.get(), list_.get().size(),
                 nested.c_str(), array_.get()[0], array_.get()[1], array_.get()[2],
                 fixed_.try_get() ? fixed_.try_get()->size() : 0, word_.get().c_str());
    GXF_LOG_INFO("receivers=%zu color=%s table=%d absent=%s path=%s flags=%zu",
                 receivers_.get().size(), color_.get() == Color::kGreen ? "green" : "red",
                 table_.get().at("two"), absent_.try_get() ? "there" : "not there",
                 path_.get().c_str(), flags_.get().size());
    return AskAboutParameters();
  }

 private:
  // By key, as tools do.
  gxf_result_t AskAboutParameters() {
    const auto wrapped = wrapParameter("array");
    const auto info = getParameterInfo("number");
    const auto texts = getParametersOfType<std::string>();
    if (!wrapped || !info || !texts) { return GXF_FAILURE; }
    GXF_LOG_INFO("array[1]=%d default=%.1f texts=%zu", wrapped.value()[1].as<int>(),
                 *static_cast<const double*>(info->default_value.get()), texts->size());
    return GXF_SUCCESS;
  }

  Parameter<std::string> text_;
  Parameter<uint8_t> small_;
  Parameter<double> number_;
  Parameter<std::vector<int32_t>> list_;
  Parameter<std::vector<std::vector<double>>> nested_;
  Parameter<std::array<int32_t, 3>> array_;
  Parameter<FixedVector<int32_t, 4>> fixed_;
  Parameter<FixedString<5>> word_;
  Parameter<std::vector<Handle<Receiver>>> receivers_;
  Parameter<Color> color_;
  Parameter<std::unordered_map<std::string, int>> table_;
  Parameter<Handle<Clock>> absent_;
  Parameter<FilePath> path_;
  Parameter<std::vector<bool>> flags_;
};

// Publishes a message with payloads of every kind.
class Source : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(output_, "output", "Output", "Where messages leave.");
    result &= registrar->parameter(pool_, "pool", "Pool", "Where memory comes from.");
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    auto message = CreateTensorMap(context(), pool_,
                                   {{"tensor", MemoryStorageType::kSystem, Shape{2, 3},
                                     PrimitiveType::kFloat32, 4}});
    if (!message) { return ToResultCode(message); }
    // A copy is the same message, and both may be added to.
    Entity copy = message.value();
    auto tensor = UNWRAP_OR_RETURN(copy.get<Tensor>("tensor"));
    float* data = UNWRAP_OR_RETURN(tensor->data<float>());
    for (int i = 0; i < 6; i++) { data[i] = static_cast<float>(i); }
    Handle<Reading> reading;
    const auto result = copy.add<Reading>("reading")
                            .assign_to(reading)
                            .and_then([&] { reading->text = "tick"; })
                            .and_then([&] { return message->add<VideoBuffer>("video"); })
                            .map([&](Handle<VideoBuffer> video) {
                              return video->resize<VideoFormat::GXF_VIDEO_FORMAT_RGB>(
                                  4, 2, SurfaceLayout::GXF_SURFACE_LAYOUT_PITCH_LINEAR,
                                  MemoryStorageType::kSystem, pool_);
                            })
                            .and_then([&] { return copy.add<CameraModel>(); })
                            .and_then([&] { return copy.add<int64_t>("sequence"); })
                            .map([&](Handle<int64_t> sequence) {
                              *sequence = getExecutionCount();
                              return Success;
                            })
                            .log_error("component %ld cannot fill its message", cid());
    if (!result) { return ToResultCode(result); }
    return ToResultCode(output_->publish(copy, getExecutionTimestamp()));
  }

 private:
  Parameter<Handle<Transmitter>> output_;
  Parameter<Handle<Allocator>> pool_;
};

// Reads it back, serializes it and reads that.
class Sink : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(input_, "input", "Input", "Where messages arrive.");
    result &= registrar->parameter(serializer_, "serializer", "Serializer", "To try.");
    result &= registrar->parameter(buffer_, "buffer", "Buffer", "To write to.");
    result &= registrar->parameter(metric_, "metric", "Metric", "To record.");
    result &= registrar->parameter(peer_, "peer", "Peer", "A component of this extension.",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    auto message = input_->receive();
    if (!message) { return GXF_CONTRACT_MESSAGE_NOT_AVAILABLE; }
    const auto tensor = message->get<Tensor>();
    const auto stamp = message->get<Timestamp>("timestamp");
    const auto sequence = message->get<int64_t>("sequence");
    const auto video = message->get<VideoBuffer>();
    const auto payloads = message->findAll();
    if (!(tensor & stamp & sequence & video & payloads)) { return GXF_FAILURE; }
    const auto info = video.value()->video_frame_info();
    GXF_LOG_INFO("sequence=%ld last=%.0f video=%ux%u/%s/%u payloads=%zu first=%s stamped=%s",
                 *sequence.value(), tensor.value()->data<float>().value()[5], info.width,
                 info.height, info.color_planes.at(0).color_space.c_str(),
                 info.color_planes.at(0).stride, payloads->size(), payloads->at(0).value().name(),
                 stamp.value()->acqtime > 0 ? "yes" : "no");
    if (message->get<Timestamp>("no such name")) { return GXF_FAILURE; }

    buffer_->reset();
    const auto written = serializer_->serializeEntity(message.value(), buffer_.get());
    if (!written) { return ToResultCode(written); }
    auto back = serializer_->deserializeEntity(context(), buffer_.get());
    if (!back) { return ToResultCode(back); }
    GXF_LOG_INFO("serialized %zu bytes, read back `%s`", written.value(),
                 back->get<Reading>().value()->text.c_str());
    RETURN_IF_ERROR(metric_->record(1.0), "the metric does not take samples");
    return GXF_SUCCESS;
  }
  gxf_result_t stop() override {
    const auto sum = metric_->getAggregatedValue();
    RETURN_IF_ERROR(CheckAggregation(), "the metric does not aggregate as it was told");
    const auto names = entity().findAll<Component>();
    GXF_LOG_INFO("metric=%.0f components=%zu entity=%s peer=%s type=%s",
                 sum ? sum.value() : -1.0, names ? names->size() : 0, entity().name(),
                 peer_.try_get() ? peer_.try_get().value()->type_name() : "none", type_name());
    return GXF_SUCCESS;
  }

 private:
  // The functions that a program sets replace the policy of the file.
  Expected<void> CheckAggregation() {
    RETURN_IF_ERROR(metric_->reset());
    RETURN_IF_ERROR(metric_->setMaxAggregationFunction());
    RETURN_IF_ERROR(metric_->record(5.0));
    RETURN_IF_ERROR(metric_->record(2.0));
    if (metric_->getAggregatedValue().value_or(0.0) != 5.0) { return Unexpected{GXF_FAILURE}; }
    RETURN_IF_ERROR(metric_->setAggregationFunction([](double sample) { return 2.0 * sample; }));
    RETURN_IF_ERROR(metric_->record(4.0));
    if (metric_->getAggregatedValue().value_or(0.0) != 8.0) { return Unexpected{GXF_FAILURE}; }
    return Success;
  }

  Parameter<Handle<Receiver>> input_;
  Parameter<Handle<EntitySerializer>> serializer_;
  Parameter<Handle<Buffer>> buffer_;
  Parameter<Handle<Metric>> metric_;
  Parameter<Handle<CountingAllocator>> peer_;
};

// Switches the host's own terms.
class Switcher : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(boolean_, "boolean", "Boolean", "A switch.");
    result &= registrar->parameter(asynchronous_, "asynchronous", "Asynchronous", "An event.");
    result &= registrar->parameter(target_, "target", "Target", "A time.");
    result &= registrar->parameter(clock_, "clock", "Clock", "The time.");
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    if (!boolean_->checkTickEnabled()) { return GXF_FAILURE; }
    const AsynchronousEventState before = asynchronous_->getEventState();
    asynchronous_->setEventState(AsynchronousEventState::EVENT_DONE);
    GXF_LOG_INFO("switcher tick %ld, first %d, event %d to %d", getExecutionCount(), isFirstTick(),
                 static_cast<int>(before), static_cast<int>(asynchronous_->getEventState()));
    if (getExecutionCount() == 3) { return ToResultCode(boolean_->disable_tick()); }
    return target_->setNextTargetTime(clock_->timestamp() + 1000);
  }

 private:
  Parameter<Handle<BooleanSchedulingTerm>> boolean_;
  Parameter<Handle<AsynchronousSchedulingTerm>> asynchronous_;
  Parameter<Handle<TargetTimeSchedulingTerm>> target_;
  Parameter<Handle<Clock>> clock_;
};

class Thrower : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    return ToResultCode(registrar->parameter(stage_, "stage", "Stage", "Where to throw."));
  }
  gxf_result_t initialize() override { return Maybe("initialize"); }
  gxf_result_t start() override { return Maybe("start"); }
  gxf_result_t tick() override { return Maybe("tick"); }

 private:
  gxf_result_t Maybe(const char* stage) {
    if (stage_.get() == stage) { throw std::runtime_error("out of cheese"); }
    return GXF_SUCCESS;
  }
  Parameter<std::string> stage_;
};

}  // namespace surface
}  // namespace gxf
}  // namespace nvidia

extern "C" {
GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f01, "Surface", "Uses everything", "gxe",
                         "1.0.0", "Apache-2.0")
GXF_EXT_FACTORY_ADD_0(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f02, nvidia::gxf::surface::Reading, "Text")
GXF_EXT_FACTORY_ADD(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f03, nvidia::gxf::surface::CountingReceiver,
                    nvidia::gxf::Receiver, "Counts");
GXF_EXT_FACTORY_ADD_LITE(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f04,
                         nvidia::gxf::surface::NamedTransmitter,
                         nvidia::gxf::DoubleBufferTransmitter)
GXF_EXT_FACTORY_ADD_LITE(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f05, nvidia::gxf::surface::EveryOther,
                         nvidia::gxf::SchedulingTerm)
GXF_EXT_FACTORY_ADD_LITE(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f06, nvidia::gxf::surface::SlowPeriod,
                         nvidia::gxf::PeriodicSchedulingTerm)
GXF_EXT_FACTORY_ADD_VERBOSE(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f07,
                            nvidia::gxf::surface::CountingAllocator, nvidia::gxf::Allocator,
                            "Counting", "Counts blocks", "Counts the blocks that are out")
GXF_EXT_FACTORY_ADD_LITE(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f08, nvidia::gxf::surface::StepClock,
                         nvidia::gxf::Clock)
GXF_EXT_FACTORY_ADD_LITE(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f09,
                         nvidia::gxf::surface::RoundScheduler, nvidia::gxf::Scheduler)
GXF_EXT_FACTORY_ADD_LITE(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f0a, nvidia::gxf::surface::TickCounter,
                         nvidia::gxf::Monitor)
GXF_EXT_FACTORY_ADD_LITE(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f0b, nvidia::gxf::surface::Forgiving,
                         nvidia::gxf::Controller)
GXF_EXT_FACTORY_ADD_LITE(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f0c,
                         nvidia::gxf::surface::ReadingSerializer, nvidia::gxf::ComponentSerializer)
GXF_EXT_FACTORY_ADD_LITE(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f0d, nvidia::gxf::surface::OneReading,
                         nvidia::gxf::EntitySerializer)
GXF_EXT_FACTORY_ADD_LITE(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f0e, nvidia::gxf::surface::Everything,
                         nvidia::gxf::Codelet)
GXF_EXT_FACTORY_ADD_LITE(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f0f, nvidia::gxf::surface::Source,
                         nvidia::gxf::Codelet)
GXF_EXT_FACTORY_ADD_LITE(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f10, nvidia::gxf::surface::Sink,
                         nvidia::gxf::Codelet)
GXF_EXT_FACTORY_ADD_LITE(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f11, nvidia::gxf::surface::Switcher,
                         nvidia::gxf::Codelet)
GXF_EXT_FACTORY_ADD_LITE(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f12, nvidia::gxf::surface::Thrower,
                         nvidia::gxf::Codelet)
GXF_EXT_FACTORY_ADD_LITE(0x3a5a3a1f4e2d4c6b, 0x9b7a55d0c8e31f13, nvidia::gxf::surface::Buffer,
                         nvidia::gxf::Endpoint)
GXF_EXT_FACTORY_END()
}
