// An extension of test components as projects keep them beside their own: parameters of every type,
// codelets that fail on purpose, counters that judge a run, sources and sinks of tensors and frames.
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/assert.hpp"
#include "common/fixed_string.hpp"
#include "common/fixed_vector.hpp"
#include "common/logger.hpp"
#include "gxf/core/filepath.hpp"
#include "gxf/core/gxf.h"
#include "gxf/core/parameter_parser_std.hpp"
#include "gxf/multimedia/video.hpp"
#include "gxf/std/allocator.hpp"
#include "gxf/std/clock.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/monitor.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/scheduling_terms.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/timestamp.hpp"
#include "gxf/std/transmitter.hpp"

namespace nvidia {
namespace gxf {
namespace test {

// How a mock distributes numbers.
enum class Distribution {
  kConstant = 0,
  kRamp = 1,
};

// A range of values in one parameter.
struct Interval {
  double low = 0.0;
  double high = 1.0;
  std::vector<std::string> labels;
};

}  // namespace test

template <>
struct ParameterParser<test::Distribution> {
  static Expected<test::Distribution> Parse(gxf_context_t context, gxf_uid_t component_uid,
                                            const char* key, const YAML::Node& node,
                                            const std::string& prefix) {
    (void)context;
    (void)component_uid;
    (void)prefix;
    const std::string value = node.as<std::string>();
    if (strcmp(value.c_str(), "Constant") == 0) { return test::Distribution::kConstant; }
    if (strcmp(value.c_str(), "Ramp") == 0) { return test::Distribution::kRamp; }
    GXF_LOG_ERROR("[%s] there is no distribution '%s'", key, value.c_str());
    return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE};
  }
};

template <>
struct ParameterWrapper<test::Distribution> {
  static Expected<YAML::Node> Wrap(gxf_context_t context, const test::Distribution& value) {
    (void)context;
    YAML::Node node(YAML::NodeType::Scalar);
    switch (value) {
      case test::Distribution::kConstant:
        node = std::string("Constant");
        break;
      case test::Distribution::kRamp:
        node = std::string("Ramp");
        break;
      default:
        return Unexpected{GXF_PARAMETER_OUT_OF_RANGE};
    }
    return node;
  }
};

template <>
struct ParameterParser<test::Interval> {
  static Expected<test::Interval> Parse(gxf_context_t context, gxf_uid_t component_uid,
                                        const char* key, const YAML::Node& node,
                                        const std::string& prefix) {
    if (!node.IsMap()) { return Unexpected{GXF_PARAMETER_PARSER_ERROR}; }
    auto low = ParameterParser<double>::Parse(context, component_uid, key, node["low"], prefix);
    if (!low) { return ForwardError(low); }
    test::Interval interval;
    interval.low = low.value();
    for (YAML::const_iterator it = node.begin(); it != node.end(); ++it) {
      const auto name = it->first.as<std::string>();
      if (name == "high") { interval.high = it->second.as<double>(); }
      if (name == "labels") { interval.labels = it->second.as<std::vector<std::string>>(); }
    }
    return interval;
  }
};

namespace test {

constexpr const char* kTensorName = "tensor";

// Has a parameter of every type and checks in `start` that they hold what the file says.
class ParameterMock : public Codelet {
 public:
  virtual ~ParameterMock() = default;

  gxf_result_t registerInterface(Registrar* registrar) override {
    if (!registrar) { return GXF_ARGUMENT_NULL; }
    Expected<void> result;
    result &= registrar->parameter(int8_, "int8", "8 bits", "", static_cast<int8_t>(-8));
    result &= registrar->parameter(int16_, "int16", "16 bits", "", static_cast<int16_t>(-16));
    result &= registrar->parameter(int32_, "int32", "32 bits", "", -32);
    result &= registrar->parameter(int64_, "int64", "64 bits", "", -64L);
    result &= registrar->parameter(uint8_, "uint8", "8 bits", "", static_cast<uint8_t>(8));
    result &= registrar->parameter(uint16_, "uint16", "16 bits", "", static_cast<uint16_t>(16));
    result &= registrar->parameter(uint32_, "uint32", "32 bits", "", 32u);
    result &= registrar->parameter(uint64_, "uint64", "64 bits", "", 64ul);
    result &= registrar->parameter(float32_, "float32", "Single", "", 0.5f);
    result &= registrar->parameter(float64_, "float64", "Double", "", 0.25);
    result &= registrar->parameter(bool_, "bool", "Flag", "", false);
    result &= registrar->parameter(string_, "string", "Text", "", std::string("text"));
    result &= registrar->parameter(file_, "file", "Path", "", FilePath{"/nowhere"});
    result &= registrar->parameter(complex_, "complex", "Complex", "", std::complex<double>{1, -2});
    result &= registrar->parameter(text_list_, "text_list", "Texts", "",
                                   std::vector<std::string>{"a", "b", "c"});
    result &= registrar->parameter(number_list_, "number_list", "Numbers", "");
    result &= registrar->parameter(byte_list_, "byte_list", "Bytes", "",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(matrix_, "matrix", "Matrix", "",
                                   std::vector<std::vector<float>>{{1.0f, 0.0f}, {0.0f, 1.0f}});
    result &= registrar->parameter(cube_, "cube", "Cube", "");
    result &= registrar->parameter(array_, "array", "Array", "", std::array<double, 3>{1, 2, 3});
    result &= registrar->parameter(names_, "names", "Names", "",
                                   std::array<std::string, 2>{"left", "right"});
    result &= registrar->parameter(fixed_, "fixed", "Fixed", "");
    result &= registrar->parameter(word_, "word", "Word", "", FixedString<8>("abc"));
    result &= registrar->parameter(table_, "table", "Table", "");
    result &= registrar->parameter(rows_, "rows", "Rows by name", "",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(pairs_, "pairs", "Pairs", "", Registrar::NoDefaultParameter(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(distribution_, "distribution", "Distribution", "",
                                   Distribution::kConstant);
    result &= registrar->parameter(distributions_, "distributions", "Distributions", "",
                                   std::vector<Distribution>{});
    result &= registrar->parameter(interval_, "interval", "Interval", "", Interval{});
    result &= registrar->parameter(intervals_, "intervals", "Intervals", "",
                                   std::vector<Interval>{});
    result &= registrar->parameter(receivers_, "receivers", "Receivers", "");
    result &= registrar->parameter(many_, "many", "Receivers", "", Registrar::NoDefaultParameter(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(two_, "two", "Two receivers", "",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(by_name_, "by_name", "Receivers by name", "",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(clock_, "clock", "Clock", "", Registrar::NoDefaultParameter(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(open_, "open", "Given later", "",
                                   Handle<Allocator>::Unspecified(), GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(storage_, "storage", "Storage", "", MemoryStorageType::kSystem);
    result &= registrar->parameter(dynamic_, "dynamic", "Changes", "", 7,
                                   GXF_PARAMETER_FLAGS_OPTIONAL | GXF_PARAMETER_FLAGS_DYNAMIC);
    return ToResultCode(result);
  }

  gxf_result_t start() override {
    GXF_ASSERT_EQ(int8_.get(), -5);
    GXF_ASSERT_EQ(int16_, -16);
    GXF_ASSERT_EQ(int32_.get() + int64_.get(), -96);
    GXF_ASSERT(uint8_ == 200 && uint16_ == 16 && uint32_ == 32u && uint64_ == 64ul, "unsigned");
    GXF_ASSERT_NEAR(float32_ + float64_, 0.75, 1e-9);
    GXF_ASSERT_TRUE(bool_.get());
    GXF_ASSERT_STREQ(string_.get().c_str(), "{a: 1, b: [2, 3]}");
    GXF_ASSERT_STREQ(file_.get().c_str(), "/dev/null");
    GXF_ASSERT(std::abs(complex_.get() - std::complex<double>(3.0, 4.5)) < 1e-9, "complex");
    GXF_ASSERT_EQ(text_list_.get().size(), 3ul);
    GXF_ASSERT_EQ(std::accumulate(number_list_.get().begin(), number_list_.get().end(), 0L), 6L);
    GXF_ASSERT(byte_list_.try_get() && byte_list_.try_get().value().at(1) == 255, "bytes");
    GXF_ASSERT_EQ(matrix_.get()[1][0], 0.0f);
    GXF_ASSERT_EQ(cube_.get()[1][0][1], 6ul);
    GXF_ASSERT_EQ(array_.get()[2], 3.0);
    GXF_ASSERT(names_.get()[0] == "up" && names_.get()[1] == "down", "names");
    GXF_ASSERT(fixed_.get().size() == 2 && fixed_.get()[1].value() == 8, "fixed");
    GXF_ASSERT(word_.get() == "word", "word is '%s'", word_.get().c_str());
    GXF_ASSERT(table_.get().at("one") == 1 && table_.get().count("three") == 0, "table");
    GXF_ASSERT(rows_.try_get()->at("x").back() == 2.5, "rows");
    GXF_ASSERT(pairs_.try_get()->front().second[1] == 4.0, "pairs");
    GXF_ASSERT(distribution_ == Distribution::kRamp, "distribution");
    GXF_ASSERT(distributions_.get().at(1) == Distribution::kRamp, "distributions");
    GXF_ASSERT(interval_.get().high == 2.0 && interval_.get().labels.size() == 2, "interval");
    GXF_ASSERT(intervals_.get().at(1).low == 7.0, "intervals");
    GXF_ASSERT(receivers_.get()[1] == many_.try_get().value()[1].value(), "receivers");
    GXF_ASSERT(two_.try_get().value()[0]->capacity() == 1, "two");
    GXF_ASSERT_STREQ(by_name_.try_get()->at("b").name(), "b");
    GXF_ASSERT_FALSE(clock_.try_get().has_value());
    GXF_ASSERT(open_.try_get().value() == Handle<Allocator>::Unspecified(), "open");
    GXF_ASSERT(storage_ == MemoryStorageType::kHost, "storage");
    GXF_ASSERT(dynamic_.try_get() && dynamic_.try_get().value() == 7, "dynamic");
    GXF_LOG_INFO("all parameters of '%s' are right", name());
    return GXF_SUCCESS;
  }
  // What a component sets itself is there for all who ask, at once and in the next tick.
  gxf_result_t tick() override {
    const auto ticks = static_cast<int>(getExecutionCount());
    GXF_ASSERT_EQ(dynamic_.try_get().value(), 6 + ticks);
    RETURN_IF_ERROR(dynamic_.set(7 + ticks));
    RETURN_IF_ERROR(string_.set("tick " + std::to_string(ticks)));
    RETURN_IF_ERROR(setParameter("float64", 0.5 * ticks));
    RETURN_IF_ERROR(distribution_.set(Distribution::kConstant));
    int32_t number = 0;
    double half = 0.0;
    const char* text = nullptr;
    GXF_ASSERT_SUCCESS(GxfParameterGetInt32(context(), cid(), "dynamic", &number));
    GXF_ASSERT_SUCCESS(GxfParameterGetFloat64(context(), cid(), "float64", &half));
    GXF_ASSERT_SUCCESS(GxfParameterGetStr(context(), cid(), "string", &text));
    GXF_ASSERT(number == 7 + ticks && half == 0.5 * ticks && string_.get() == text, "asked: %s", text);
    GXF_ASSERT(distribution_ == Distribution::kConstant, "distribution");
    return GXF_SUCCESS;
  }

 private:
  Parameter<int8_t> int8_;
  Parameter<int16_t> int16_;
  Parameter<int32_t> int32_;
  Parameter<int64_t> int64_;
  Parameter<uint8_t> uint8_;
  Parameter<uint16_t> uint16_;
  Parameter<uint32_t> uint32_;
  Parameter<uint64_t> uint64_;
  Parameter<float> float32_;
  Parameter<double> float64_;
  Parameter<bool> bool_;
  Parameter<std::string> string_;
  Parameter<FilePath> file_;
  Parameter<std::complex<double>> complex_;
  Parameter<std::vector<std::string>> text_list_;
  Parameter<std::vector<int64_t>> number_list_;
  Parameter<std::vector<uint8_t>> byte_list_;
  Parameter<std::vector<std::vector<float>>> matrix_;
  Parameter<std::vector<std::vector<std::vector<uint64_t>>>> cube_;
  Parameter<std::array<double, 3>> array_;
  Parameter<std::array<std::string, 2>> names_;
  Parameter<FixedVector<int, 4>> fixed_;
  Parameter<FixedString<8>> word_;
  Parameter<std::unordered_map<std::string, int>> table_;
  Parameter<std::unordered_map<std::string, std::vector<double>>> rows_;
  Parameter<std::vector<std::pair<std::array<double, 2>, std::array<double, 2>>>> pairs_;
  Parameter<Distribution> distribution_;
  Parameter<std::vector<Distribution>> distributions_;
  Parameter<Interval> interval_;
  Parameter<std::vector<Interval>> intervals_;
  Parameter<std::vector<Handle<Receiver>>> receivers_;
  Parameter<FixedVector<Handle<Receiver>, kMaxComponents>> many_;
  Parameter<std::array<Handle<Receiver>, 2>> two_;
  Parameter<std::unordered_map<std::string, Handle<Receiver>>> by_name_;
  Parameter<Handle<Clock>> clock_;
  Parameter<Handle<Allocator>> open_;
  Parameter<MemoryStorageType> storage_;
  Parameter<int> dynamic_;
};

// Counts its ticks and fails at the end when there were not as many as expected.
class StepCounter : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(expected_start_count_, "expected_start_count", "Starts",
                                   "Number of expected starts",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(expected_count_, "expected_count", "Ticks",
                                   "Number of expected ticks", Registrar::NoDefaultParameter(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    return ToResultCode(result);
  }
  gxf_result_t initialize() override {
    start_count_ = 0;
    total_count_ = 0;
    return GXF_SUCCESS;
  }
  gxf_result_t start() override {
    start_count_++;
    current_count_ = 0;
    return GXF_SUCCESS;
  }
  gxf_result_t tick() override {
    current_count_++;
    total_count_++;
    if (isFirstTick() != (current_count_ == 1)) { return GXF_FAILURE; }
    return current_count_ == static_cast<uint64_t>(getExecutionCount()) ? GXF_SUCCESS : GXF_FAILURE;
  }
  gxf_result_t stop() override {
    if (const auto maybe = expected_count_.try_get()) {
      if (maybe.value() != current_count_) {
        GXF_LOG_ERROR("%zu ticks instead of %zu", current_count_, maybe.value());
        return GXF_FAILURE;
      }
    }
    return GXF_SUCCESS;
  }
  gxf_result_t deinitialize() override {
    const auto maybe = expected_start_count_.try_get();
    if (maybe && *maybe != start_count_) {
      GXF_LOG_ERROR("%zu starts instead of %zu", start_count_, *maybe);
      return GXF_FAILURE;
    }
    GXF_LOG_INFO("counter of '%s' saw %zu ticks", name(), total_count_);
    return GXF_SUCCESS;
  }

 private:
  Parameter<size_t> expected_start_count_;
  Parameter<size_t> expected_count_;
  size_t start_count_ = 0;
  size_t current_count_ = 0;
  size_t total_count_ = 0;
};

// Fails in a stage, after a number of ticks.
class MockFailure : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(max_count_, "max_count", "Ticks", "Fails in this one", 0);
    result &= registrar->parameter(fail_on_start_, "fail_on_start", "At start", "", false);
    return ToResultCode(result);
  }
  gxf_result_t start() override { return fail_on_start_ ? GXF_FAILURE : GXF_SUCCESS; }
  gxf_result_t tick() override {
    return ++count_ < max_count_ ? GXF_SUCCESS : GXF_CONTRACT_INVALID_SEQUENCE;
  }

 private:
  Parameter<int> max_count_;
  Parameter<bool> fail_on_start_;
  int count_ = 0;
};

// Publishes tensors of a type and a shape, one a tick.
class TensorGenerator : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(output_, "output", "Output", "Transmitter for tensors");
    result &= registrar->parameter(allocator_, "allocator", "Allocator", "Memory for tensors");
    result &= registrar->parameter(clock_, "clock", "Clock", "For time stamps",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(shape_, "shape", "Shape", "Of every tensor",
                                   std::vector<int32_t>{2, 2});
    result &= registrar->parameter(data_type_, "data_type", "Type", "Of elements",
                                   std::string("float32"));
    result &= registrar->parameter(count_, "tensor_count", "Count", "In a message", 1u);
    return ToResultCode(result);
  }
  gxf_result_t start() override {
    static const std::unordered_map<std::string, PrimitiveType> kTypes = {
        {"uint8", PrimitiveType::kUnsigned8}, {"int32", PrimitiveType::kInt32},
        {"float32", PrimitiveType::kFloat32}, {"float64", PrimitiveType::kFloat64},
        {"complex64", PrimitiveType::kComplex64}};
    const auto found = kTypes.find(data_type_);
    if (found == kTypes.end()) {
      GXF_LOG_ERROR("no type '%s'", data_type_.get().c_str());
      return GXF_PARAMETER_OUT_OF_RANGE;
    }
    type_ = found->second;
    return GXF_SUCCESS;
  }
  gxf_result_t tick() override {
    Expected<Entity> maybe_message = Entity::New(context());
    if (!maybe_message) { return ToResultCode(maybe_message); }
    auto& message = maybe_message.value();
    for (uint32_t i = 0; i < count_; i++) {
      const std::string name = std::string(kTensorName) + std::to_string(i);
      auto maybe_tensor = message.add<Tensor>(name.c_str());
      if (!maybe_tensor) { return maybe_tensor.error(); }
      auto result = fill(maybe_tensor.value(), i);
      if (!result) { return ToResultCode(result); }
    }
    const auto clock = clock_.try_get();
    const int64_t now = clock ? clock.value()->timestamp() : getExecutionTimestamp();
    return ToResultCode(
        message.add<Timestamp>("timestamp")
            .map([&](Handle<Timestamp> timestamp) -> Expected<void> {
              timestamp->acqtime = now;
              timestamp->pubtime = now;
              return Success;
            })
            .and_then([&]() { return output_->publish(message); }));
  }

 private:
  Expected<void> fill(Handle<Tensor> tensor, uint32_t index) {
    const Shape shape{shape_.get()};
    return tensor
        ->reshapeCustom(shape, type_, PrimitiveTypeSize(type_), Unexpected{GXF_UNINITIALIZED_VALUE},
                        MemoryStorageType::kSystem, allocator_)
        .and_then([&]() -> Expected<void> {
          std::memset(tensor->pointer(), 0, tensor->size());
          if (type_ != PrimitiveType::kFloat32) { return Success; }
          auto data = tensor->data<float>();
          if (!data) { return ForwardError(data); }
          std::iota(data.value(), data.value() + tensor->element_count(),
                    static_cast<float>(index));
          return Success;
        });
  }

  Parameter<Handle<Transmitter>> output_;
  Parameter<Handle<Allocator>> allocator_;
  Parameter<Handle<Clock>> clock_;
  Parameter<std::vector<int32_t>> shape_;
  Parameter<std::string> data_type_;
  Parameter<uint32_t> count_;
  PrimitiveType type_ = PrimitiveType::kCustom;
};

// Compares the tensors of two messages.
class TensorComparator : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(expected_, "expected", "Expected", "One stream");
    result &= registrar->parameter(actual_, "actual", "Actual", "The other stream");
    result &= registrar->parameter(compare_timestamp_, "compare_timestamp", "Times", "", false);
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    Entity expected, actual;
    Expected<void> result;
    result &= expected_->receive().assign_to(expected);
    result &= actual_->receive().assign_to(actual);
    if (!result) { return ToResultCode(result); }
    FixedVector<Handle<Tensor>, kMaxComponents> first, second;
    const auto all = expected.findAll<Tensor>().assign_to(first) &
                     actual.findAll<Tensor>().assign_to(second);
    if (!all) { return ToResultCode(all); }
    if (first.size() != second.size() || first.empty()) { return GXF_FAILURE; }
    for (size_t i = 0; i < first.size(); i++) {
      const Handle<Tensor> a = first[i].value();
      const Handle<Tensor> b = second[i].value();
      if (std::string(a.name()) != b.name() || a->shape() != b->shape() ||
          a->element_type() != b->element_type() || a->storage_type() != b->storage_type()) {
        GXF_LOG_ERROR("'%s' is not '%s'", a.name(), b.name());
        return GXF_FAILURE;
      }
      if (std::memcmp(a->pointer(), b->pointer(), a->size()) != 0) { return GXF_FAILURE; }
    }
    if (compare_timestamp_) {
      const auto a = expected.get<Timestamp>("timestamp");
      const auto b = actual.get<Timestamp>("timestamp");
      if (!a || !b || a.value()->acqtime != b.value()->acqtime) { return GXF_FAILURE; }
    }
    compared_++;
    return GXF_SUCCESS;
  }
  gxf_result_t stop() override {
    GXF_LOG_INFO("compared %d messages", compared_);
    return GXF_SUCCESS;
  }

 private:
  Parameter<Handle<Receiver>> expected_;
  Parameter<Handle<Receiver>> actual_;
  Parameter<bool> compare_timestamp_;
  int compared_ = 0;
};

// Publishes frames of grey levels.
class VideoGenerator : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(video_tx_, "video_tx", "Video", "Transmitter");
    result &= registrar->parameter(width_, "width", "Width", "", 1920u);
    result &= registrar->parameter(height_, "height", "Height", "", 1080u);
    result &= registrar->parameter(pool_, "pool", "Pool", "");
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    auto message = Entity::New(context());
    if (!message) {
      GXF_LOG_ERROR("no message");
      return GXF_FAILURE;
    }
    auto frame = message.value().add<VideoBuffer>();
    if (!frame) { return GXF_FAILURE; }
    frame.value()->resize<VideoFormat::GXF_VIDEO_FORMAT_GRAY>(
        width_, height_, SurfaceLayout::GXF_SURFACE_LAYOUT_PITCH_LINEAR, MemoryStorageType::kHost,
        pool_, false);
    if (!frame.value()->pointer()) { return GXF_OUT_OF_MEMORY; }
    const ColorPlane& plane = frame.value()->video_frame_info().color_planes[0];
    std::memset(frame.value()->pointer(), static_cast<int>(getExecutionCount()), plane.size);
    const auto result = video_tx_->publish(message.value(), getExecutionTimestamp());
    return ToResultCode(message) != GXF_SUCCESS ? GXF_FAILURE : ToResultCode(result);
  }

 private:
  Parameter<Handle<Transmitter>> video_tx_;
  Parameter<uint32_t> width_;
  Parameter<uint32_t> height_;
  Parameter<Handle<Allocator>> pool_;
};

// Watches what the entities of a graph return.
class EntityMonitor : public Monitor {
 public:
  gxf_result_t initialize() override {
    successes_ = failures_ = 0;
    return GXF_SUCCESS;
  }
  gxf_result_t on_execute_abi(gxf_uid_t eid, uint64_t timestamp, gxf_result_t code) override {
    const char* entity_name = "UNKNOWN";
    GxfParameterGetStr(context(), eid, kInternalNameParameterKey, &entity_name);
    GXF_LOG_VERBOSE("'%s' [%05zu] at %zu: %s", entity_name, eid, timestamp, GxfResultStr(code));
    (isSuccessful(code) ? successes_ : failures_)++;
    return GXF_SUCCESS;
  }
  gxf_result_t deinitialize() override {
    GXF_LOG_INFO("monitor: %s, %d failures", successes_ > 0 ? "ran" : "did not run",
                 failures_.load());
    return GXF_SUCCESS;
  }

 private:
  std::atomic<int> successes_{0};
  std::atomic<int> failures_{0};
};

}  // namespace test
}  // namespace gxf
}  // namespace nvidia

GXF_EXT_FACTORY_BEGIN()
GXF_EXT_FACTORY_SET_INFO(0x7f9f4d6ab1c84c11, 0x8a1f2d3c4b5a6901, "MockExtension",
                         "Components for tests", "gxe", "1.0.0", "Apache-2.0");
GXF_EXT_FACTORY_SET_DISPLAY_INFO("Mock Extension", "Test", "Components for tests");
GXF_EXT_FACTORY_ADD(0x7f9f4d6ab1c84c11, 0x8a1f2d3c4b5a6902, nvidia::gxf::test::ParameterMock,
                    nvidia::gxf::Codelet, "Has every parameter");
GXF_EXT_FACTORY_ADD(0x7f9f4d6ab1c84c11, 0x8a1f2d3c4b5a6903, nvidia::gxf::test::StepCounter,
                    nvidia::gxf::Codelet, "Counts ticks");
GXF_EXT_FACTORY_ADD(0x7f9f4d6ab1c84c11, 0x8a1f2d3c4b5a6904, nvidia::gxf::test::MockFailure,
                    nvidia::gxf::Codelet, "Fails");
GXF_EXT_FACTORY_ADD(0x7f9f4d6ab1c84c11, 0x8a1f2d3c4b5a6905, nvidia::gxf::test::TensorGenerator,
                    nvidia::gxf::Codelet, "Publishes tensors");
GXF_EXT_FACTORY_ADD(0x7f9f4d6ab1c84c11, 0x8a1f2d3c4b5a6906, nvidia::gxf::test::TensorComparator,
                    nvidia::gxf::Codelet, "Compares tensors");
GXF_EXT_FACTORY_ADD(0x7f9f4d6ab1c84c11, 0x8a1f2d3c4b5a6907, nvidia::gxf::test::VideoGenerator,
                    nvidia::gxf::Codelet, "Publishes frames");
GXF_EXT_FACTORY_ADD(0x7f9f4d6ab1c84c11, 0x8a1f2d3c4b5a6908, nvidia::gxf::test::EntityMonitor,
                    nvidia::gxf::Monitor, "Watches entities");
GXF_EXT_FACTORY_END();
