/// Messages with payloads of GXF.
#ifndef HOLOSCAN_CORE_GXF_ENTITY_HPP_
#define HOLOSCAN_CORE_GXF_ENTITY_HPP_

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "gxf/core/entity.hpp"
#include "holoscan/core/domain/tensor.hpp"

namespace holoscan {

class ExecutionContext;

namespace gxf {

/// A message whose payloads an operator adds and reads itself.
class Entity : public nvidia::gxf::Entity {
 public:
  Entity() = default;
  explicit Entity(const nvidia::gxf::Entity& other) : nvidia::gxf::Entity(other) {}
  explicit Entity(nvidia::gxf::Entity&& other) : nvidia::gxf::Entity(std::move(other)) {}

  /// Whether it is a message, and not the default of this class.
  operator bool() const { return !is_null(); }

  /// An empty message.
  static Entity New(ExecutionContext* context);

  /// A tensor of the message by its name, or the first; null if there is none.
  template <typename T>
  std::shared_ptr<T> get(const char* name = nullptr, bool log_errors = true) const {
    static_assert(std::is_same_v<T, Tensor>, "use nvidia::gxf::Entity::get for types of GXF");
    const auto found = nvidia::gxf::Entity::get<nvidia::gxf::Tensor>(name);
    if (found) { return detail::TensorOf(*this, found.value()); }
    if (log_errors) {
      GXF_LOG_ERROR("the message has no tensor `%s`", name == nullptr ? "" : name);
    }
    return nullptr;
  }
  /// Adds a tensor, without copying its elements.
  void add(const std::shared_ptr<Tensor>& tensor, const char* name = nullptr) {
    const auto added = nvidia::gxf::Entity::add<nvidia::gxf::Tensor>(name);
    const auto taken = added ? added.value()->fromDLPack(tensor->dl_ctx())
                             : nvidia::gxf::Expected<void>(nvidia::gxf::ForwardError(added));
    if (!taken) {
      throw std::runtime_error(std::string("a tensor cannot be added to a message: ") +
                               GxfResultStr(taken.error()));
    }
  }
};

}  // namespace gxf
}  // namespace holoscan

#endif  // HOLOSCAN_CORE_GXF_ENTITY_HPP_
