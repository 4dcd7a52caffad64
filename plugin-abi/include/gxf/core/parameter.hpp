/// Parameters: members of a component that are set from outside.
#ifndef NVIDIA_GXF_CORE_PARAMETER_HPP_
#define NVIDIA_GXF_CORE_PARAMETER_HPP_

#include <utility>

#include "common/assert.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"
#include "gxf/core/handle.hpp"

namespace nvidia {
namespace gxf {

class Registrar;

namespace sdk __attribute__((visibility("hidden"))) {
template <typename T>
struct ParameterSlotOf;
}  // namespace sdk

template <typename T>
class ParameterBackend;

/// The common part of all parameters.
class ParameterBase {
 public:
  /// Name of the parameter; null before it was registered.
  const char* key() const { return key_; }

 protected:
  friend class Registrar;

  const char* key_ = nullptr;
  // The component whose parameter this is; null while its type is described.
  gxf_context_t context_ = kNullContext;
  gxf_uid_t cid_ = kNullUid;
};

namespace detail {

/// Value and access, shared by the two forms of `Parameter`.
template <typename T>
class ParameterOf : public ParameterBase {
 public:
  ParameterOf() = default;

  /// The value; ends the program if there is none. Use `try_get` for an optional parameter.
  const T& get() const {
    GXF_ASSERT(key_ != nullptr, "a parameter was read that was never registered")
    GXF_ASSERT(value_.has_value(), "parameter `%s` has no value; use try_get() for optional ones",
               key_)
    return value_.value();
  }
  operator const T&() const { return get(); }
  /// The value, or `GXF_PARAMETER_NOT_INITIALIZED`.
  const Expected<T>& try_get() const { return value_; }

  /// Sets the value of this component's parameter, here and for all readers through the host. A
  /// value that the host cannot represent, or a handle of an active component, changes only here.
  Expected<void> set(T value);
  void setWithoutPropagate(const T& value) { value_ = Expected<T>(value); }
  /// From now on the value is that of a storage; see `ParameterStorage::registerParameter`.
  void connect(ParameterBackend<T>* backend);

 protected:
  friend class gxf::Registrar;
  template <typename U>
  friend struct sdk::ParameterSlotOf;

  Expected<T> value_ = Unexpected{GXF_PARAMETER_NOT_INITIALIZED};
  ParameterBackend<T>* backend_ = nullptr;
};

}  // namespace detail

/// A parameter of type `T`.
template <typename T>
class Parameter : public detail::ParameterOf<T> {};

/// A parameter that refers to another component.
template <typename S>
class Parameter<Handle<S>> : public detail::ParameterOf<Handle<S>> {
 public:
  S* operator->() const { return this->get().get(); }
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/core/parameter_backend.hpp"

#endif  // NVIDIA_GXF_CORE_PARAMETER_HPP_
