/// The macros that list an extension's types, in one of its source files:
///
/// ```
/// GXF_EXT_FACTORY_BEGIN()
/// GXF_EXT_FACTORY_SET_INFO(0x1234…, 0x5678…, "MyExtension", "What it is for", "Me", "1.0.0", "MIT");
/// GXF_EXT_FACTORY_ADD(0x9abc…, 0xdef0…, my::Codelet, nvidia::gxf::Codelet, "What it does");
/// GXF_EXT_FACTORY_END()
/// ```
///
/// They define the symbol `GXF_EXT_FACTORY`, which the host looks for. A semicolon may follow each,
/// and all of them may be inside `extern "C" { }`.
#ifndef NVIDIA_GXF_STD_EXTENSION_FACTORY_HELPER_HPP_
#define NVIDIA_GXF_STD_EXTENSION_FACTORY_HELPER_HPP_

#include <memory>
#include <string>
#include <utility>

#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"
#include "gxf/sdk/guard.hpp"
#include "gxf/std/component_factory.hpp"
#include "gxf/std/default_extension.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

using FactoryFunction = Expected<std::unique_ptr<ComponentFactory>> (*)();

/// The extension's factory. It is made when the library is loaded and lives as long as it.
struct ExtensionObject {
  DefaultExtension* extension = nullptr;
  gxf_result_t code = GXF_FAILURE;
  /// An error from before the host could be told.
  std::string text;
};
inline ExtensionObject extension_object;

/// Runs the function between the macros. It only collects the types; none of the extension's own
/// code runs before the host requests them.
inline GxeExtensionDescriptor Descriptor(FactoryFunction make,
                                         GxeResultCode (*create_factory)(const GxeHostTable*,
                                                                         GxeExtensionFactory*)) {
  GxeExtensionDescriptor descriptor{};
  early_report = &extension_object.text;
  try {
    auto factory = make();
    if (factory) {
      extension_object.extension = static_cast<DefaultExtension*>(factory.value().release());
      extension_object.code = GXF_SUCCESS;
    } else {
      extension_object.code = factory.error();
    }
  } catch (...) { extension_object.text = Thrown("the function between the factory macros"); }
  early_report = nullptr;
  if (extension_object.extension == nullptr) {
    // The host asks only what states a name, and is then told what went wrong.
    extension_object.extension = new DefaultExtension();
    extension_object.extension->setInfo({0, 1}, "unknown", "", "", "0.0.0", "");
  }
  extension_object.extension->FillDescriptor(descriptor);
  descriptor.create_factory = create_factory;
  return descriptor;
}

/// The first function that the host calls.
inline GxeResultCode CreateFactory(const GxeHostTable* host, GxeExtensionFactory* factory) noexcept {
  if (host == nullptr || factory == nullptr) { return GxeResultCode_ARGUMENT_NULL; }
  host_table = host;
  return Guard("the extension's factory", [&]() -> gxf_result_t {
    if (extension_object.code != GXF_SUCCESS) {
      if (!extension_object.text.empty()) { Report(extension_object.text); }
      return extension_object.code;
    }
    return extension_object.extension->DescribeTypes(factory);
  });
}

/// For programs that open the library themselves.
inline gxf_result_t HandOutExtension(void** result) {
  if (result == nullptr) { return GXF_ARGUMENT_NULL; }
  if (extension_object.code != GXF_SUCCESS) { return extension_object.code; }
  *result = static_cast<ComponentFactory*>(extension_object.extension);
  return GXF_SUCCESS;
}

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

/// Opens the list.
#define GXF_EXT_FACTORY_BEGIN()                                                                 \
  namespace {                                                                                   \
  extern "C++" ::nvidia::gxf::Expected<std::unique_ptr<::nvidia::gxf::ComponentFactory>>        \
  CreateComponentFactory() {                                                                    \
    auto factory = std::make_unique<::nvidia::gxf::DefaultExtension>();                         \
    ::nvidia::gxf::Expected<void> factory_result;

/// Describes the extension. H1 and H2 are the halves of its id.
#define GXF_EXT_FACTORY_SET_INFO(H1, H2, NAME, DESC, AUTHOR, VERSION, LICENSE)                  \
  factory_result = factory->setInfo({H1, H2}, NAME, DESC, AUTHOR, VERSION, LICENSE);            \
  if (!factory_result) { return ::nvidia::gxf::ForwardError(factory_result); }

/// Says how tools show the extension.
#define GXF_EXT_FACTORY_SET_DISPLAY_INFO(DISPLAY_NAME, CATEGORY, BRIEF)                         \
  factory_result = factory->setDisplayInfo(DISPLAY_NAME, CATEGORY, BRIEF);                      \
  if (!factory_result) { return ::nvidia::gxf::ForwardError(factory_result); }

#define GXF_EXT_FACTORY_ADD_(H1, H2, DESC, DISPLAY_NAME, BRIEF, ...)                            \
  factory_result = factory->add<__VA_ARGS__>({H1, H2}, DESC, DISPLAY_NAME, BRIEF);              \
  if (!factory_result) { return ::nvidia::gxf::ForwardError(factory_result); }

/// Adds a type that is derived from another one.
#define GXF_EXT_FACTORY_ADD(H1, H2, TYPE, BASE, DESC) \
  GXF_EXT_FACTORY_ADD_(H1, H2, DESC, "", "", TYPE, BASE)
#define GXF_EXT_FACTORY_ADD_VERBOSE(H1, H2, TYPE, BASE, DISPLAY_NAME, BRIEF, DESC) \
  GXF_EXT_FACTORY_ADD_(H1, H2, DESC, DISPLAY_NAME, BRIEF, TYPE, BASE)
#define GXF_EXT_FACTORY_ADD_LITE(H1, H2, TYPE, BASE) \
  GXF_EXT_FACTORY_ADD_(H1, H2, "", "", "", TYPE, BASE)

/// gxe's own: says what ticks of a codelet do, which was added before. FLAGS are any of
/// GXE_TYPE_CAPTURABLE, GXE_TYPE_IN_PLACE and GXE_TYPE_PUBLISHES_INTO, joined by `|`.
#define GXE_EXT_FACTORY_SET_FLAGS(TYPE, FLAGS)                                                  \
  factory_result = factory->setFlags<TYPE>(FLAGS);                                              \
  if (!factory_result) { return ::nvidia::gxf::ForwardError(factory_result); }

/// Adds a type without a base, usually one that messages carry.
#define GXF_EXT_FACTORY_ADD_0(H1, H2, TYPE, DESC) \
  GXF_EXT_FACTORY_ADD_(H1, H2, DESC, "", "", TYPE)
#define GXF_EXT_FACTORY_ADD_0_VERBOSE(H1, H2, TYPE, DISPLAY_NAME, BRIEF, DESC) \
  GXF_EXT_FACTORY_ADD_(H1, H2, DESC, DISPLAY_NAME, BRIEF, TYPE)
#define GXF_EXT_FACTORY_ADD_0_LITE(H1, H2, TYPE) GXF_EXT_FACTORY_ADD_(H1, H2, "", "", "", TYPE)

/// Ends the list and exports the extension. `GxfExtensionFactory` is GXF's own entry point, for
/// programs that open libraries themselves: it returns the `Extension`.
#define GXF_EXT_FACTORY_END()                                                                   \
    factory_result = factory->checkInfo();                                                      \
    if (!factory_result) { return ::nvidia::gxf::ForwardError(factory_result); }                \
    return ::nvidia::gxf::Expected<std::unique_ptr<::nvidia::gxf::ComponentFactory>>(           \
        std::move(factory));                                                                    \
  }                                                                                             \
  }                                                                                             \
  extern "C" {                                                                                  \
  const GxeExtensionDescriptor GXF_EXT_FACTORY = ::nvidia::gxf::sdk::Descriptor(                \
      CreateComponentFactory, ::nvidia::gxf::sdk::CreateFactory);                               \
  __attribute__((visibility("default"))) gxf_result_t GxfExtensionFactory(void** result) {      \
    return ::nvidia::gxf::sdk::HandOutExtension(result);                                        \
  }                                                                                             \
  }

#endif  // NVIDIA_GXF_STD_EXTENSION_FACTORY_HELPER_HPP_
