/// The base of everything an entity is made of.
#ifndef NVIDIA_GXF_CORE_COMPONENT_HPP_
#define NVIDIA_GXF_CORE_COMPONENT_HPP_

#include <string>
#include <typeinfo>

#include "gxf/core/entity.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"
#include "gxf/core/handle.hpp"
#include "gxf/core/registrar.hpp"

namespace nvidia {
namespace gxf {

/// A component of an entity. The host creates it, sets its parameters, calls `initialize` when the
/// entity is activated and `deinitialize` when it is deactivated.
class Component {
 public:
  virtual ~Component() = default;
  Component(const Component&) = delete;
  Component(Component&&) = delete;
  Component& operator=(const Component&) = delete;
  Component& operator=(Component&&) = delete;

  /// Registers the parameters. Called once for the type and once for each component.
  virtual gxf_result_t registerInterface(Registrar* registrar) {
    return registrar == nullptr ? GXF_ARGUMENT_NULL
                                : ToResultCode(registrar->registerParameterlessComponent());
  }
  /// Light work before the component is used; all parameters are set.
  virtual gxf_result_t initialize() { return GXF_SUCCESS; }
  /// Undoes `initialize`.
  virtual gxf_result_t deinitialize() { return GXF_SUCCESS; }

  gxf_context_t context() const { return context_; }
  gxf_uid_t eid() const { return eid_; }
  gxf_uid_t cid() const { return cid_; }
  gxf_tid_t tid() const { return tid_; }
  /// Name of the component's type.
  const char* type_name() const { return typename_; }
  /// The entity the component belongs to.
  Entity entity() const {
    GXF_ASSERT(eid_ != kNullUid, "a component was asked for its entity that is in none")
    return detail::EntityAccess::OfGraph(context_, eid_);
  }
  /// Name of the component; empty for none.
  const char* name() const {
    GxeText name{};
    if (context_ == kNullContext) { return ""; }
    const GxeResultCode code =
        sdk::Host().component_name(sdk::ToBorder(context_), cid_, &name);
    return code == GxeResultCode_SUCCESS ? sdk::Intern(name) : "";
  }

  /// Called once, before `registerInterface`.
  void internalSetup(gxf_context_t context, gxf_uid_t eid, gxf_uid_t cid, Registrar* registrar) {
    context_ = context;
    eid_ = eid;
    cid_ = cid;
    registrar_ = registrar;
    // The host may not be asked here: it is in the middle of making the component.
    if (registrar != nullptr) { tid_ = registrar->tid; }
  }

  /// The value of one of this component's parameters.
  template <typename T>
  Expected<T> getParameter(const char* key) {
    const detail::ParameterSlot* slot = FindSlot(key);
    if (slot == nullptr) { return Unexpected{GXF_PARAMETER_NOT_FOUND}; }
    const void* value = slot->Get(typeid(T));
    if (value == nullptr) { return Unexpected{GXF_PARAMETER_NOT_INITIALIZED}; }
    return *static_cast<const T*>(value);
  }
  /// Sets one of this component's parameters.
  template <typename T>
  Expected<void> setParameter(const char* key, T value) {
    detail::ParameterSlot* slot = FindSlot(key);
    if (slot == nullptr) { return Unexpected{GXF_PARAMETER_NOT_FOUND}; }
    if (!slot->Store(typeid(T), &value)) { return Unexpected{GXF_PARAMETER_INVALID_TYPE}; }
    return Success;
  }

 protected:
  Component() = default;

  gxf_context_t context_ = kNullContext;
  gxf_uid_t eid_ = kNullUid;
  gxf_uid_t cid_ = kNullUid;
  gxf_tid_t tid_ = GxfTidNull();
  const char* typename_ = "UNKNOWN";
  Registrar* registrar_ = nullptr;
  ParameterRegistrar* parameter_registrar_ = nullptr;
  ParameterStorage* parameter_storage_ = nullptr;

 private:
  friend struct detail::RegistrarAccess;

  detail::ParameterSlot* FindSlot(const char* key) const {
    if (registrar_ == nullptr || key == nullptr) { return nullptr; }
    for (const auto& slot : registrar_->slots_) {
      if (std::strcmp(slot->key, key) == 0) { return slot.get(); }
    }
    return nullptr;
  }
};

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_COMPONENT_HPP_
