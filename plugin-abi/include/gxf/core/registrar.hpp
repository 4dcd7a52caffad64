/// Where a component registers its parameters.
#ifndef NVIDIA_GXF_CORE_REGISTRAR_HPP_
#define NVIDIA_GXF_CORE_REGISTRAR_HPP_

#include <array>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/type_utils.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/handle.hpp"
#include "gxf/core/parameter.hpp"
#include "gxf/core/parameter_registrar.hpp"
#include "gxf/core/parameter_storage.hpp"
#include "gxf/core/resource.hpp"
#include "gxf/sdk/codec.hpp"
#include "gxf/sdk/slots.hpp"

namespace nvidia {
namespace gxf {

/// Receives the parameters of a component in its `registerInterface`. That function is called once
/// for the type and once for each component.
class Registrar {
 public:
  Registrar() = default;
  Registrar(const Registrar&) = delete;
  Registrar& operator=(const Registrar&) = delete;

  /// In place of a default value: the parameter has none.
  static Unexpected NoDefaultParameter() { return Unexpected{GXF_UNINITIALIZED_VALUE}; }

  /// A mandatory parameter. `key` must be a constant, because the pointer is kept.
  template <typename T>
  Expected<void> parameter(Parameter<T>& parameter, const char* key) {
    return Register(parameter, Describe<T>(key, nullptr, nullptr, GXF_PARAMETER_FLAGS_NONE));
  }
  template <typename T>
  Expected<void> parameter(Parameter<T>& parameter, const char* key, const char* headline) {
    return Register(parameter, Describe<T>(key, headline, nullptr, GXF_PARAMETER_FLAGS_NONE));
  }
  template <typename T>
  Expected<void> parameter(Parameter<T>& parameter, const char* key, const char* headline,
                           const char* description) {
    return Register(parameter, Describe<T>(key, headline, description, GXF_PARAMETER_FLAGS_NONE));
  }
  /// A parameter with a default value.
  template <typename T>
  Expected<void> parameter(Parameter<T>& parameter, const char* key, const char* headline,
                           const char* description, const TypeIdentity_t<T>& default_value) {
    auto info = Describe<T>(key, headline, description, GXF_PARAMETER_FLAGS_NONE);
    info.value_default = default_value;
    return Register(parameter, std::move(info));
  }
  template <typename T>
  Expected<void> parameter(Parameter<T>& parameter, const char* key, const char* headline,
                           const char* description, const TypeIdentity_t<T>& default_value,
                           gxf_parameter_flags_t flags) {
    auto info = Describe<T>(key, headline, description, flags);
    info.value_default = default_value;
    return Register(parameter, std::move(info));
  }
  /// A parameter without a default value, as `NoDefaultParameter()` says.
  template <typename T>
  Expected<void> parameter(Parameter<T>& parameter, const char* key, const char* headline,
                           const char* description, Unexpected, gxf_parameter_flags_t flags) {
    return Register(parameter, Describe<T>(key, headline, description, flags));
  }
  /// A parameter with everything there is to say about it.
  template <typename T>
  Expected<void> parameter(Parameter<T>& parameter, const ParameterInfo<T>& info) {
    return Register(parameter, ParameterInfo<T>(info));
  }

  /// Says that the component has no parameters.
  Expected<void> registerParameterlessComponent() { return Success; }

  /// gxe's own: the payload types that go through the receivers or transmitters of a parameter,
  /// which is registered before, as in `registrar->carries<Tensor>("signal")`.
  template <typename... T>
  Expected<void> carries(const char* key) {
    for (const auto& slot : slots_) {
      if (key != nullptr && std::strcmp(slot->key, key) == 0) {
        (ports_.push_back({slot->key, TypenameAsString<T>()}), ...);
        return Success;
      }
    }
    problem_ = std::string("port `") + (key == nullptr ? "" : key) + "` is no parameter";
    return Unexpected{GXF_PARAMETER_NOT_FOUND};
  }
  /// gxe's own: the payload types that go through this component, a queue.
  template <typename... T>
  Expected<void> carries() {
    (ports_.push_back({nullptr, TypenameAsString<T>()}), ...);
    return Success;
  }

  /// A resource of the entity's group.
  template <typename T>
  Expected<void> resource(Resource<Handle<T>>& resource, const char* description) {
    (void)description;
    resource.Connect(context_, eid_);
    return Success;
  }

  void setParameterStorage(std::shared_ptr<ParameterStorage> storage) {
    parameter_storage = std::move(storage);
  }
  std::shared_ptr<ParameterStorage> getParameterStorage() const { return parameter_storage; }
  void setParameterRegistrar(ParameterRegistrar* registrar) { parameter_registrar = registrar; }
  ParameterRegistrar* getParameterRegistrar() const { return parameter_registrar; }
  void setResourceRegistrar(std::shared_ptr<ResourceRegistrar> registrar) {
    resource_registrar = std::move(registrar);
  }
  void setResourceManager(std::shared_ptr<ResourceManager> manager) {
    resource_manager = std::move(manager);
  }

  /// Type of the component.
  gxf_tid_t tid = GxfTidNull();
  /// The component; null while the type is described.
  gxf_uid_t cid = kNullUid;
  /// Name of the type.
  std::string type_name;
  std::shared_ptr<ParameterStorage> parameter_storage;
  ParameterRegistrar* parameter_registrar = nullptr;
  std::shared_ptr<ResourceRegistrar> resource_registrar;
  std::shared_ptr<ResourceManager> resource_manager;

 private:
  friend class Component;
  friend struct detail::RegistrarAccess;

  template <typename T>
  static ParameterInfo<T> Describe(const char* key, const char* headline, const char* description,
                                   gxf_parameter_flags_t flags) {
    ParameterInfo<T> info;
    info.key = key;
    info.headline = headline;
    info.description = description;
    info.flags = flags;
    return info;
  }

  template <typename T>
  Expected<void> Register(Parameter<T>& parameter, ParameterInfo<T> info) {
    // The caller may have made the texts for this call.
    const auto kept = Keep({&info.key, &info.headline, &info.description});
    if (!kept) { return kept; }
    parameter.key_ = info.key;
    parameter.context_ = context_;
    parameter.cid_ = cid;
    slots_.push_back(std::make_unique<sdk::ParameterSlotOf<T>>(parameter, std::move(info)));
    return Success;
  }

  /// Checks the key, which is the first of the texts, and makes all last.
  Expected<void> Keep(std::initializer_list<const char**> texts) {
    const char* key = **texts.begin();
    if (key == nullptr || *key == '\0') { return Unexpected{GXF_ARGUMENT_NULL}; }
    for (const auto& slot : slots_) {
      if (std::strcmp(slot->key, key) == 0) {
        problem_ = std::string("parameter `") + key + "` is registered twice";
        return Unexpected{GXF_PARAMETER_ALREADY_REGISTERED};
      }
    }
    for (const char** text : texts) {
      if (*text != nullptr) { *text = sdk::Intern(*text); }
    }
    return Success;
  }

  gxf_context_t context_ = kNullContext;
  gxf_uid_t eid_ = kNullUid;
  /// What was wrong with a parameter; the caller may pass on no more than a code.
  std::string problem_;
  std::vector<std::unique_ptr<detail::ParameterSlot>> slots_;
  std::vector<detail::PortType> ports_;
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_REGISTRAR_HPP_
