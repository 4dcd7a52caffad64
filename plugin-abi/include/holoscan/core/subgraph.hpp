/// Parts of a fragment that can be used several times.
#ifndef HOLOSCAN_CORE_SUBGRAPH_HPP_
#define HOLOSCAN_CORE_SUBGRAPH_HPP_

#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "holoscan/core/operator.hpp"

namespace holoscan {

class Fragment;

/// Operators and flows with ports of their own: override `compose`. `make_subgraph` makes it. Its
/// operators belong to the fragment; their names begin with that of the subgraph: `sub_tx`.
class Subgraph {
 public:
  /// A port of the subgraph: one of an operator in it.
  struct InterfacePort {
    std::shared_ptr<Operator> op;
    std::string port;
  };

  Subgraph(Fragment* fragment, const std::string& name) : fragment_(fragment), name_(name) {}
  Subgraph(const Subgraph&) = delete;
  Subgraph& operator=(const Subgraph&) = delete;
  virtual ~Subgraph() = default;

  virtual void compose() = 0;

  Fragment* fragment() const { return fragment_; }
  const std::string& name() const { return name_; }
  const std::string& instance_name() const { return name_; }

  // These do what those of a fragment do.
  template <typename OperatorT, typename Name, typename... Args,
            std::enable_if_t<std::is_constructible_v<std::string, Name>, int> = 0>
  std::shared_ptr<OperatorT> make_operator(Name name, Args&&... args);
  template <typename OperatorT, typename... Args>
  std::shared_ptr<OperatorT> make_operator(Args&&... args);
  template <typename ConditionT, typename... Args>
  std::shared_ptr<ConditionT> make_condition(Args&&... args);
  template <typename ResourceT, typename... Args>
  std::shared_ptr<ResourceT> make_resource(Args&&... args);
  template <typename SubgraphT, typename... Args>
  std::shared_ptr<SubgraphT> make_subgraph(const std::string& name, Args&&... args);
  void add_operator(const std::shared_ptr<Operator>& op);
  template <typename Source, typename Target>
  void add_flow(const std::shared_ptr<Source>& source, const std::shared_ptr<Target>& target);
  template <typename Source, typename Target>
  void add_flow(const std::shared_ptr<Source>& source, const std::shared_ptr<Target>& target,
                std::set<std::pair<std::string, std::string>> port_pairs);

  /// Makes a port of an operator in it one of the subgraph.
  void add_interface_port(const std::string& name, const std::shared_ptr<Operator>& op,
                          const std::string& port, bool is_input) {
    if (op == nullptr) { throw std::runtime_error("the subgraph `" + name_ + "`: no operator"); }
    Add(name, {op, port}, is_input);
  }
  /// Makes a port of a subgraph in it one of this subgraph.
  void add_interface_port(const std::string& name, const std::shared_ptr<Subgraph>& inner,
                          const std::string& port, bool is_input) {
    Add(name, inner->PortAt(port, is_input), is_input);
  }
  template <typename Node>
  void add_input_interface_port(const std::string& name, const std::shared_ptr<Node>& node,
                                const std::string& port) {
    add_interface_port(name, node, port, true);
  }
  template <typename Node>
  void add_output_interface_port(const std::string& name, const std::shared_ptr<Node>& node,
                                 const std::string& port) {
    add_interface_port(name, node, port, false);
  }
  /// Lets flows without data into the subgraph run an operator.
  void add_input_exec_interface_port(const std::string& name, const std::shared_ptr<Operator>& op) {
    add_interface_port(name, op, Operator::kInputExecPortName, true);
  }
  /// Lets an operator run what follows the subgraph.
  void add_output_exec_interface_port(const std::string& name, const std::shared_ptr<Operator>& op) {
    add_interface_port(name, op, Operator::kOutputExecPortName, false);
  }
  const std::map<std::string, InterfacePort>& interface_ports(bool is_input) const {
    return is_input ? inputs_ : outputs_;
  }

  /// The port of an operator behind one of the subgraph; behind the only one without a name.
  const InterfacePort& PortAt(const std::string& name, bool is_input) const {
    const auto& ports = interface_ports(is_input);
    if (name.empty() && ports.size() == 1) { return ports.begin()->second; }
    const auto known = ports.find(name);
    if (known != ports.end()) { return known->second; }
    std::string names;
    for (const auto& [each, port] : ports) { names += (names.empty() ? "" : ", ") + each; }
    const std::string what = is_input ? "input" : "output";
    throw std::runtime_error("the subgraph `" + name_ + "` has no " + what + " `" + name + "`; its " +
                             what + "s: " + (names.empty() ? "none" : names));
  }

 private:
  void Add(const std::string& name, InterfacePort port, bool is_input) {
    if (!(is_input ? inputs_ : outputs_).emplace(name, std::move(port)).second) {
      throw std::runtime_error("the subgraph `" + name_ + "` has two " +
                               (is_input ? "inputs" : "outputs") + " with the name `" + name + "`");
    }
  }

  Fragment* fragment_;
  std::string name_;
  std::map<std::string, InterfacePort> inputs_;
  std::map<std::string, InterfacePort> outputs_;
};

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_SUBGRAPH_HPP_
