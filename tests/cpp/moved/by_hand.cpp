// An extension without the macros: it writes `GxfExtensionFactory` itself, and reads parameters of
// its own types.
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "gxf/core/expected_macro.hpp"
#include "gxf/core/parameter_parser_std.hpp"
#include "gxf/core/parameter_wrapper.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/default_extension.hpp"
#include "gxf/std/subgraph.hpp"

namespace workshop {

enum class Speed { kSlow, kFast };

/// What messages carry.
struct Part {
  int number;
};

}  // namespace workshop

namespace nvidia {
namespace gxf {

template <>
struct ParameterParser<workshop::Speed> {
  static Expected<workshop::Speed> Parse(gxf_context_t, gxf_uid_t, const char*,
                                         const YAML::Node& node, const std::string&) {
    const auto text = node.as<std::string>();
    if (text == "slow") { return workshop::Speed::kSlow; }
    if (text == "fast") { return workshop::Speed::kFast; }
    return Unexpected{GXF_PARAMETER_OUT_OF_RANGE};
  }
};
template <>
struct ParameterWrapper<workshop::Speed> {
  static Expected<YAML::Node> Wrap(gxf_context_t, const workshop::Speed& speed) {
    return YAML::Node(speed == workshop::Speed::kFast ? "fast" : "slow");
  }
};
/// GXF has none for this type.
template <>
struct ParameterParser<int8_t> {
  static Expected<int8_t> Parse(gxf_context_t, gxf_uid_t, const char*, const YAML::Node& node,
                                const std::string&) {
    return static_cast<int8_t>(node.as<int>());
  }
};

}  // namespace gxf
}  // namespace nvidia

namespace workshop {

using namespace nvidia::gxf;

class Bench : public Codelet {
 public:
  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(speed_, "speed", "Speed", "How fast", Speed::kFast);
    result &= registrar->parameter(small_, "small", "Small", "A small number", int8_t{-3});
    result &= registrar->parameter(tools_, "tools", "Tools", "Components by name",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    return ToResultCode(result);
  }
  gxf_result_t tick() override {
    const auto speed = GXF_UNWRAP_OR_RETURN(wrapParameter("speed"));
    // For the error alone.
    GXF_UNWRAP_OR_RETURN(wrapParameter("small"));
    GXF_LOG_INFO("bench '%s': speed %s, small %d", name(), speed.as<std::string>().c_str(),
                 small_.get());
    if (tools_.try_get()) {
      for (const auto& [tool, component] : tools_.try_get().value()) {
        gxf_tid_t tid = GxfTidNull();
        GXF_RETURN_IF_ERROR(GxfComponentTypeId(context(), component->type_name(), &tid));
        GXF_LOG_INFO("tool %s is %s, %s", tool.c_str(), component->type_name(),
                     tid == component->tid() ? "surely" : "maybe");
      }
    }
    Entity message = GXF_UNWRAP_OR_RETURN(Entity::New(context()));
    GXF_UNWRAP_OR_RETURN(message.add<Part>("part"))->number = 7;
    GXF_LOG_INFO("part %d", message.get<Part>("part").value()->number);
    return GXF_SUCCESS;
  }

 private:
  Parameter<Speed> speed_;
  Parameter<int8_t> small_;
  Parameter<std::map<std::string, Handle<Component>>> tools_;
};

}  // namespace workshop

extern "C" gxf_result_t GxfExtensionFactory(void** result) {
  using namespace nvidia::gxf;
  static std::unique_ptr<ComponentFactory> kept;
  if (result == nullptr) { return GXF_ARGUMENT_NULL; }
  if (std::getenv("WORKSHOP_CLOSED") != nullptr) { return GXF_NOT_FINISHED; }
  if (kept == nullptr) {
    auto factory = std::make_unique<DefaultExtension>();
    Expected<void> made = factory->setInfo({0x3b7a51c0d2e94f86, 0x9c0e14a7b35d2f68}, "Workshop",
                                           "Made by hand", "gxe", "1.0.0", "Apache-2.0");
    made &= factory->add<workshop::Bench, Codelet>({0x3b7a51c0d2e94f86, 1}, "Works");
    made &= factory->add<workshop::Part>({0x3b7a51c0d2e94f86, 2}, "A part");
    made &= factory->checkInfo();
    if (!made) { return made.error(); }
    kept = std::move(factory);
  }
  *result = kept.get();
  return GXF_SUCCESS;
}
