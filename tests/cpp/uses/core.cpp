// Uses of the headers of `gxf/core/` as extensions write them. It is compiled, not run.
#include "gxf/core/component.hpp"
#include "gxf/core/entity.hpp"
#include "gxf/core/entity_executor.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/expected_macro.hpp"
#include "gxf/core/filepath.hpp"
#include "gxf/core/gxf.h"
#include "gxf/core/gxf_ext.h"
#include "gxf/core/handle.hpp"
#include "gxf/core/parameter.hpp"
#include "gxf/core/parameter_parser.hpp"
#include "gxf/core/parameter_parser_std.hpp"
#include "gxf/core/parameter_registrar.hpp"
#include "gxf/core/parameter_storage.hpp"
#include "gxf/core/parameter_wrapper.hpp"
#include "gxf/core/registrar.hpp"
#include "gxf/core/resource.hpp"
#include "gxf/core/resource_manager.hpp"
#include "gxf/core/resource_registrar.hpp"
#include "gxf/core/type_registry.hpp"
// Where the same things were before 4.0.
#include "gxf/std/parameter_parser.hpp"
#include "gxf/std/parameter_parser_std.hpp"
#include "gxf/std/parameter_registrar.hpp"
#include "gxf/std/parameter_storage.hpp"
#include "gxf/std/parameter_wrapper.hpp"
#include "gxf/std/resource_manager.hpp"
#include "gxf/std/resource_registrar.hpp"
#include "gxf/std/type_registry.hpp"

#include <array>
#include <complex>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gxf/std/allocator.hpp"
#include "gxf/std/clock.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/resources.hpp"
#include "gxf/std/tensor.hpp"
#include "gxf/std/timestamp.hpp"
#include "gxf/std/transmitter.hpp"

namespace uses {

/// A type with a parser as sources for 2.4 have it: without a wrapper.
struct Range {
  double low = 0.0;
  double high = 1.0;
};
enum class Mode { kSlow, kFast };
/// A type that yaml-cpp converts.
struct Pixel {
  int row;
  int column;
};
/// A type with everything.
class Policy {
 public:
  enum Kind { kDrop, kKeep };
  Kind kind = kDrop;
};

}  // namespace uses

namespace YAML {
template <>
struct convert<uses::Pixel> {
  static Node encode(const uses::Pixel& pixel) {
    Node node;
    node.push_back(pixel.row);
    node.push_back(pixel.column);
    return node;
  }
  static bool decode(const Node& node, uses::Pixel& pixel) {
    if (!node.IsSequence() || node.size() != 2) { return false; }
    pixel.row = node[0].as<int>();
    pixel.column = node[1].as<int>();
    return true;
  }
};
}  // namespace YAML

namespace nvidia {
namespace gxf {

template <>
struct ParameterParser<uses::Range> {
  static Expected<uses::Range> Parse(gxf_context_t context, gxf_uid_t component_uid,
                                     const char* key, const YAML::Node& node,
                                     const std::string& prefix) {
    (void)context, (void)component_uid, (void)key, (void)prefix;
    if (!node.IsMap()) { return Unexpected{GXF_PARAMETER_PARSER_ERROR}; }
    uses::Range range;
    if (node["low"]) { range.low = node["low"].as<double>(); }
    range.high = node["high"].as<double>(2.0);
    for (const auto& item : node) { GXF_LOG_DEBUG("%s", item.first.as<std::string>().c_str()); }
    for (YAML::const_iterator it = node.begin(); it != node.end(); ++it) {
      GXF_LOG_DEBUG("%s", it->second.Scalar().c_str());
    }
    return range;
  }
};

template <>
struct ParameterParser<uses::Mode> {
  static Expected<uses::Mode> Parse(gxf_context_t, gxf_uid_t, const char* key,
                                    const YAML::Node& node, const std::string&) {
    const std::string value = node.as<std::string>();
    if (strcmp(value.c_str(), "Slow") == 0) { return uses::Mode::kSlow; }
    if (strcmp(value.c_str(), "Fast") == 0) { return uses::Mode::kFast; }
    GXF_LOG_ERROR("no mode for %s", key);
    return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE};
  }
};
template <>
struct ParameterWrapper<uses::Mode> {
  static Expected<YAML::Node> Wrap(gxf_context_t context, const uses::Mode& value) {
    (void)context;
    std::string string_value;
    switch (value) {
      case uses::Mode::kSlow: { string_value = "Slow"; break; }
      case uses::Mode::kFast: { string_value = "Fast"; break; }
      default: return Unexpected{GXF_PARAMETER_OUT_OF_RANGE};
    }
    return YAML::Node(string_value);
  }
};

// Isaac has one like this.
template <>
struct ParameterWrapper<uint8_t> {
  static Expected<YAML::Node> Wrap(gxf_context_t, const uint8_t& value) {
    return YAML::Node(static_cast<uint32_t>(value));
  }
};

template <>
struct ParameterParser<uses::Policy> {
  static Expected<uses::Policy> Parse(gxf_context_t context, gxf_uid_t uid, const char* key,
                                      const YAML::Node& node, const std::string& prefix) {
    const auto text = ParameterParser<std::string>::Parse(context, uid, key, node, prefix);
    if (!text) { return ForwardError(text); }
    return uses::Policy{};
  }
};

template <typename V>
struct ParameterParser<std::map<std::string, Handle<V>>> {
  static Expected<std::map<std::string, Handle<V>>> Parse(gxf_context_t context, gxf_uid_t uid,
                                                          const char* key, const YAML::Node& node,
                                                          const std::string& prefix) {
    std::map<std::string, Handle<V>> result;
    for (const auto& p : node) {
      const auto name = p.first.as<std::string>();
      auto maybe = ParameterParser<Handle<V>>::Parse(context, uid, key, node[name], prefix);
      if (!maybe) { return ForwardError(maybe); }
      result[name] = std::move(maybe.value());
    }
    return result;
  }
};

}  // namespace gxf
}  // namespace nvidia

namespace uses {

using nvidia::FixedString;
using nvidia::FixedVector;
using namespace nvidia::gxf;

class Whole : public Component {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(text_, "text", "Text", "A text", std::string("default"));
    result &= registrar->parameter(handle_, "handle", "Handle", "A receiver");
    result &= registrar->parameter(flag_, "flag", "Flag", "A flag", false);
    result &= registrar->parameter(int_, "int", "Int", "A number", 5);
    result &= registrar->parameter(int64_, "int64", "Int64", "A number", 5L);
    result &= registrar->parameter(size_, "size", "Size", "A number", 1UL);
    result &= registrar->parameter(size_two_, "size2", "Size", "A number",
                                   static_cast<size_t>(256));
    result &= registrar->parameter(u8_, "u8", "", "", uint8_t{1});
    result &= registrar->parameter(i8_, "i8", "", "", int8_t{-1});
    result &= registrar->parameter(u16_, "u16", "", "", uint16_t{1});
    result &= registrar->parameter(i16_, "i16", "", "", int16_t{1});
    result &= registrar->parameter(u32_, "u32", "", "", 1U);
    result &= registrar->parameter(float_, "float", "Float", "", 0.1f);
    result &= registrar->parameter(double_, "double", "Double", "", 0.1);
    result &= registrar->parameter(allocator_, "allocator", "Allocator", "",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(texts_, "texts", "Texts", "", std::vector<std::string>{});
    result &= registrar->parameter(floats_, "floats", "", "", std::vector<float>{1.0f, 2.0f});
    result &= registrar->parameter(receivers_, "receivers", "", "");
    result &= registrar->parameter(transmitters_, "transmitters", "", "",
                                   std::vector<Handle<Transmitter>>{});
    result &= registrar->parameter(matrix_, "matrix", "", "",
                                   std::vector<std::vector<double>>{{1.0}, {2.0}});
    result &= registrar->parameter(cube_, "cube", "", "", Registrar::NoDefaultParameter(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(array_, "array", "", "", std::array<double, 9>{});
    result &= registrar->parameter(names_, "names", "", "", std::array<std::string, 2>{"a", "b"});
    result &= registrar->parameter(three_, "three", "", "", FixedVector<int, 4>{});
    result &= registrar->parameter(many_, "many", "", "", {});
    result &= registrar->parameter(word_, "word", "", "", FixedString<5>("abc"));
    result &= registrar->parameter(complex_, "complex", "", "", std::complex<float>(1.0f, 2.0f));
    result &= registrar->parameter(map_, "map", "", "", std::unordered_map<std::string, int>{});
    result &= registrar->parameter(rows_, "rows", "", "", Registrar::NoDefaultParameter(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(pairs_, "pairs", "", "", Registrar::NoDefaultParameter(),
                                   GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(range_, "range", "", "", Range{});
    result &= registrar->parameter(ranges_, "ranges", "", "", std::vector<Range>{});
    result &= registrar->parameter(mode_, "mode", "", "", Mode::kFast);
    result &= registrar->parameter(modes_, "modes", "", "", std::vector<Mode>{Mode::kFast},
                                   GXF_PARAMETER_FLAGS_DYNAMIC);
    result &= registrar->parameter(pixel_, "pixel", "", "", Pixel{1, 2});
    result &= registrar->parameter(pixels_, "pixels", "", "", std::vector<Pixel>{});
    result &= registrar->parameter(policy_, "policy", "", "", Policy{});
    result &= registrar->parameter(by_name_, "by_name", "", "",
                                   std::map<std::string, Handle<Component>>{});
    result &= registrar->parameter(path_, "path", "", "", FilePath("/tmp/x"));
    result &= registrar->parameter(storage_, "storage", "", "", MemoryStorageType::kHost);
    result &= registrar->parameter(storage_number_, "storage_type", "", "",
                                   static_cast<int32_t>(MemoryStorageType::kDevice));
    result &= registrar->parameter(peer_, "peer", "", "", Handle<Whole>::Unspecified());
    result &= registrar->parameter(node_, "node", "", "", YAML::Node{});
    result &= registrar->parameter(only_key_, "only_key");
    result &= registrar->parameter(no_text_, "no_text", "Headline only");
    result &= registrar->parameter(
        gain_, ParameterInfo<double>{"gain", "Gain", "How loud", "dB", 1.0,
                                     std::array<double, 3>{0.0, 10.0, 0.5}});
    ParameterInfo<std::array<int32_t, 2>> info{"pair", "Pair", "Two numbers"};
    info.value_default = std::array<int32_t, 2>{1, 2};
    info.flags = GXF_PARAMETER_FLAGS_DYNAMIC;
    info.rank = 1;
    info.shape[0] = 2;
    result &= registrar->parameter(pair_, info);
    result &= registrar->resource(gpu_, "GPU device resource");
    return ToResultCode(result);
  }

  gxf_result_t initialize() override {
    // What a parameter converts to.
    const std::string& text = text_;
    const std::string copy = text_.get();
    std::string assigned;
    assigned = text_;
    const int number = int_;
    const size_t size = size_;
    const bool flag = flag_;
    const double product = double_ * 2.0 + float_ / int_;
    const std::vector<float> floats = floats_;
    for (const auto& receiver : receivers_.get()) {
      if (receiver->size() > 0) { GXF_LOG_INFO("%s", receiver.name()); }
    }
    if (flag_ && int_ > 3 && text == "x") { GXF_LOG_INFO("%s %d", copy.c_str(), number); }
    if (text_.get().empty() && flag) { return GXF_FAILURE; }
    const auto allocator = allocator_.try_get();
    if (allocator) { GXF_LOG_INFO("%lu", allocator.value()->block_size()); }
    if (!allocator_.try_get()) { return GXF_PARAMETER_NOT_INITIALIZED; }
    auto maybe = allocator_.try_get();
    if (maybe && maybe.value() != Handle<Allocator>::Unspecified()) {
      GXF_LOG_INFO("%ld", maybe.value().cid());
    }
    Handle<Allocator> pool = allocator_.try_get().value();
    Handle<Allocator> same = allocator_;
    Allocator* pointer = allocator_.get();
    Take(pool, allocator_, same);
    pointer->is_available(size);
    const uint64_t length = cube_.try_get() ? cube_.try_get()->size() : 0;
    const auto fallback = cube_.try_get().value_or(std::vector<std::vector<std::vector<uint64_t>>>{});
    gxf_result_t code = ToResultCode(text_.set("new"));
    code = ToResultCode(int_.set(number + 1));
    int_.setWithoutPropagate(7);
    range_.set(Range{1.0, 2.0});
    handle_.set(Handle<Receiver>::Null());
    const char* key = int_.key();
    GXF_LOG_INFO("%s %lu %zu %f", key, length, fallback.size(), product);
    const auto gpu = gpu_.try_get("gpu");
    if (gpu) { return gpu.value()->device_id() >= 0 ? GXF_SUCCESS : GXF_FAILURE; }
    if (mode_ == Mode::kFast && mode_.get() != Mode::kSlow) { return code; }
    const Expected<int> by_key = getParameter<int>("int");
    const auto stored = setParameter<int>("int", 3);
    const auto stored_too = setParameter("int", by_key.value());
    Handle<Whole> whole;
    const auto handle_stored = setParameter("peer", whole);
    const auto parsed = parseParameter("int", YAML::Node(4));
    const auto parsed_too = parseParameter("int", YAML::Load("4"), "prefix.");
    const Expected<YAML::Node> wrapped = wrapParameter("int");
    const auto found = getParametersOfType<Handle<Receiver>>();
    const auto single = getParameterInfo("int");
    if (single && single->is_arithmetic && single->default_value.has_value()) {
      GXF_LOG_INFO("%s", single.value().key.c_str());
    }
    return ToResultCode(stored & stored_too & handle_stored & parsed & parsed_too & wrapped & found);
  }

  gxf_result_t deinitialize() override {
    GXF_LOG_INFO("%p %ld %ld %s %s %s %lu", context(), eid(), cid(), type_name(), name(),
                 entity().name(), tid().hash1);
    return context_ == kNullContext || eid_ == kNullUid || GxfTidIsNull(tid_) ? GXF_FAILURE
                                                                              : GXF_SUCCESS;
  }

 private:
  void Take(Allocator* a, const Handle<Allocator>& b, Handle<Component> c) {
    GXF_LOG_INFO("%d", a != nullptr && b && c);
  }

  Parameter<std::string> text_;
  Parameter<Handle<Receiver>> handle_;
  Parameter<bool> flag_;
  Parameter<int> int_;
  Parameter<int64_t> int64_;
  Parameter<size_t> size_;
  Parameter<uint64_t> size_two_;
  Parameter<uint8_t> u8_;
  Parameter<int8_t> i8_;
  Parameter<uint16_t> u16_;
  Parameter<int16_t> i16_;
  Parameter<uint32_t> u32_;
  Parameter<float> float_;
  Parameter<double> double_;
  Parameter<Handle<Allocator>> allocator_;
  Parameter<std::vector<std::string>> texts_;
  Parameter<std::vector<float>> floats_;
  Parameter<std::vector<Handle<Receiver>>> receivers_;
  Parameter<std::vector<Handle<Transmitter>>> transmitters_;
  Parameter<std::vector<std::vector<double>>> matrix_;
  Parameter<std::vector<std::vector<std::vector<uint64_t>>>> cube_;
  Parameter<std::array<double, 9>> array_;
  Parameter<std::array<std::string, 2>> names_;
  Parameter<FixedVector<int, 4>> three_;
  Parameter<FixedVector<Handle<Receiver>, kMaxComponents>> many_;
  Parameter<FixedString<5>> word_;
  Parameter<std::complex<float>> complex_;
  Parameter<std::unordered_map<std::string, int>> map_;
  Parameter<std::unordered_map<std::string, std::vector<double>>> rows_;
  Parameter<std::vector<std::pair<std::array<double, 2>, std::array<double, 2>>>> pairs_;
  Parameter<Range> range_;
  Parameter<std::vector<Range>> ranges_;
  Parameter<Mode> mode_;
  Parameter<std::vector<Mode>> modes_;
  Parameter<Pixel> pixel_;
  Parameter<std::vector<Pixel>> pixels_;
  Parameter<Policy> policy_;
  Parameter<std::map<std::string, Handle<Component>>> by_name_;
  Parameter<FilePath> path_;
  Parameter<MemoryStorageType> storage_;
  Parameter<int32_t> storage_number_;
  Parameter<Handle<Whole>> peer_;
  Parameter<YAML::Node> node_;
  Parameter<int> only_key_;
  Parameter<int> no_text_;
  Parameter<double> gain_;
  Parameter<std::array<int32_t, 2>> pair_;
  Resource<Handle<GPUDevice>> gpu_;
};

// Entities and handles.
gxf_result_t Entities(gxf_context_t context, gxf_uid_t eid) {
  Entity empty;
  auto made = Entity::New(context);
  auto named = Entity::New(context, "name");
  if (!made || !named) { return ToResultCode(made); }
  Entity message = made.value();
  Entity moved = std::move(made.value());
  auto own = Entity::Own(context, eid);
  auto shared = Entity::Shared(context, eid);
  auto clone = shared->clone();
  const bool null = empty.is_null() || message.eid() == kNullUid || message.context() == nullptr;
  if (null || strcmp(message.name(), "") != 0) { return GXF_FAILURE; }
  auto tensor = message.add<Tensor>();
  auto second = message.add<Tensor>("second");
  auto number = message.add<int64_t>("number");
  auto pi = message.add<float>();
  if (!tensor || !second || !number || !pi) { return GXF_FAILURE; }
  *number.value() = 7;
  *pi.value() = 3.14f;
  **number = 8;
  *(number.value()) += 1;
  *number.value().get() = 3;
  tensor.value()->element_count();
  auto by_tid = message.add(GxfTidNull(), "name");
  auto again = message.get(GxfTidNull());
  auto got = message.get<Tensor>("second");
  auto timestamp = message.get<Timestamp>("timestamp");
  if (timestamp) { timestamp.value()->acqtime = 0; }
  if (timestamp) { timestamp->get()->pubtime = timestamp.value()->acqtime; }
  RETURN_IF_ERROR(message.remove<Tensor>());
  RETURN_IF_ERROR(message.remove<Tensor>("second"));
  RETURN_IF_ERROR(message.remove(GxfTidNull(), "x"));
  gxf_uid_t component = kNullUid;
  RETURN_IF_ERROR(message.remove(component));
  RETURN_IF_ERROR(message.activate());
  RETURN_IF_ERROR(message.deactivate());

  // Both generations of the search.
  auto everything = message.findAll();
  if (!everything) { return ToResultCode(everything); }
  for (size_t i = 0; i < everything->size(); i++) {
    const auto handle = everything->at(i);
    if (handle) { GXF_LOG_INFO("%s", handle.value().name()); }
    const UntypedHandle untyped = everything.value()[i].value();
    if (untyped.is_null() || !untyped || untyped.tid() == GxfTidNull()) { return GXF_FAILURE; }
    auto typed = Handle<Tensor>::Create(untyped);
  }
  auto tensors = message.findAll<Tensor>();
  auto few = message.findAll<Tensor, 4>();
  for (auto handle : tensors.value()) {
    const Handle<Tensor> found = handle.value();
    GXF_LOG_INFO("%s %zu", found.name(), found->size());
  }
  auto heap = message.findAllHeap<Tensor>();
  auto heap_everything = message.findAllHeap();
  FixedVector<Handle<Tensor>, kMaxComponents> old;
  RETURN_IF_ERROR(message.findAll(old));
  FixedVector<UntypedHandle, 16> old_everything;
  const Expected<void> searched = message.findAll(old_everything);
  const Expected<void> typed_search = message.findAll<Tensor>(old);
  for (auto&& component_handle : old_everything) {
    if (!component_handle) { return GXF_FAILURE; }
  }
  for (Handle<Tensor> named : message.findAll<Tensor>()) { named->element_count(); }
  const void* item = message.entity_item_ptr();
  return searched && typed_search && item != nullptr && few && heap && heap_everything && by_tid &&
                 again && got
             ? GXF_SUCCESS
             : GXF_FAILURE;
}

gxf_result_t Handles(gxf_context_t context, gxf_uid_t cid) {
  Handle<Receiver> none;
  Handle<Receiver> null = nullptr;
  Handle<Receiver> as_null = Handle<Receiver>::Null();
  Handle<Receiver> unspecified = Handle<Receiver>::Unspecified();
  if (none == Handle<Receiver>::Null() || none != unspecified || none < null) { return GXF_FAILURE; }
  auto made = Handle<Receiver>::Create(context, cid);
  if (!made) { return made.error(); }
  Handle<Receiver> receiver = made.value();
  Handle<Queue> queue = receiver;
  Handle<Component> base = queue;
  queue = receiver;
  Receiver* pointer = receiver;
  Receiver& reference = *receiver;
  if (receiver && !none && pointer == &reference) { GXF_LOG_INFO("%s", base.name()); }
  if (!receiver) { return GXF_FAILURE; }
  const auto optional = receiver.try_get();
  auto at = Handle<Receiver>::Create(context, cid, receiver.tid(), receiver.get_ptr());
  Handle<Receiver> direct(context, cid, receiver.tid(), receiver.get_ptr());
  auto untyped = UntypedHandle::Create(context, cid);
  auto untyped_at = UntypedHandle::Create(context, cid, receiver.tid(), receiver.get_ptr());
  UntypedHandle nothing = UntypedHandle::Null();
  nothing = receiver;
  std::map<Handle<Receiver>, int> by_handle;
  by_handle[receiver] = 1;
  std::vector<Handle<Component>> components{receiver, queue};
  const auto from_text = CreateHandleFromString<Receiver>(context, cid, "entity/component");
  const auto by_id = TypeRegistry(context).id_from_name("nvidia::gxf::Receiver");
  return optional && at && untyped && untyped_at && from_text && by_id && receiver->receive() &&
                 receiver.get()->size() > 0 && none.is_null() && as_null.cid() == kNullUid
             ? GXF_SUCCESS
             : GXF_FAILURE;
}

gxf_result_t Storages(gxf_context_t context, gxf_uid_t cid) {
  ParameterStorage storage(context);
  RETURN_IF_ERROR(storage.set<int64_t>(cid, "key", 3));
  RETURN_IF_ERROR(storage.setStr(cid, "key", "text"));
  RETURN_IF_ERROR(storage.setPath(cid, "key", "/tmp"));
  RETURN_IF_ERROR(storage.setHandle(cid, "key", cid));
  RETURN_IF_ERROR(storage.addGetInt64(cid, "key", 1));
  RETURN_IF_ERROR(storage.parse(cid, "key", YAML::Node(3), ""));
  RETURN_IF_ERROR(storage.wrap(cid, "key"));
  const Expected<const char*> text = storage.getStr(cid, "key");
  const Expected<const char*> path = storage.getPath(cid, "key");
  const Expected<gxf_uid_t> handle = storage.getHandle(cid, "key");
  const bool available = storage.isAvailable(cid, "key") && storage.isAvailable(cid);
  RETURN_IF_ERROR(storage.clearEntityParameters(cid));
  Parameter<int> parameter;
  RETURN_IF_ERROR(storage.registerParameter(&parameter, cid, "key", "headline", "description",
                                            Expected<int>(3), GXF_PARAMETER_FLAGS_NONE));
  ParameterRegistrar registrar;
  const gxf_tid_t tid{1, 2};
  RETURN_IF_ERROR(registrar.registerComponentParameter<int32_t>(
      tid, "uses::Whole", ParameterInfo<int32_t>{"key", "headline", "description"}));
  registrar.addParameterlessType(tid, "uses::Whole");
  const bool has = registrar.hasComponent(tid) && registrar.componentHasParameter(tid, "key");
  const auto count = registrar.componentParameterCount(tid);
  const auto info = registrar.getParameterInfo<int32_t>(tid, "key");
  const ParameterRegistrar::ComponentParameterInfo* raw =
      registrar.getComponentParameterInfoPtr(tid, "key").value();
  return storage.get<int64_t>(cid, "key") && text && path && handle && available && has &&
                 count > 0 && info && raw != nullptr && registrar.tidFromTypename("uses::Whole")
             ? GXF_SUCCESS
             : GXF_FAILURE;
}

}  // namespace uses
