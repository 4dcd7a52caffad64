/// The extension the factory macros fill.
#ifndef NVIDIA_GXF_STD_DEFAULT_EXTENSION_HPP_
#define NVIDIA_GXF_STD_DEFAULT_EXTENSION_HPP_

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/logger.hpp"
#include "gxf/core/component.hpp"
#include "gxf/sdk/factory.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/extension.hpp"

namespace nvidia {
namespace gxf {

namespace detail {
struct HandedExtension;
}  // namespace detail

namespace sdk __attribute__((visibility("hidden"))) {

/// The descriptor of a `DefaultExtension` that is handed to the host as an object.
inline const GxeExtensionDescriptor* DescribeObject(void* object) noexcept;

}  // namespace sdk

/// An extension with types that are added one by one.
class DefaultExtension : public Extension {
 public:
  DefaultExtension() : Extension(Mark()) {}

  gxf_tid_t tid() const { return about_.tid; }

  /// Adds a type with its base.
  template <typename T, typename Base = detail::VoidBaseHelper>
  Expected<void> add(gxf_tid_t tid, const char* description, const char* display_name = "",
                     const char* brief = "") {
    constexpr bool kHasBase = !std::is_same_v<Base, detail::VoidBaseHelper>;
    static_assert(!kHasBase || std::is_base_of_v<Base, T>, "the type is not derived from its base");
    static_assert(!std::is_base_of_v<Codelet, T> || kHasBase || std::is_same_v<Codelet, T>,
                  "a codelet names the base it is derived from");
    detail::RegisteredType type = sdk::MakeRegisteredType<T>();
    type.tid = tid;
    type.description = Text(description);
    type.display_name = Text(display_name);
    type.brief = Text(brief);
    if constexpr (kHasBase) { type.base_name = TypenameAsString<Base>(); }
    return Add(std::move(type));
  }

  /// gxe's own: says what ticks of a codelet do, of a type that was added before.
  template <typename T>
  Expected<void> setFlags(uint32_t flags) {
    static_assert(std::is_base_of_v<Codelet, T>, "only codelets have flags");
    for (detail::RegisteredType& type : about_.types) {
      if (type.type_name == TypenameAsString<T>()) {
        type.flags = flags;
        return Success;
      }
    }
    sdk::Report(std::string{"`"} + TypenameAsString<T>() + "` has flags, but was not added before");
    return Unexpected{GXF_FACTORY_UNKNOWN_CLASS_NAME};
  }

  gxf_result_t setInfo_abi(gxf_tid_t tid, const char* name, const char* desc, const char* author,
                           const char* version, const char* license) override {
    if (!Fits(desc, 256) || !Fits(author, 64) || !Fits(license, 64)) {
      sdk::Report("the extension's description has more than 256 bytes, or its author or license "
                  "more than 64");
      return GXF_ARGUMENT_OUT_OF_RANGE;
    }
    about_.tid = tid;
    about_.name = Text(name);
    about_.description = Text(desc);
    about_.author = Text(author);
    about_.version = Text(version);
    about_.license = Text(license);
    return GXF_SUCCESS;
  }
  gxf_result_t setDisplayInfo_abi(const char* display_name, const char* category,
                                  const char* brief) override {
    if (!Fits(display_name, 30) || !Fits(category, 30) || !Fits(brief, 50)) {
      sdk::Report("the extension's display name or category has more than 30 bytes, or its brief "
                  "more than 50");
      return GXF_ARGUMENT_OUT_OF_RANGE;
    }
    about_.display_name = Text(display_name);
    about_.category = Text(category);
    about_.brief = Text(brief);
    return GXF_SUCCESS;
  }
  gxf_result_t checkInfo_abi() override {
    if (!GxfTidIsNull(about_.tid) && !about_.version.empty()) { return GXF_SUCCESS; }
    sdk::Report("the extension has no id or no version");
    return GXF_FACTORY_INVALID_INFO;
  }
  gxf_result_t getInfo_abi(gxf_extension_info_t* info) override {
    if (info == nullptr) { return GXF_ARGUMENT_NULL; }
    info->id = about_.tid;
    info->name = about_.name.c_str();
    info->description = about_.description.c_str();
    info->version = about_.version.c_str();
    info->runtime_version = kGxfCoreVersion;
    info->license = about_.license.c_str();
    info->author = about_.author.c_str();
    info->display_name = about_.display_name.c_str();
    info->category = about_.category.c_str();
    info->brief = about_.brief.c_str();
    // No room asks for the number alone; programs then leave the pointer as it was.
    const uint64_t capacity = info->components == nullptr ? 0 : info->num_components;
    info->num_components = about_.types.size();
    for (size_t i = 0; i < about_.types.size() && i < capacity; i++) {
      info->components[i] = about_.types[i].tid;
    }
    return capacity != 0 && capacity < about_.types.size() ? GXF_QUERY_NOT_ENOUGH_CAPACITY
                                                           : GXF_SUCCESS;
  }
  /// The host registers the types itself, from the descriptor.
  gxf_result_t registerComponents_abi(gxf_context_t context) override {
    return context == kNullContext ? GXF_CONTEXT_INVALID : GXF_SUCCESS;
  }
  gxf_result_t hasComponent_abi(const gxf_tid_t& tid) override {
    return Find(tid) == nullptr ? GXF_FACTORY_UNKNOWN_TID : GXF_SUCCESS;
  }
  gxf_result_t getComponentTypes_abi(gxf_tid_t* pointer, size_t* size) override {
    if (pointer == nullptr || size == nullptr) { return GXF_ARGUMENT_NULL; }
    const size_t capacity = std::exchange(*size, about_.types.size());
    if (capacity < about_.types.size()) { return GXF_QUERY_NOT_ENOUGH_CAPACITY; }
    for (size_t i = 0; i < about_.types.size(); i++) { pointer[i] = about_.types[i].tid; }
    return GXF_SUCCESS;
  }
  gxf_result_t getComponentInfo_abi(const gxf_tid_t tid, gxf_component_info_t* info) override {
    if (info == nullptr) { return GXF_ARGUMENT_NULL; }
    const detail::RegisteredType* type = Find(tid);
    if (type == nullptr) { return GXF_FACTORY_UNKNOWN_TID; }
    info->cid = tid;
    info->base_name = type->base_name.c_str();
    info->is_abstract = type->is_abstract;
    info->type_name = type->type_name.c_str();
    info->display_name = type->display_name.c_str();
    info->brief = type->brief.c_str();
    info->description = type->description.c_str();
    info->num_parameters = 0;
    return GXF_SUCCESS;
  }
  gxf_result_t getParameterInfo_abi(gxf_context_t context, const gxf_tid_t cid, const char* key,
                                    gxf_parameter_info_t* info) override {
    if (GxfGetParameterInfo == nullptr) { return GXF_NOT_IMPLEMENTED; }
    return GxfGetParameterInfo(context, cid, key, info);
  }
  gxf_result_t allocate_abi(gxf_tid_t tid, void** out_pointer) override {
    (void)tid;
    (void)out_pointer;
    return GXF_NOT_IMPLEMENTED;
  }
  gxf_result_t deallocate_abi(gxf_tid_t tid, void* pointer) override {
    (void)tid;
    (void)pointer;
    return GXF_NOT_IMPLEMENTED;
  }

  /// Fills the descriptor the host looks for. Texts belong to this object.
  void FillDescriptor(GxeExtensionDescriptor& descriptor) const {
    descriptor.magic = GXE_ABI_MAGIC;
    descriptor.size = sizeof(GxeExtensionDescriptor);
    descriptor.abi_major = GXE_ABI_MAJOR;
    descriptor.abi_minor = GXE_ABI_MINOR;
    descriptor.id = sdk::ToAbi(about_.tid);
    descriptor.name = about_.name.c_str();
    descriptor.version = about_.version.c_str();
    descriptor.description = about_.description.c_str();
    descriptor.author = about_.author.c_str();
    descriptor.license = about_.license.c_str();
    descriptor.display_name = about_.display_name.c_str();
    descriptor.category = about_.category.c_str();
    descriptor.brief = about_.brief.c_str();
    descriptor.build_info = "C++, " __VERSION__;
  }

  /// Describes the types to the host. Called once.
  gxf_result_t DescribeTypes(GxeExtensionFactory* factory) {
    for (const detail::RegisteredType& type : about_.types) {
      sdk::OwnTypes()[type.type_name] = sdk::ToAbi(type.tid);
    }
    for (const detail::RegisteredType& type : about_.types) {
      const gxf_result_t code = Describe(type);
      if (code != GXF_SUCCESS) { return code; }
    }
    factory->types = pointers_.data();
    factory->type_count = pointers_.size();
    return GXF_SUCCESS;
  }

 private:
  friend const GxeExtensionDescriptor* sdk::DescribeObject(void* object) noexcept;

  static std::string Text(const char* text) { return text == nullptr ? "" : text; }
  static bool Fits(const char* text, size_t most) {
    return text == nullptr || std::strlen(text) <= most;
  }

  Expected<void> Add(detail::RegisteredType type) {
    if (type.display_name.size() > 50 || type.brief.size() > 128 ||
        type.description.size() > 1026) {
      sdk::Report("`" + type.type_name + "`: the display name has more than 50 bytes, the brief more "
                  "than 128 or the description more than 1026");
      return Unexpected{GXF_ARGUMENT_OUT_OF_RANGE};
    }
    if (const detail::RegisteredType* other = Find(type.tid)) {
      sdk::Report("`" + type.type_name + "` has the id of `" + other->type_name + "`");
      return Unexpected{GXF_FACTORY_DUPLICATE_TID};
    }
    about_.types.push_back(std::move(type));
    return Success;
  }

  const detail::RegisteredType* Find(const gxf_tid_t& tid) const {
    for (const detail::RegisteredType& type : about_.types) {
      if (type.tid == tid) { return &type; }
    }
    return nullptr;
  }

  gxf_result_t Describe(const detail::RegisteredType& type) {
    auto described = std::make_unique<detail::DescribedType>();
    GxeComponentType& abi = described->abi;
    abi.size = sizeof(GxeComponentType);
    abi.tid = sdk::ToAbi(type.tid);
    // A base that is no component is no base for the host: the type is a payload.
    if (type.is_component) {
      abi.base_tid = sdk::FindType(type.base_name.empty() ? "nvidia::gxf::Component"
                                                             : type.base_name);
      if (abi.base_tid.hash1 == 0 && abi.base_tid.hash2 == 0) {
        sdk::Report("`" + type.type_name + "` is derived from `" + type.base_name +
                    "`, which this extension does not register before it");
        return GXF_FACTORY_UNKNOWN_CLASS_NAME;
      }
    }
    abi.type_name = type.type_name.c_str();
    abi.display_name = type.display_name.c_str();
    abi.brief = type.brief.c_str();
    abi.description = type.description.c_str();
    abi.flags = type.flags | (type.is_abstract ? GXE_TYPE_ABSTRACT : 0);
    abi.instance_size = type.size;
    abi.instance_alignment = type.alignment;
    abi.create = type.create;
    abi.destroy = type.destroy;
    auto registered = type.describe(type.tid);
    if (!registered) { return registered.error(); }
    described->parameters = std::move(registered->parameters);
    for (const auto& parameter : described->parameters) {
      described->descriptors.push_back(parameter.descriptor);
    }
    abi.parameters = described->descriptors.data();
    abi.parameter_count = described->descriptors.size();
    described->interfaces = type.interfaces();
    const size_t functions = described->interfaces.size();
    for (const detail::PortType& port : registered->ports) {
      // The name identifies a type of another extension.
      const GxeTid tid = sdk::FindType(port.type_name);
      const bool is_known = tid.hash1 != 0 || tid.hash2 != 0;
      described->ports.push_back({port.key, tid, is_known ? nullptr : port.type_name});
    }
    if (!described->ports.empty()) {
      described->port_types = {sizeof(GxePortTypes), described->ports.data(),
                               described->ports.size()};
      described->interfaces.push_back({GXE_TID_PORT_TYPES, 0, &described->port_types});
    }
    abi.interfaces = described->interfaces.data();
    abi.interface_count = described->interfaces.size();
    // A component without interfaces may be data that messages carry.
    if (type.is_component && !type.is_abstract &&
        functions == sdk::InterfacesOf<Component>().size()) {
      abi.flags |= GXE_TYPE_PAYLOAD;
    }
    pointers_.push_back(&abi);
    described_.push_back(std::move(described));
    return GXF_SUCCESS;
  }

  /// The arguments of `setInfo`, `setDisplayInfo` and `add`.
  struct About {
    gxf_tid_t tid = GxfTidNull();
    std::string name;
    std::string description;
    std::string author;
    std::string version;
    std::string license;
    std::string display_name;
    std::string category;
    std::string brief;
    std::vector<detail::RegisteredType> types;
  };
  static detail::FactoryMark Mark() {
    detail::FactoryMark mark;
    mark.describe = sdk::DescribeObject;
    return mark;
  }

  About about_;
  detail::HandedExtension* handed_ = nullptr;
  std::vector<std::unique_ptr<detail::DescribedType>> described_;
  std::vector<const GxeComponentType*> pointers_;
};

/// What the host has of an object. It stays: the host may keep the types longer than the program
/// keeps the object.
struct detail::HandedExtension {
  DefaultExtension extension;
  GxeExtensionDescriptor descriptor{};
};

namespace sdk __attribute__((visibility("hidden"))) {

/// Whose types the host is about to ask for. It does so on the thread on which it got the
/// descriptor, and before it gets another one.
inline thread_local detail::HandedExtension* asked_extension = nullptr;

inline GxeResultCode CreateFactoryOfObject(const GxeHostTable* host,
                                           GxeExtensionFactory* factory) noexcept {
  if (host == nullptr || factory == nullptr) { return GxeResultCode_ARGUMENT_NULL; }
  host_table = host;
  return Guard("the extension's factory",
               [&] { return asked_extension->extension.DescribeTypes(factory); });
}

inline const GxeExtensionDescriptor* DescribeObject(void* object) noexcept {
  auto& self = *static_cast<DefaultExtension*>(static_cast<ComponentFactory*>(object));
  try {
    if (self.handed_ == nullptr) {
      auto handed = std::make_unique<detail::HandedExtension>();
      handed->extension.about_ = self.about_;
      handed->extension.FillDescriptor(handed->descriptor);
      handed->descriptor.create_factory = CreateFactoryOfObject;
      // For ever, and where leak checkers find it.
      static auto& all = *new std::vector<std::unique_ptr<detail::HandedExtension>>;
      static std::mutex mutex;
      const std::lock_guard<std::mutex> lock(mutex);
      self.handed_ = all.emplace_back(std::move(handed)).get();
    }
  } catch (...) { return nullptr; }
  asked_extension = self.handed_;
  return &self.handed_->descriptor;
}

}  // namespace sdk

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_DEFAULT_EXTENSION_HPP_
