/// Operators: the nodes of an application.
#ifndef HOLOSCAN_CORE_OPERATOR_HPP_
#define HOLOSCAN_CORE_OPERATOR_HPP_

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "holoscan/core/condition.hpp"
#include "holoscan/core/execution_context.hpp"
#include "holoscan/core/io_context.hpp"
#include "holoscan/core/metadata.hpp"
#include "holoscan/core/operator_spec.hpp"
#include "holoscan/core/resource.hpp"

namespace holoscan {

/// Gives an operator the constructor that `make_operator` calls.
#define HOLOSCAN_OPERATOR_FORWARD_ARGS(class_name) \
  HOLOSCAN_FORWARD_ARGS_TO(class_name, ::holoscan::Operator)
/// The same for an operator that derives from another one.
#define HOLOSCAN_OPERATOR_FORWARD_ARGS_SUPER(class_name, super) \
  HOLOSCAN_FORWARD_ARGS_TO(class_name, super)

class Operator;

/// A flow from an output of one operator to an input of another.
struct OperatorFlowInfo {
  std::shared_ptr<Operator> curr_operator;
  std::string output_port_name;
  /// Null for a flow without data.
  std::shared_ptr<IOSpec> output_port_spec;
  std::shared_ptr<Operator> next_operator;
  std::string input_port_name;
  std::shared_ptr<IOSpec> input_port_spec;

  /// Whether it has no data: it only lets an operator run after another one.
  bool is_order() const { return output_port_spec == nullptr; }
};

/// A node of an application. Override `setup`, which declares ports and parameters, and `compute`.
class Operator : public Component {
 public:
  using FlowInfo = OperatorFlowInfo;

  /// Names of the ports of flows without data.
  static constexpr const char* kInputExecPortName = "__input_exec__";
  static constexpr const char* kOutputExecPortName = "__output_exec__";

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

  /// During an execution: what came with the messages that it received, and goes with those that it
  /// sends.
  std::shared_ptr<MetadataDictionary> metadata() { return metadata_; }
  /// Whether metadata travels with messages.
  bool is_metadata_enabled() const;
  void enable_metadata(bool enable) { is_metadata_enabled_ = enable; }
  /// What happens to a key that several messages have.
  MetadataPolicy metadata_policy() const;
  void metadata_policy(MetadataPolicy policy) { metadata_policy_ = policy; }

  /// The flows that leave the operator.
  const std::vector<std::shared_ptr<FlowInfo>>& next_flows() const { return next_flows_; }
  /// The first flow that leaves the operator and fits; null if none does.
  std::shared_ptr<FlowInfo> find_flow_info(
      const std::function<bool(const std::shared_ptr<FlowInfo>&)>& fits) const {
    const auto found = std::find_if(next_flows_.begin(), next_flows_.end(), fits);
    return found == next_flows_.end() ? nullptr : *found;
  }
  /// The flows that leave the operator and fit.
  std::vector<std::shared_ptr<FlowInfo>> find_all_flow_info(
      const std::function<bool(const std::shared_ptr<FlowInfo>&)>& fits) const {
    std::vector<std::shared_ptr<FlowInfo>> found;
    std::copy_if(next_flows_.begin(), next_flows_.end(), std::back_inserter(found), fits);
    return found;
  }
  /// In the function of `set_dynamic_flows`: sends along a flow this time.
  void add_dynamic_flow(const std::shared_ptr<FlowInfo>& flow) {
    if (flow == nullptr) { throw std::runtime_error("add_dynamic_flow: no flow"); }
    dynamic_flows_.push_back(flow);
  }
  void add_dynamic_flow(const std::vector<std::shared_ptr<FlowInfo>>& flows) {
    for (const auto& flow : flows) { add_dynamic_flow(flow); }
  }
  /// The same for the flow to an operator; names of ports are needed if there are several.
  void add_dynamic_flow(const std::string& output, const std::shared_ptr<Operator>& next,
                        const std::string& input = "") {
    for (const auto& flow : next_flows_) {
      if (flow->next_operator == next && (output.empty() || output == flow->output_port_name) &&
          (input.empty() || input == flow->input_port_name)) {
        return add_dynamic_flow(flow);
      }
    }
    throw std::runtime_error("there is no flow from `" + name() + "` to `" +
                             (next == nullptr ? "" : next->name()) + "`");
  }
  void add_dynamic_flow(const std::shared_ptr<Operator>& next, const std::string& input = "") {
    add_dynamic_flow("", next, input);
  }
  /// The flows of this execution.
  const std::vector<std::shared_ptr<FlowInfo>>& dynamic_flows() const { return dynamic_flows_; }

  /// Changes what happens to messages without room at a port.
  void queue_policy(const std::string& port_name, IOSpec::IOType port_type = IOSpec::IOType::kInput,
                    IOSpec::QueuePolicy policy = IOSpec::QueuePolicy::kFault) {
    const bool is_input = port_type == IOSpec::IOType::kInput;
    for (IOSpec& port : is_input ? spec_->inputs() : spec_->outputs()) {
      if (port.name() != port_name) { continue; }
      port.queue_policy(policy);
      return;
    }
    throw std::runtime_error("operator `" + name() + "` has no " + (is_input ? "input" : "output") +
                             " `" + port_name + "`");
  }
  /// In `compute`, with a tracker: the paths of the messages that this execution received at an input.
  MessageLabel get_data_flow_tracking_label(const std::string& input_name) {
    if (queues_ == nullptr || queues_->tracker == nullptr) {
      throw std::runtime_error("operator `" + name() + "`: the data flow is not tracked");
    }
    return queues_->LabelOf(input_name.c_str());
  }

  const std::shared_ptr<OperatorSpec>& spec() const { return spec_; }
  void spec(std::shared_ptr<OperatorSpec> spec) { spec_ = std::move(spec); }

  /// Types of parameters are read by `YAML::convert`; nothing needs to be registered.
  template <typename T>
  static void register_converter() {}

  /// Asks the function of `set_dynamic_flows` for the flows of this execution. Engine only.
  const std::vector<std::shared_ptr<FlowInfo>>& ChooseFlows() {
    dynamic_flows_.clear();
    choose_flows_();
    return dynamic_flows_;
  }
  /// Lets the operator look at its queues, of this run. Engine only.
  void Attach(gxf::OperatorQueues* queues) { queues_ = queues; }
  void Detach(const gxf::OperatorQueues* queues) {
    if (queues_ == queues) { queues_ = nullptr; }
  }
  bool is_dynamic() const { return choose_flows_ != nullptr; }
  /// Whether flows lead from the operator back to it.
  bool IsInLoop() const {
    std::set<const Operator*> seen;
    std::vector<const Operator*> next;
    const auto follow = [&](const Operator& op) {
      for (const auto& flow : op.next_flows_) { next.push_back(flow->next_operator.get()); }
    };
    follow(*this);
    while (!next.empty()) {
      const Operator* op = next.back();
      next.pop_back();
      if (op == this) { return true; }
      if (seen.insert(op).second) { follow(*op); }
    }
    return false;
  }

 private:
  friend class Fragment;

  template <typename Base, typename T>
  void Keep(std::map<std::string, std::shared_ptr<Base>>& all,
            const std::shared_ptr<T>& component, const char* what) {
    if (component == nullptr) {
      throw std::runtime_error("a " + std::string(what) + " of an operator is a null pointer");
    }
    if (!all.emplace(component->name(), component).second) {
      throw std::runtime_error("the operator has two " + std::string(what) + "s with the name `" +
                               component->name() + "`");
    }
  }

  std::shared_ptr<OperatorSpec> spec_;
  gxf::OperatorQueues* queues_ = nullptr;
  std::map<std::string, std::shared_ptr<Condition>> conditions_;
  std::map<std::string, std::shared_ptr<Resource>> resources_;
  std::shared_ptr<MetadataDictionary> metadata_ = std::make_shared<MetadataDictionary>();
  std::optional<bool> is_metadata_enabled_;
  MetadataPolicy metadata_policy_ = MetadataPolicy::kDefault;
  /// Its fragment breaks the circle of owners at its end.
  std::vector<std::shared_ptr<FlowInfo>> next_flows_;
  std::vector<std::shared_ptr<FlowInfo>> dynamic_flows_;
  std::function<void()> choose_flows_;
  std::shared_ptr<AsynchronousCondition> async_condition_ = std::make_shared<AsynchronousCondition>();
};

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_OPERATOR_HPP_
