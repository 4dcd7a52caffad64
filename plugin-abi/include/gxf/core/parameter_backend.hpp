/// Parameters of a `ParameterStorage` that was created in code. The host has those of components.
#ifndef NVIDIA_GXF_CORE_PARAMETER_BACKEND_HPP_
#define NVIDIA_GXF_CORE_PARAMETER_BACKEND_HPP_

#include <functional>
#include <string>
#include <utility>

#include "gxf/core/expected.hpp"
#include "gxf/core/gxf.h"
#include "gxf/core/parameter.hpp"
#include "gxf/core/parameter_parser.hpp"
#include "gxf/core/parameter_parser_std.hpp"
#include "gxf/core/parameter_wrapper.hpp"

namespace nvidia {
namespace gxf {

/// A stored parameter without its type.
class ParameterBackendBase {
 public:
  virtual ~ParameterBackendBase() = default;

  gxf_context_t context() const { return context_; }
  gxf_uid_t uid() const { return uid_; }
  const char* key() const { return key_; }
  bool isMandatory() const { return (flags_ & GXF_PARAMETER_FLAGS_OPTIONAL) == 0; }
  /// Whether it keeps its value once the component runs.
  bool isConstant() const { return (flags_ & GXF_PARAMETER_FLAGS_DYNAMIC) == 0; }
  /// No parameter is locked.
  bool isImmutable() const { return false; }

  /// Copies the value to the component's member.
  virtual void writeToFrontend() = 0;
  virtual Expected<void> parse(const YAML::Node& node, const std::string& prefix) = 0;
  virtual Expected<YAML::Node> wrap() = 0;
  /// Whether there is a value.
  virtual bool isAvailable() const = 0;

  gxf_context_t context_ = kNullContext;
  gxf_uid_t uid_ = kNullUid;
  gxf_parameter_flags_t flags_ = GXF_PARAMETER_FLAGS_NONE;
  bool is_dynamic_ = false;
  const char* key_ = nullptr;
  const char* headline_ = nullptr;
  const char* description_ = nullptr;
};

/// A stored parameter of type `T`.
template <typename T>
class ParameterBackend : public ParameterBackendBase {
 public:
  /// Refused with `GXF_PARAMETER_OUT_OF_RANGE` when the validator does not like it.
  Expected<void> set(T value) {
    if (validator_ && !validator_(value)) { return Unexpected{GXF_PARAMETER_OUT_OF_RANGE}; }
    value_ = Expected<T>(std::move(value));
    writeToFrontend();
    return Success;
  }
  const Expected<T>& try_get() const { return value_; }

  void writeToFrontend() override {
    if (frontend_ != nullptr && value_) { frontend_->setWithoutPropagate(value_.value()); }
  }
  Expected<void> parse(const YAML::Node& node, const std::string& prefix) override {
    auto value = ParameterParser<T>::Parse(context_, uid_, key_, node, prefix);
    if (!value) { return ForwardError(value); }
    return set(std::move(value.value()));
  }
  Expected<YAML::Node> wrap() override {
    if (!value_) { return ForwardError(value_); }
    return ParameterWrapper<T>::Wrap(context_, value_.value());
  }
  bool isAvailable() const override { return value_.has_value(); }

  /// The member of the component that follows the value.
  detail::ParameterOf<T>* frontend_ = nullptr;
  std::function<bool(const T&)> validator_;

 private:
  Expected<T> value_ = Unexpected{GXF_PARAMETER_NOT_INITIALIZED};
};

namespace detail {

template <typename T>
void ParameterOf<T>::connect(ParameterBackend<T>* backend) {
  backend_ = backend;
  if (backend == nullptr) { return; }
  key_ = backend->key();
  backend->frontend_ = this;
  backend->writeToFrontend();
}

}  // namespace detail

}  // namespace gxf
}  // namespace nvidia

#include "gxf/core/parameter_storage.hpp"

#endif  // NVIDIA_GXF_CORE_PARAMETER_BACKEND_HPP_
