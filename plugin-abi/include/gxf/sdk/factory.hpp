/// Converts C++ types to the host's descriptors of the extension and its component types.
#ifndef GXF_SDK_FACTORY_HPP_
#define GXF_SDK_FACTORY_HPP_

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gxf/core/gxf.h"
#include "gxf/sdk/interfaces.hpp"

namespace nvidia {
namespace gxf {
namespace detail {

/// The base of a type without a base.
struct VoidBaseHelper {};

/// What a type registers.
struct Registered {
  std::vector<ParameterDescription> parameters;
  std::vector<PortType> ports;
};

/// A type as the factory macros declare it. Its descriptor is created later, on demand.
struct RegisteredType {
  gxf_tid_t tid;
  std::string type_name;
  std::string base_name;
  std::string description;
  std::string display_name;
  std::string brief;
  bool is_component;
  bool is_abstract;
  /// Any of `GXE_TYPE_CAPTURABLE`, `GXE_TYPE_IN_PLACE`, `GXE_TYPE_PUBLISHES_INTO`.
  uint32_t flags;
  size_t size;
  size_t alignment;
  void* (*create)(void*, const GxeComponentEnvironment*);
  void (*destroy)(void*);
  std::vector<GxeInterfaceEntry> (*interfaces)();
  /// Makes an instance on the heap and lets it register its parameters; none for payloads.
  Expected<Registered> (*describe)(gxf_tid_t tid);
};

/// A type's description with the memory it points into.
struct DescribedType {
  GxeComponentType abi{};
  std::vector<ParameterDescription> parameters;
  std::vector<GxeParameterDescriptor> descriptors;
  std::vector<GxeInterfaceEntry> interfaces;
  std::vector<GxePortType> ports;
  GxePortTypes port_types{};
};

}  // namespace detail

namespace sdk __attribute__((visibility("hidden"))) {

/// What a type registers, from an instance that belongs to no entity.
template <typename T>
Expected<detail::Registered> DescribeParameters(gxf_tid_t tid) {
  detail::Registered registered;
  const char* stage = "the constructor";
  try {
    if constexpr (std::is_base_of_v<Component, T> && !std::is_abstract_v<T>) {
      Registrar registrar;
      registrar.tid = tid;
      registrar.type_name = TypenameAsString<T>();
      const auto instance = std::make_unique<T>();
      Component& component = BaseOf<Component, T>(instance.get());
      stage = "registerInterface";
      component.internalSetup(kNullContext, kNullUid, kNullUid, &registrar);
      const gxf_result_t code = component.registerInterface(&registrar);
      if (code != GXF_SUCCESS) {
        Report(detail::RegistrarAccess::Failure(registrar, code));
        return Unexpected{code};
      }
      for (const auto& slot : detail::RegistrarAccess::SlotsOf(registrar)) {
        registered.parameters.push_back(slot->Describe());
      }
      registered.ports = detail::RegistrarAccess::PortsOf(registrar);
    } else {
      (void)tid;
    }
  } catch (...) {
    Report(std::string{"`"} + TypenameAsString<T>() + "`: " + Thrown(stage));
    return Unexpected{GXF_FAILURE};
  }
  return registered;
}

template <typename T>
std::vector<GxeInterfaceEntry> InterfacesIfComponent() {
  if constexpr (std::is_base_of_v<Component, T> && !std::is_abstract_v<T>) {
    return InterfacesOf<T>();
  } else {
    return {};
  }
}

/// Everything about a type that needs the type itself.
template <typename T>
detail::RegisteredType MakeRegisteredType() {
  detail::RegisteredType type{};
  type.type_name = TypenameAsString<T>();
  type.is_component = std::is_base_of_v<Component, T>;
  type.is_abstract = std::is_abstract_v<T>;
  if constexpr (!std::is_abstract_v<T>) {
    static_assert(std::is_default_constructible_v<T>, "a registered type is made without arguments");
    type.size = sizeof(T);
    type.alignment = alignof(T);
    type.create = Instance<T>::Create;
    // Null for plain data, whose size is then known to be all that it takes.
    type.destroy = std::is_trivially_destructible_v<T> ? nullptr : &Instance<T>::Destroy;
  }
  type.interfaces = InterfacesIfComponent<T>;
  type.describe = DescribeParameters<T>;
  return type;
}

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_FACTORY_HPP_
