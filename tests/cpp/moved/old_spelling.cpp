// An extension in the spelling of GXF 2.4 and before, and of hurried hands: headers at their old
// places, search functions with a vector of the caller's, Expected in long chains, every log macro.
#define GXF_LOG_ACTIVE_LEVEL 4

#include <cinttypes>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/any.hpp"
#include "common/assert.hpp"
#include "common/backtrace.hpp"
#include "common/expected.hpp"
#include "common/fixed_map.hpp"
#include "common/fixed_string.hpp"
#include "common/fixed_vector.hpp"
#include "common/iterator.hpp"
#include "common/logger.hpp"
#include "common/memory_utils.hpp"
#include "common/optional.hpp"
#include "common/singleton.hpp"
#include "common/span.hpp"
#include "common/strong_type.hpp"
#include "common/type_name.hpp"
#include "common/unique_index_map.hpp"
#include "gems/utils/storage_size.hpp"
#include "gems/utils/time.hpp"
#include "gxf/core/entity.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"
#include "gxf/core/gxf_ext.h"
#include "gxf/core/handle.hpp"
#include "gxf/core/registrar.hpp"
#include "gxf/messages/camera_message.hpp"
#include "gxf/std/clock.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/extension_factory_helper.hpp"
#include "gxf/std/parameter_parser.hpp"
#include "gxf/std/parameter_parser_std.hpp"
#include "gxf/std/parameter_registrar.hpp"
#include "gxf/std/parameter_storage.hpp"
#include "gxf/std/parameter_wrapper.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/resource_manager.hpp"
#include "gxf/std/scheduling_terms.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/timestamp.hpp"
#include "gxf/std/transmitter.hpp"
#include "gxf/std/type_registry.hpp"

namespace {

// A list in a parameter, without a wrapper: there were none.
struct Range {
  int first;
  int last;
};

using StepNumber = nvidia::StrongType<struct step_number_t, int>;

}  // namespace

namespace nvidia {
namespace gxf {

template <>
struct ParameterParser<Range> {
  static Expected<Range> Parse(gxf_context_t context, gxf_uid_t component_uid, const char* key,
                               const YAML::Node& node, const std::string& prefix) {
    const auto list = ParameterParser<std::vector<int>>::Parse(context, component_uid, key, node,
                                                               prefix);
    if (!list) { return ForwardError(list); }
    if (list->size() != 2) { return Unexpected{GXF_PARAMETER_PARSER_ERROR}; }
    return Range{list.value()[0], list.value()[1]};
  }
};

namespace legacy {

// GXF 2.4 had these pure, so everybody wrote them.
class Producer : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override;
  gxf_result_t initialize() override { return GXF_SUCCESS; }
  gxf_result_t start() override { return GXF_SUCCESS; }
  gxf_result_t tick() override;
  gxf_result_t stop() override { return GXF_SUCCESS; }
  gxf_result_t deinitialize() override { return GXF_SUCCESS; }

 private:
  Parameter<Handle<Transmitter>> signal_;
  Parameter<Handle<Allocator>> pool_;
  Parameter<Handle<Clock>> clock_;
  Parameter<Range> range_;
  Parameter<std::string> name_;
  Parameter<uint64_t> size_;
  Parameter<int64_t> offset_;
};

gxf_result_t Producer::registerInterface(Registrar* registrar) {
  Expected<void> result;
  result &= registrar->parameter(signal_, "signal", "Signal", "Transmitter channel publishing");
  result &= registrar->parameter(pool_, "pool", "Pool", "");
  result &= registrar->parameter(clock_, "clock", "Clock", "", Registrar::NoDefaultParameter(),
                                 GXF_PARAMETER_FLAGS_OPTIONAL);
  result &= registrar->parameter(range_, "range", "Range", "", Range{0, 3});
  result &= registrar->parameter(name_, "name", "Name", "", std::string("old"));
  result &= registrar->parameter(size_, "size", "Size", "", 4UL);
  result &= registrar->parameter(offset_, "offset", "Offset", "", 0L);
  return ToResultCode(result);
}

gxf_result_t Producer::tick() {
  auto message = Entity::New(context());
  if (!message) {
    GXF_LOG_ERROR("Failed to create a message: %s", GxfResultStr(message.error()));
    return message.error();
  }
  // Old allocation: by hand, with a wrap around it.
  auto memory = pool_->allocate(size_.get() * sizeof(double), MemoryStorageType::kHost);
  if (!memory) { return ToResultCode(memory); }
  auto* values = nvidia::ValuePointer<double>(memory.value());
  std::iota(values, values + size_, static_cast<double>(range_.get().first));
  auto tensor = message.value().add<Tensor>("values");
  if (!tensor) { return tensor.error(); }
  Handle<Allocator> pool = pool_;
  std::array<int32_t, 1> dimensions{static_cast<int32_t>(size_.get())};
  const gxf_result_t wrapped = ToResultCode((*tensor)->wrapMemory(
      Shape{dimensions}, PrimitiveType::kFloat64, sizeof(double),
      Unexpected{GXF_UNINITIALIZED_VALUE}, MemoryStorageType::kHost, values,
      [pool](void* pointer) mutable { return pool->free(reinterpret_cast<byte*>(pointer)); }));
  if (wrapped != GXF_SUCCESS) { return wrapped; }
  auto stamp = message->add<Timestamp>();
  if (stamp) { stamp.value()->acqtime = clock_.try_get() ? clock_.try_get().value()->timestamp() : 0; }
  GXF_LOG_VERBOSE("not compiled: %d", 1);
  GXF_LOG_DEBUG("%s publishes %" PRIu64 " values at %" PRId64 " [%05zu]", name_.get().c_str(),
                size_.get(), stamp.value()->acqtime, message->eid());
  return ToResultCode(signal_->publish(message.value()));
}

class Consumer : Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(signal_, "signal", "Signal", "");
    result &= registrar->parameter(term_, "term", "Term", "", Registrar::NoDefaultParameter(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    return ToResultCode(result);
  }
  gxf_result_t start() override {
    sum_ = 0.0;
    return Chains() && Containers() && Names() ? GXF_SUCCESS : GXF_FAILURE;
  }
  gxf_result_t tick() override;
  gxf_result_t stop() override {
    GXF_LOG_INFO("old consumer: sum %.1f of %d messages", sum_, count_.value());
    return GXF_SUCCESS;
  }

 private:
  Expected<double> Sum(const Entity& message);
  bool Chains();
  bool Containers();
  bool Names();
  Expected<void> Check(int number) {
    if (number < 0) { return Unexpected{GXF_ARGUMENT_INVALID}; }
    return {};
  }
  Expected<int> Twice(int number) { return number * 2; }

  Parameter<Handle<Receiver>> signal_;
  Parameter<Handle<BooleanSchedulingTerm>> term_;
  double sum_ = 0.0;
  StepNumber count_{0};
};

Expected<double> Consumer::Sum(const Entity& message) {
  FixedVector<Handle<Tensor>, 8> tensors;
  const auto found = message.findAll(tensors);
  if (!found) { return ForwardError(found); }
  FixedVector<UntypedHandle, kMaxComponents> all;
  if (!message.findAll(all)) { return Unexpected{GXF_FAILURE}; }
  // The tensor, the producer's stamp without a name, and the `timestamp` of every message.
  if (all.size() != 3) { return Unexpected{GXF_ENTITY_COMPONENT_NOT_FOUND}; }
  double sum = 0.0;
  for (auto maybe : tensors) {
    auto tensor = maybe.value();
    Expected<double*> data = tensor->data<double>();
    if (!data) { return ForwardError(data); }
    Span<double> values(data.value(), tensor->element_count());
    for (const auto& value : values) { sum += value.value(); }
  }
  return sum;
}

gxf_result_t Consumer::tick() {
  return ToResultCode(signal_->receive()
                          .log_error("nothing has arrived at '%s'", signal_->name())
                          .map([this](const Entity& message) { return Sum(message); })
                          .map([this](double sum) {
                            sum_ += sum;
                            count_ = StepNumber{count_.value() + 1};
                            return sum;
                          })
                          .guard([](double sum) { return sum > 0.0; },
                                 Unexpected{GXF_ARGUMENT_OUT_OF_RANGE})
                          .log_debug("sum is not what it was")
                          .and_then([this]() -> Expected<void> {
                            auto term = term_.try_get();
                            if (!term || count_ < StepNumber{3}) { return Success; }
                            return term.value()->disable_tick();
                          }));
}

bool Consumer::Chains() {
  // Values.
  Expected<int> four = Twice(2);
  Expected<std::string> text = four.map([](int value) { return std::to_string(value); });
  Expected<long> wide = four;
  Expected<void> nothing{four};
  bool is_right = text == "4" && wide == 4L && nothing && four != Unexpected{GXF_FAILURE};
  is_right = is_right && four.map([this](int value) { return Twice(value); }).value() == 8;
  is_right = is_right && four.map([](int value) { return value + 1; }).value() == 5;
  is_right = is_right && text.map(&std::string::size).value() == 1;
  is_right = is_right && four.and_then([] { return 1.5; }).value() == 1.5;
  is_right = is_right && four.substitute(std::string("x")).value() == "x";
  is_right = is_right && four.substitute(Twice(7)).value() == 14;
  is_right = is_right && *four.and_then([this] { return Twice(1); }) == 2;
  std::unique_ptr<int> owned;
  Expected<std::unique_ptr<int>> pointer = std::make_unique<int>(9);
  is_right = is_right && std::move(pointer).assign_to(owned) && *owned == 9;
  // Errors.
  const Expected<int> bad = Unexpected{GXF_OUT_OF_MEMORY};
  is_right = is_right && !bad && bad.error() == GXF_OUT_OF_MEMORY && bad.value_or(3) == 3;
  is_right = is_right && bad.map([](int value) { return value; }).error() == GXF_OUT_OF_MEMORY;
  is_right = is_right && bad.substitute_error(GXF_FAILURE).error() == GXF_FAILURE;
  is_right = is_right && bad.map_error([](gxf_result_t) { return GXF_NOT_FINISHED; }).error() ==
                             GXF_NOT_FINISHED;
  is_right = is_right && bad.and_then_error([] { return GXF_NULL_POINTER; }).error() ==
                             GXF_NULL_POINTER;
  is_right = is_right && bad.log_debug("%d is expected", 1).ignore_error().has_value();
  is_right = is_right && (bad.log_info("as expected: %s", "no memory"), true);
  // Both.
  Expected<void> all = Check(1) & Check(2) & four;
  is_right = is_right && all && !(Check(1) & Check(-1)) && (Check(-1) | Check(1));
  all &= bad;
  all &= Check(-1);
  is_right = is_right && all.error() == GXF_OUT_OF_MEMORY;
  all |= Success;
  is_right = is_right && all && (four + four).value() == 8 && (four * 3).value() == 12;
  is_right = is_right && (four - bad).error() == GXF_OUT_OF_MEMORY && AllOf(four, text, wide);
  is_right = is_right && Apply([](int a, long b) { return a + b; }, four, wide).value() == 8;
  const bool flag = count_.value() == 0;
  Expected<void> chosen = flag ? Success : Unexpected{GXF_FAILURE};
  is_right = is_right && chosen && ToResultCode(ExpectedOrCode(GXF_FAILURE)) == GXF_FAILURE;
  is_right = is_right && ExpectedOrCode(GXF_SUCCESS, 7).value() == 7;
  is_right = is_right && ExpectedOrError(bad, 7).error() == GXF_OUT_OF_MEMORY;
  is_right = is_right && AccumulateError(GXF_FAILURE, GXF_SUCCESS) == GXF_FAILURE;
  int number = 5;
  nvidia::Expected<int&, gxf_result_t> reference = number;
  reference.value() = 6;
  four.replace(number);
  is_right = is_right && number == 6 && four == 6;
  if (!is_right) { GXF_LOG_ERROR("Expected is not what it was"); }
  return is_right;
}

bool Consumer::Containers() {
  FixedVector<int, 4> vector;
  for (int i = 0; i < 4; i++) { GXF_ASSERT(vector.push_back(i), "no room for %d", i); }
  bool is_right = vector.full() && !vector.push_back(4) &&
                  vector.push_back(4).error() == FixedVectorBase<int>::Error::kContainerFull;
  is_right = is_right && vector.at(3).substitute_error(GXF_FAILURE).value() == 3 &&
             vector.at(4).substitute_error(GXF_QUERY_NOT_FOUND).error() == GXF_QUERY_NOT_FOUND;
  is_right = is_right && vector.insert(0, 9).error() == FixedVectorBase<int>::Error::kContainerFull;
  is_right = is_right && vector.erase(0) && vector.insert(1, 7) && vector[1].value() == 7;
  int sum = 0;
  for (auto it = vector.begin(); it != vector.end(); ++it) { sum += (*it).value(); }
  FixedVector<std::string> heap;
  is_right = is_right && heap.reserve(2) && heap.emplace_back(3, 'x') && heap.front().value() == "xxx";
  FixedString<16> word("word");
  is_right = is_right && word.append("s") && word == "words" && std::strlen(word.c_str()) == 5 &&
             !word.copy("a text that is much too long");
  int array[] = {1, 2, 3};
  Span<int> span(array);
  is_right = is_right && span.size_bytes() == 12 && span.subspan(1).value()[0].value() == 2 &&
             !span.at(3) && span.first(2).value().back().value() == 2;
  FixedMap<int, std::string> map;
  is_right = is_right && map.reserve(4) && map.insert(1, "one") && map.at(1).value() == "one" && !map.at(2);
  UniqueIndexMap<std::string> index;
  is_right = is_right && index.initialize(2);
  const auto uid = index.insert("first");
  is_right = is_right && uid && index.valid(uid.value()) && index.erase(uid.value());
  std::optional<int> optional;
  optional = 3;
  std::any any = *optional;
  is_right = is_right && std::any_cast<int>(any) == 3 && sum == 1 + 7 + 2 + 3;
  auto made = MakeUniqueNoThrow<Range>(Range{1, 2});
  is_right = is_right && made && made->last == 2;
  if (!is_right) { GXF_LOG_ERROR("containers are not what they were, sum %d", sum); }
  return is_right;
}

bool Consumer::Names() {
  bool is_right = !std::strcmp(TypenameAsString<uint8_t>(), "unsigned char") &&
                  !std::strcmp(TypenameAsString<Consumer>(), "nvidia::gxf::legacy::Consumer") &&
                  !std::strcmp(type_name(), TypenameAsString<Consumer>());
  Entity own = entity();
  const auto clock = own.get<Clock>();
  const auto self = own.get<Consumer>(name());
  is_right = is_right && !clock && self && self.value().cid() == cid() && self.value() == self.value();
  Handle<Receiver> receiver = signal_.get();
  Handle<Queue> queue = receiver;
  Receiver* raw = receiver;
  is_right = is_right && queue.cid() == receiver.cid() && raw->capacity() == receiver->capacity() &&
             Handle<Queue>::Create(context(), receiver.cid()).value() == queue &&
             !Handle<Transmitter>::Create(context(), receiver.cid());
  gxf_tid_t tid = GxfTidNull();
  is_right = is_right && GxfComponentTypeId(context(), "nvidia::gxf::Receiver", &tid) == GXF_SUCCESS &&
             !GxfTidIsNull(tid);
  int32_t offset = 0;
  gxf_uid_t found = kNullUid;
  is_right = is_right &&
             GxfComponentFind(context(), eid(), tid, nullptr, &offset, &found) == GXF_SUCCESS &&
             found == receiver.cid();
  const auto period = ParseRecessPeriodString("100Hz", cid());
  is_right = is_right && period.value() == 10'000'000 &&
             StorageSize::ParseStorageSizeString("2KB", cid()).value() > 0;
  if (!is_right) { GXF_LOG_ERROR("names are not what they were"); }
  return is_right;
}

}  // namespace legacy
}  // namespace gxf
}  // namespace nvidia

GXF_EXT_FACTORY_BEGIN()

GXF_EXT_FACTORY_SET_INFO(0x24242424aaaa0001, 0x24242424bbbb0001, "LegacyExtension",
                         "In the spelling of 2.4", "gxe", "0.2.4", "LICENSE");

GXF_EXT_FACTORY_ADD(0x24242424aaaa0001, 0x24242424bbbb0002, nvidia::gxf::legacy::Producer,
                    nvidia::gxf::Codelet, "Produces");
GXF_EXT_FACTORY_ADD(0x24242424aaaa0001, 0x24242424bbbb0003, nvidia::gxf::legacy::Consumer,
                    nvidia::gxf::Codelet, "Consumes");

GXF_EXT_FACTORY_END()
