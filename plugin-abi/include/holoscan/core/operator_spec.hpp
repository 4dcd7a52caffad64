/// What an operator declares: ports and parameters.
#ifndef HOLOSCAN_CORE_OPERATOR_SPEC_HPP_
#define HOLOSCAN_CORE_OPERATOR_SPEC_HPP_

#include <initializer_list>
#include <list>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "holoscan/core/component_spec.hpp"
#include "holoscan/core/gxf/entity.hpp"
#include "holoscan/core/io_spec.hpp"

namespace holoscan {

/// The ports and parameters of an operator; `setup` fills it.
class OperatorSpec : public ComponentSpec {
 public:
  /// One condition for several inputs.
  struct MultiPortCondition {
    ConditionType type;
    std::vector<std::string> port_names;
    ArgList args;
  };

  using ComponentSpec::ComponentSpec;
  using ComponentSpec::param;

  /// Adds an input. The type says what the operator receives there; it is not checked.
  template <typename T = gxf::Entity>
  IOSpec& input(std::string name = "__iospec_input", IOSpec::IOSize size = IOSpec::kSizeOne,
                std::optional<IOSpec::QueuePolicy> policy = std::nullopt) {
    return Add(inputs_, std::move(name), IOSpec::IOType::kInput, size, policy);
  }
  /// Adds an output.
  template <typename T = gxf::Entity>
  IOSpec& output(std::string name = "__iospec_output", IOSpec::IOSize size = IOSpec::kSizeOne,
                 std::optional<IOSpec::QueuePolicy> policy = std::nullopt) {
    return Add(outputs_, std::move(name), IOSpec::IOType::kOutput, size, policy);
  }
  template <typename T = gxf::Entity>
  IOSpec& output(std::string name, IOSpec::QueuePolicy policy) {
    return output<T>(std::move(name), IOSpec::kSizeOne, policy);
  }
  /// A parameter that is an input for any number of senders.
  void param(Parameter<std::vector<IOSpec*>>& parameter, const char* key, const char* headline = "",
             const char* description = "", std::initializer_list<void*> = {}) {
    (void)headline, (void)description;
    parameter = std::vector<IOSpec*>{&input(key, IOSpec::kAnySize)};
  }

  /// One condition for several inputs, which need no other.
  template <typename... Args>
  void multi_port_condition(ConditionType type, const std::vector<std::string>& port_names,
                            Args&&... args) {
    ArgList list;
    (list.add(std::forward<Args>(args)), ...);
    multi_.push_back({type, port_names, std::move(list)});
  }
  /// Lets the operator run when one of these ports would let it.
  void or_combine_port_conditions(const std::vector<std::string>& port_names) {
    either_.push_back(port_names);
  }

  std::list<IOSpec>& inputs() { return inputs_; }
  std::list<IOSpec>& outputs() { return outputs_; }
  const std::vector<MultiPortCondition>& multi_port_conditions() const { return multi_; }
  const std::vector<std::vector<std::string>>& or_combined_ports() const { return either_; }

 private:
  IOSpec& Add(std::list<IOSpec>& ports, std::string name, IOSpec::IOType type, IOSpec::IOSize size,
              std::optional<IOSpec::QueuePolicy> policy) {
    for (const auto* known : {&inputs_, &outputs_}) {
      for (const IOSpec& port : *known) {
        if (port.name() == name) {
          throw std::runtime_error("`" + (owner_ == nullptr ? std::string() : owner_->name()) +
                                   "` has two ports with the name `" + name + "`");
        }
      }
    }
    return ports.emplace_back(std::move(name), type, size, policy);
  }

  // Lists, because `setup` keeps references to ports.
  std::list<IOSpec> inputs_;
  std::list<IOSpec> outputs_;
  std::vector<MultiPortCondition> multi_;
  std::vector<std::vector<std::string>> either_;
};

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_OPERATOR_SPEC_HPP_
