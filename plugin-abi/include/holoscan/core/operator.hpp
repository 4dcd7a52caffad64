/// Operators: the nodes of an application.
#ifndef HOLOSCAN_CORE_OPERATOR_HPP_
#define HOLOSCAN_CORE_OPERATOR_HPP_

#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "holoscan/core/condition.hpp"
#include "holoscan/core/execution_context.hpp"
#include "holoscan/core/io_context.hpp"
#include "holoscan/core/operator_spec.hpp"
#include "holoscan/core/resource.hpp"

namespace holoscan {

/// Gives an operator the constructor that `make_operator` calls.
#define HOLOSCAN_OPERATOR_FORWARD_ARGS(class_name) \
  HOLOSCAN_FORWARD_ARGS_TO(class_name, ::holoscan::Operator)
/// The same for an operator that derives from another one.
#define HOLOSCAN_OPERATOR_FORWARD_ARGS_SUPER(class_name, super) \
  HOLOSCAN_FORWARD_ARGS_TO(class_name, super)

/// A node of an application. Override `setup`, which declares ports and parameters, and `compute`.
class Operator : public Component {
 public:
  Operator() = default;
  template <typename ArgT, typename... ArgsT,
            std::enable_if_t<detail::IsArgument<std::decay_t<ArgT>>::value, int> = 0>
  explicit Operator(ArgT&& arg, ArgsT&&... args) {
    add_arg(std::forward<ArgT>(arg));
    (add_arg(std::forward<ArgsT>(args)), ...);
  }

  /// Declares ports and parameters.
  virtual void setup(OperatorSpec& spec) { (void)spec; }
  /// Called once before the first execution, on its thread.
  virtual void start() {}
  /// Works once, whenever the conditions let it.
  virtual void compute(InputContext& op_input, OutputContext& op_output, ExecutionContext& context) {
    (void)op_input, (void)op_output, (void)context;
  }
  /// Called once after the last execution.
  virtual void stop() {}
  /// Gives the parameters the values of the arguments. An override calls this one.
  void initialize() override {
    if (spec_ != nullptr) { spec_->Apply(args_); }
  }

  using Component::add_arg;
  /// Adds a condition.
  template <typename T>
  void add_arg(const std::shared_ptr<T>& component) {
    static_assert(std::is_base_of_v<Condition, T> || std::is_base_of_v<Resource, T>,
                  "an operator takes arguments, conditions and resources");
    if constexpr (std::is_base_of_v<Condition, T>) {
      Keep<Condition>(conditions_, component, "condition");
    } else {
      Keep<Resource>(resources_, component, "resource");
    }
  }

  std::map<std::string, std::shared_ptr<Condition>>& conditions() { return conditions_; }
  std::map<std::string, std::shared_ptr<Resource>>& resources() { return resources_; }
  /// A condition by its name and class; null if there is none.
  template <typename T>
  std::shared_ptr<T> condition(const std::string& name) {
    const auto found = conditions_.find(name);
    return found == conditions_.end() ? nullptr : std::dynamic_pointer_cast<T>(found->second);
  }
  /// A resource by its name and class; null if there is none.
  template <typename T>
  std::shared_ptr<T> resource(const std::string& name) {
    const auto found = resources_.find(name);
    return found == resources_.end() ? nullptr : std::dynamic_pointer_cast<T>(found->second);
  }
  /// The condition that each operator has for events outside the application.
  std::shared_ptr<AsynchronousCondition> async_condition() { return async_condition_; }
  /// Lets the operator not run any more. Other operators go on as long as they have work.
  void stop_execution() { async_condition_->event_state(AsynchronousEventState::EVENT_NEVER); }

  const std::shared_ptr<OperatorSpec>& spec() const { return spec_; }
  void spec(std::shared_ptr<OperatorSpec> spec) { spec_ = std::move(spec); }

  /// Types of parameters are read by `YAML::convert`; nothing needs to be registered.
  template <typename T>
  static void register_converter() {}

 private:
  template <typename Base, typename T>
  void Keep(std::map<std::string, std::shared_ptr<Base>>& all,
            const std::shared_ptr<T>& component, const char* what) {
    if (!all.emplace(component->name(), component).second) {
      throw std::runtime_error("the operator has two " + std::string(what) + "s with the name `" +
                               component->name() + "`");
    }
  }

  std::shared_ptr<OperatorSpec> spec_;
  std::map<std::string, std::shared_ptr<Condition>> conditions_;
  std::map<std::string, std::shared_ptr<Resource>> resources_;
  std::shared_ptr<AsynchronousCondition> async_condition_ = std::make_shared<AsynchronousCondition>();
};

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_OPERATOR_HPP_
