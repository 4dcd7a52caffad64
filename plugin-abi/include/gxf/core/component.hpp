/// The base of everything an entity is made of.
#ifndef NVIDIA_GXF_CORE_COMPONENT_HPP_
#define NVIDIA_GXF_CORE_COMPONENT_HPP_

#include <algorithm>
#include <string>
#include <typeinfo>
#include <vector>

#include "gxf/core/entity.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"
#include "gxf/core/handle.hpp"
#include "gxf/core/registrar.hpp"

namespace nvidia {
namespace gxf {

namespace detail {

template <typename T>
void CopyNumbers(const gxf_parameter_info_t& info,
                 ParameterRegistrar::ComponentParameterInfo& result) {
  const auto copy = [](const void* value) {
    return value == nullptr ? TypeEraser{} : TypeEraser{*static_cast<const T*>(value)};
  };
  result.is_arithmetic = true;
  if (info.rank == 0) { result.default_value = copy(info.default_value); }
  result.value_range = {copy(info.numeric_min), copy(info.numeric_max), copy(info.numeric_step)};
}

/// The C API's information about a parameter, as a copy.
inline ParameterRegistrar::ComponentParameterInfo FromInfo(const gxf_parameter_info_t& info) {
  const auto text = [](const char* value) { return std::string(value == nullptr ? "" : value); };
  ParameterRegistrar::ComponentParameterInfo result;
  result.key = text(info.key);
  result.headline = text(info.headline);
  result.description = text(info.description);
  result.platform_information = text(info.platform_information);
  result.type = info.type;
  result.handle_tid = info.handle_tid;
  result.flags = info.flags;
  result.rank = info.rank;
  std::copy(std::begin(info.shape), std::end(info.shape), std::begin(result.shape));
  switch (info.type) {
    case GXF_PARAMETER_TYPE_INT8:
      CopyNumbers<int8_t>(info, result);
      break;
    case GXF_PARAMETER_TYPE_INT16:
      CopyNumbers<int16_t>(info, result);
      break;
    case GXF_PARAMETER_TYPE_INT32:
      CopyNumbers<int32_t>(info, result);
      break;
    case GXF_PARAMETER_TYPE_INT64:
      CopyNumbers<int64_t>(info, result);
      break;
    case GXF_PARAMETER_TYPE_UINT8:
      CopyNumbers<uint8_t>(info, result);
      break;
    case GXF_PARAMETER_TYPE_UINT16:
      CopyNumbers<uint16_t>(info, result);
      break;
    case GXF_PARAMETER_TYPE_UINT32:
      CopyNumbers<uint32_t>(info, result);
      break;
    case GXF_PARAMETER_TYPE_UINT64:
      CopyNumbers<uint64_t>(info, result);
      break;
    case GXF_PARAMETER_TYPE_FLOAT32:
      CopyNumbers<float>(info, result);
      break;
    case GXF_PARAMETER_TYPE_FLOAT64:
      CopyNumbers<double>(info, result);
      break;
    default:
      break;
  }
  return result;
}

}  // namespace detail

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
  gxf_tid_t tid() const { return IsShim() ? TidFromHost() : tid_; }
  /// Name of the component's type.
  const char* type_name() const { return IsShim() ? TypeNameFromHost() : typename_; }
  /// The entity the component belongs to. Only copies of the result are owners of an entity of the
  /// graph, which has the component as long as it lives.
  Entity entity() const {
    GXF_ASSERT(eid_ != kNullUid, "a component was asked for its entity that is in none")
    if (!detail::EntityAccess::IsMessage(eid_)) {
      return detail::EntityAccess::OfGraph(context_, eid_);
    }
    return Entity::Shared(context_, eid_).value();
  }
  /// Name of the component; empty for none.
  const char* name() const {
    if (context_ == kNullContext) { return ""; }
    if (UntypedHandle::IsPayload(cid_)) {
      const auto self = UntypedHandle::Create(context_, cid_);
      return self ? self->name() : "";
    }
    GxeText name{};
    const GxeResultCode code =
        sdk::Host().component_name(sdk::ToAbi(context_), cid_, &name);
    return code == GxeResultCode_SUCCESS ? sdk::Intern(name) : "";
  }

  /// Called once, before `registerInterface`.
  void internalSetup(gxf_context_t context, gxf_uid_t eid, gxf_uid_t cid, Registrar* registrar) {
    context_ = context;
    eid_ = eid;
    cid_ = cid;
    registrar_ = registrar;
    // The host must not be called here: it is in the middle of creating the component.
    if (registrar != nullptr) { tid_ = registrar->tid; }
  }

  /// The value of one of this component's parameters.
  template <typename T>
  Expected<T> getParameter(const char* key) {
    const detail::ParameterSlot* slot = FindSlot(key);
    if (slot == nullptr) { return Unexpected{GXF_PARAMETER_NOT_FOUND}; }
    const auto value = slot->Get(typeid(T));
    if (!value) { return ForwardError(value); }
    return *static_cast<const T*>(value.value());
  }
  /// Sets one of this component's parameters.
  template <typename T>
  Expected<void> setParameter(const char* key, T value) {
    detail::ParameterSlot* slot = FindSlot(key);
    if (slot == nullptr) { return Unexpected{GXF_PARAMETER_NOT_FOUND}; }
    return slot->Store(typeid(T), &value);
  }
  /// Sets one of this component's parameters from YAML. `prefix` stands before the names of entities
  /// in it.
  Expected<void> parseParameter(const char* key, const YAML::Node& node, std::string prefix = "") {
    if (key == nullptr) { return Unexpected{GXF_ARGUMENT_NULL}; }
    const auto parsed = ParameterStorage(context_).parse(cid_, key, node, prefix);
    detail::ParameterSlot* slot = FindSlot(key);
    if (!parsed || slot == nullptr) { return parsed; }
    // During a tick, the host would give the value to this component only before the next one.
    struct Reader {
      const Component* self;
      detail::ParameterSlot* slot;
      Expected<void> taken;
    } reader{this, slot, Unexpected{GXF_PARAMETER_NOT_INITIALIZED}};
    const GxeValueSink sink = {&reader, [](void* user, const GxeValue* value) {
                                 auto* const to = static_cast<Reader*>(user);
                                 to->taken = to->slot->Set(to->self->context_, to->self->cid_, value);
                               }};
    if (sdk::Host().parameter_get(sdk::ToAbi(context_), cid_, sdk::ToText(key), sink) !=
        GxeResultCode_SUCCESS) {
      sdk::ForgetHostError();
      return slot->Set(context_, cid_, nullptr);
    }
    return reader.taken;
  }
  template <typename T>
  Expected<void> setParameter(const char* key, Handle<T>& value) {
    return setParameter<Handle<T>>(key, Handle<T>(value));
  }
  /// One of this component's parameters as YAML.
  Expected<YAML::Node> wrapParameter(const char* key) {
    if (key == nullptr) { return Unexpected{GXF_ARGUMENT_NULL}; }
    // The host does not know the values it has no form for: defaults, and those set in code.
    const detail::ParameterSlot* slot = FindSlot(key);
    if (slot != nullptr) {
      auto wrapped = slot->Wrap(context_);
      if (wrapped || wrapped.error() == GXF_PARAMETER_NOT_INITIALIZED) { return wrapped; }
    }
    return ParameterStorage(context_).wrap(cid_, key);
  }
  /// Information about a parameter of this component's type.
  Expected<ParameterRegistrar::ComponentParameterInfo> getParameterInfo(const char* key) {
    if (key == nullptr) { return Unexpected{GXF_ARGUMENT_NULL}; }
    if (GxfParameterInfo == nullptr) { return Unexpected{GXF_NOT_IMPLEMENTED}; }
    gxf_parameter_info_t info{};
    const gxf_result_t code = GxfParameterInfo(context_, tid_, key, &info);
    if (code != GXF_SUCCESS) { return Unexpected{code}; }
    return detail::FromInfo(info);
  }
  /// Information about the parameters whose type is that of `T`.
  template <typename T>
  Expected<std::vector<ParameterRegistrar::ComponentParameterInfo>> getParametersOfType() {
    if (GxfComponentInfo == nullptr) { return Unexpected{GXF_NOT_IMPLEMENTED}; }
    gxf_component_info_t info{};
    gxf_result_t code = GxfComponentInfo(context_, tid_, &info);
    if (code != GXF_SUCCESS && code != GXF_QUERY_NOT_ENOUGH_CAPACITY) { return Unexpected{code}; }
    std::vector<const char*> keys(info.num_parameters);
    info.parameters = keys.data();
    code = GxfComponentInfo(context_, tid_, &info);
    if (code != GXF_SUCCESS) { return Unexpected{code}; }
    std::vector<ParameterRegistrar::ComponentParameterInfo> found;
    for (const char* key : keys) {
      auto parameter = getParameterInfo(key);
      if (!parameter) { return ForwardError(parameter); }
      if (parameter->type == ParameterTypeTrait<T>::type && parameter->rank == 0) {
        found.push_back(std::move(parameter.value()));
      }
    }
    return found;
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
  template <typename>
  friend struct detail::PayloadPlace;

  /// Whether this is a proxy for a component of the host, which knows only the id.
  bool IsShim() const {
    return registrar_ == nullptr && context_ != kNullContext && GxfTidIsNull(tid_) != 0;
  }
  gxf_tid_t TidFromHost() const {
    GxeTid tid{0, 0};
    if (sdk::Host().component_type(sdk::ToAbi(context_), cid_, &tid) != GxeResultCode_SUCCESS) {
      sdk::ForgetHostError();
    }
    return sdk::ToGxf(tid);
  }
  const char* TypeNameFromHost() const {
    GxeText name{};
    if (sdk::Host().type_name(sdk::ToAbi(context_), sdk::ToAbi(TidFromHost()), &name) !=
        GxeResultCode_SUCCESS) {
      sdk::ForgetHostError();
      return typename_;
    }
    return sdk::Intern(name);
  }
  detail::ParameterSlot* FindSlot(const char* key) const {
    if (registrar_ == nullptr || key == nullptr) { return nullptr; }
    for (const auto& slot : registrar_->slots_) {
      if (std::strcmp(slot->key, key) == 0) { return slot.get(); }
    }
    return nullptr;
  }
};

namespace detail {

template <typename T>
struct PayloadPlace {
  static void Set(T& payload, gxf_context_t context, gxf_uid_t eid, gxf_uid_t cid) {
    // As `sdk::BaseOf`: `T` may be derived in private.
    Component& component = (Component&)payload;
    component.context_ = context;
    component.eid_ = eid;
    component.cid_ = cid;
  }
};

}  // namespace detail

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_CORE_COMPONENT_HPP_
