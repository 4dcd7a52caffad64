/// The parameters of one component, without their types.
#ifndef GXF_SDK_SLOTS_HPP_
#define GXF_SDK_SLOTS_HPP_

#include <cstdint>
#include <memory>
#include <typeinfo>
#include <utility>
#include <vector>

#include "gxf/core/parameter.hpp"
#include "gxf/core/parameter_registrar.hpp"
#include "gxf/core/parameter_wrapper.hpp"
#include "gxf/sdk/codec.hpp"

namespace nvidia {
namespace gxf {
namespace detail {

/// Lets the factory into a registrar.
struct RegistrarAccess;

/// The description of a parameter for the host, with its memory.
struct ParameterDescription {
  GxeParameterDescriptor descriptor{};
  std::shared_ptr<void> memory;
};

/// A payload type that goes through a port of a component.
struct PortType {
  /// The parameter; null for the component itself.
  const char* key;
  /// Name of the payload type.
  const char* type_name;
};

/// A parameter of a component.
struct ParameterSlot {
  virtual ~ParameterSlot() = default;

  /// Stores a value of the host; null: the default, or no value.
  virtual Expected<void> Set(gxf_context_t context, gxf_uid_t cid, const GxeValue* value) = 0;
  /// Lets go of the value.
  virtual void Clear() = 0;
  virtual ParameterDescription Describe() const = 0;
  /// The value as `const T*`; `GXF_PARAMETER_INVALID_TYPE` when `T` is another type.
  virtual Expected<const void*> Get(const std::type_info& type) const = 0;
  /// The value as YAML.
  virtual Expected<YAML::Node> Wrap(gxf_context_t context) const = 0;
  /// Sets the `T` at an address; `GXF_PARAMETER_INVALID_TYPE` when `T` is another type.
  virtual Expected<void> Store(const std::type_info& type, const void* value) = 0;

  const char* key = nullptr;
  const char* headline = nullptr;
  const char* description = nullptr;
  gxf_parameter_flags_t flags = GXF_PARAMETER_FLAGS_NONE;
};

}  // namespace detail

namespace sdk __attribute__((visibility("hidden"))) {

using detail::ParameterDescription;
using detail::ParameterSlot;

template <typename T>
constexpr bool kIsHandle = false;
template <typename T>
constexpr bool kIsHandle<Handle<T>> = true;

/// The memory of a description.
struct DescribedValues {
  OwnedValue default_value;
  OwnedValue range[3];
};

/// What is the same for parameters of every type, so that compilers see it once.
struct UntypedSlot : ParameterSlot {
  /// A description without a default value and a range.
  ParameterDescription Begin(std::shared_ptr<DescribedValues> memory, const char* unit,
                             GxeParameterType element_type, uint32_t rank) const {
    ParameterDescription result;
    result.memory = std::move(memory);
    GxeParameterDescriptor& descriptor = result.descriptor;
    descriptor.size = sizeof(GxeParameterDescriptor);
    descriptor.key = key;
    descriptor.headline = headline;
    descriptor.description = description;
    descriptor.unit = unit;
    descriptor.flags = flags & (GXE_PARAMETER_OPTIONAL | GXE_PARAMETER_DYNAMIC);
    descriptor.element_type = element_type;
    descriptor.rank = rank;
    for (int32_t& length : descriptor.shape) { length = -1; }
    return result;
  }
};

template <typename T>
struct ParameterSlotOf : UntypedSlot {
  ParameterSlotOf(Parameter<T>& parameter, ParameterInfo<T> info)
      : parameter_(parameter), info_(std::move(info)) {
    key = info_.key;
    headline = info_.headline;
    description = info_.description;
    flags = info_.flags;
    if (info_.value_default) { parameter_.value_ = info_.value_default; }
  }

  Expected<void> Set(gxf_context_t context, gxf_uid_t cid, const GxeValue* value) override {
    if (value == nullptr) {
      parameter_.value_ = info_.value_default
                              ? info_.value_default
                              : Expected<T>(Unexpected{GXF_PARAMETER_NOT_INITIALIZED});
      return Success;
    }
    if (value->element_type != Codec<T>::kType || value->rank != Codec<T>::kRank) {
      return Unexpected{GXF_PARAMETER_INVALID_TYPE};
    }
    auto read = Codec<T>::Read(*value, ParameterPlace{context, cid, key});
    if (!read) { return ForwardError(read); }
    parameter_.value_ = std::move(read);
    return Success;
  }

  void Clear() override { parameter_.value_ = Unexpected{GXF_PARAMETER_NOT_INITIALIZED}; }

  ParameterDescription Describe() const override {
    using Form = Codec<T>;
    const auto memory = std::make_shared<DescribedValues>();
    ParameterDescription result =
        Begin(memory, info_.platform_information, Form::kType, Form::kRank);
    GxeParameterDescriptor& descriptor = result.descriptor;
    Form::Shape(descriptor.shape);
    descriptor.handle_tid = Form::HandleTid();
    if (info_.value_default && !IsOpen(info_.value_default.value())) {
      if (Form::Write(info_.value_default.value(), memory->default_value)) {
        descriptor.default_value = &memory->default_value.value;
      } else {
        // A default that the ABI cannot express stays on this side.
        descriptor.flags |= GXE_PARAMETER_OPTIONAL;
      }
    }
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      if (info_.value_range) {
        const GxeValue** limits[] = {&descriptor.minimum, &descriptor.maximum, &descriptor.step};
        for (size_t i = 0; i < 3; i++) {
          if (Form::Write(info_.value_range.value()[i], memory->range[i])) {
            *limits[i] = &memory->range[i].value;
          }
        }
      }
    }
    return result;
  }

  Expected<const void*> Get(const std::type_info& type) const override {
    if (type != typeid(T)) { return Unexpected{GXF_PARAMETER_INVALID_TYPE}; }
    if (!parameter_.value_) { return Unexpected{GXF_PARAMETER_NOT_INITIALIZED}; }
    return static_cast<const void*>(&parameter_.value_.value());
  }
  Expected<YAML::Node> Wrap(gxf_context_t context) const override {
    if (!parameter_.value_) { return Unexpected{GXF_PARAMETER_NOT_INITIALIZED}; }
    return ParameterWrapper<T>::Wrap(context, parameter_.value_.value());
  }
  Expected<void> Store(const std::type_info& type, const void* value) override {
    if (type != typeid(T)) { return Unexpected{GXF_PARAMETER_INVALID_TYPE}; }
    return parameter_.set(*static_cast<const T*>(value));
  }

 private:
  /// A handle that waits to be given.
  static bool IsOpen(const T& value) {
    if constexpr (kIsHandle<T>) {
      return value.cid() == kUnspecifiedUid;
    } else {
      (void)value;
      return false;
    }
  }

  Parameter<T>& parameter_;
  ParameterInfo<T> info_;
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_SLOTS_HPP_
