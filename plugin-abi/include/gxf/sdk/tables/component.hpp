/// The host's way into components and codelets.
#ifndef GXF_SDK_TABLES_COMPONENT_HPP_
#define GXF_SDK_TABLES_COMPONENT_HPP_

#include <memory>
#include <new>

#include "gxf/core/component.hpp"
#include "gxf/sdk/guard.hpp"
#include "gxf/sdk/link.hpp"
#include "gxf/std/codelet.hpp"

namespace nvidia {
namespace gxf {

namespace detail {

struct RegistrarAccess {
  using Slots = std::vector<std::unique_ptr<ParameterSlot>>;

  static Slots& SlotsOf(Registrar& registrar) { return registrar.slots_; }
  static const std::vector<PortType>& PortsOf(const Registrar& registrar) {
    return registrar.ports_;
  }
  static Registrar* Of(Component& component) { return component.registrar_; }
  static std::string Failure(const Registrar& registrar, gxf_result_t code) {
    const std::string text = registrar.type_name + "::registerInterface() failed with " +
                             expected_macro::StatusName<gxf_result_t>::Get(code);
    return registrar.problem_.empty() ? text : text + ": " + registrar.problem_;
  }
  static void SetTypeName(Component& component, const char* name) { component.typename_ = name; }
  static void SetPlace(Registrar& registrar, gxf_context_t context, gxf_uid_t eid) {
    registrar.context_ = context;
    registrar.eid_ = eid;
  }
};

}  // namespace detail

namespace sdk __attribute__((visibility("hidden"))) {

/// An object of type `T` in the host's memory.
template <typename T>
struct Instance {
  /// A component, ready for its parameters. The registrar goes with it. In a message,
  /// `environment` is null, and `Entity::add` says where the component is.
  static void* Create(void* storage, const GxeComponentEnvironment* environment) noexcept {
    try {
      if constexpr (std::is_base_of_v<Component, T>) {
        auto registrar = std::make_unique<Registrar>();
        T* object = new (storage) T();
        Component& component = BaseOf<Component, T>(object);
        registrar->type_name = TypenameAsString<T>();
        const GxeComponentEnvironment nowhere{};
        const GxeComponentEnvironment& place = environment == nullptr ? nowhere : *environment;
        registrar->cid = place.cid;
        registrar->tid = ToGxf(TidOf<T>(place.context).value_or(GxeTid{0, 0}));
        detail::RegistrarAccess::SetPlace(*registrar, place.context, place.eid);
        detail::RegistrarAccess::SetTypeName(component, TypenameAsString<T>());
        component.internalSetup(place.context, place.eid, place.cid, registrar.get());
        gxf_result_t code = GXF_FAILURE;
        try {
          code = component.registerInterface(registrar.get());
          if (code != GXF_SUCCESS) { Report(detail::RegistrarAccess::Failure(*registrar, code)); }
        } catch (...) { Report(Thrown("registerInterface")); }
        if (code != GXF_SUCCESS) {
          object->~T();
          return nullptr;
        }
        registrar.release();
        return object;
      } else {
        (void)environment;
        return new (storage) T();
      }
    } catch (...) {
      Report(Thrown("the constructor"));
      return nullptr;
    }
  }

  static void Destroy(void* object) noexcept {
    T* typed = static_cast<T*>(object);
    if constexpr (std::is_base_of_v<Component, T>) {
      // The parameters the registrar refers to are inside the object.
      const std::unique_ptr<Registrar> registrar(detail::RegistrarAccess::Of(BaseOf<Component, T>(object)));
      typed->~T();
    } else {
      typed->~T();
    }
  }
};

/// Functions of the table of `Component`. `T` is the type of the object behind the address.
template <typename T>
struct ComponentTable {
  static Component& Self(void* object) { return BaseOf<Component, T>(object); }

  static GxeResultCode SetParameter(void* object, const GxeComponentEnvironment* environment,
                                    size_t index, const GxeValue* value) noexcept {
    return Guard("setting a parameter", [&]() -> gxf_result_t {
      auto& slots = detail::RegistrarAccess::SlotsOf(*detail::RegistrarAccess::Of(Self(object)));
      if (index >= slots.size()) { return GXF_PARAMETER_NOT_FOUND; }
      return ToResultCode(slots[index]->Set(environment->context, environment->cid, value));
    });
  }
  static void ClearParameters(void* object) noexcept {
    Guard("clearing the parameters", [&] {
      for (auto& slot : detail::RegistrarAccess::SlotsOf(*detail::RegistrarAccess::Of(Self(object)))) {
        slot->Clear();
      }
      return GXF_SUCCESS;
    });
  }
  static GxeResultCode Initialize(void* object, const GxeComponentEnvironment*) noexcept {
    return Guard("initialize", [&] { return Self(object).initialize(); });
  }
  static GxeResultCode Deinitialize(void* object, const GxeComponentEnvironment*) noexcept {
    return Guard("deinitialize", [&] { return Self(object).deinitialize(); });
  }

  static constexpr GxeComponentVtable kTable = {sizeof(GxeComponentVtable), SetParameter,
                                                ClearParameters, Initialize, Deinitialize,
                                                nullptr};
};

template <typename T>
struct CodeletTable {
  static Codelet& Self(void* object, const GxeTickInfo* info) {
    Codelet& self = BaseOf<Codelet, T>(object);
    detail::CodeletAccess::SetTime(self, info->timestamp, info->previous_timestamp, info->count);
    return self;
  }
  static GxeResultCode Start(void* object, const GxeTickInfo* info) noexcept {
    return Guard("start", [&] { return Self(object, info).start(); });
  }
  static GxeResultCode Tick(void* object, const GxeTickInfo* info) noexcept {
    const GxeResultCode code = Guard("tick", [&] { return Self(object, info).tick(); });
    known_messages.Forget();
    return code;
  }
  static GxeResultCode Stop(void* object, const GxeTickInfo* info) noexcept {
    return Guard("stop", [&] { return Self(object, info).stop(); });
  }

  static constexpr GxeCodeletVtable kTable = {sizeof(GxeCodeletVtable), Start, Tick, Stop};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_COMPONENT_HPP_
