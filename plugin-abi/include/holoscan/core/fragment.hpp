/// Fragments: graphs of operators.
#ifndef HOLOSCAN_CORE_FRAGMENT_HPP_
#define HOLOSCAN_CORE_FRAGMENT_HPP_

#include <exception>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gxf/sdk/yaml.hpp"
#include "holoscan/core/config.hpp"
#include "holoscan/core/dataflow_tracker.hpp"
#include "holoscan/core/executor.hpp"
#include "holoscan/core/flow_graph.hpp"
#include "holoscan/core/gxf/graph_builder.hpp"
#include "holoscan/core/operator.hpp"
#include "holoscan/core/scheduler.hpp"
#include "holoscan/core/subgraph.hpp"
#include "holoscan/core/thread_pool.hpp"

namespace holoscan {

class Application;

/// A graph of operators: override `compose`, which makes operators and connects them. Mistakes are
/// thrown as `std::runtime_error`.
class Fragment {
 public:
  Fragment() = default;
  Fragment(const Fragment&) = delete;
  Fragment& operator=(const Fragment&) = delete;
  virtual ~Fragment() {
    // Flows own operators, which own their flows.
    for (const auto& op : operators_) {
      op->next_flows_.clear();
      op->dynamic_flows_.clear();
      op->choose_flows_ = nullptr;
    }
  }

  /// Makes the operators and their flows. Called once, by the first `run`.
  virtual void compose() {}

  const std::string& name() const { return name_; }
  Fragment& name(const std::string& name) {
    name_ = name;
    return *this;
  }

  /// The application that the fragment is, or belongs to; null before it is added to one.
  Application* application() const { return application_; }
  Fragment& application(Application* application) {
    application_ = application;
    return *this;
  }

  /// Reads a configuration file in YAML, for `from_config`. Its list `extensions` is loaded.
  void config(const std::string& filename, const std::string& prefix = "") {
    config_ = Config(filename, prefix);
  }
  const Config& config() const { return config_; }
  const std::string& config_file() const { return config_.config_file(); }
  /// The arguments under a key of the configuration, `key` or `outer.inner`: the pairs of a mapping,
  /// or a single value under the last word of the key.
  ArgList from_config(const std::string& key) const {
    for (const YAML::Node& root : config_.yaml_nodes()) {
      if (auto args = ArgsAt(root, key)) { return std::move(*args); }
    }
    throw std::runtime_error("the configuration " +
                             (config_file().empty() ? "" : "`" + config_file() + "` ") +
                             "has no key `" + key + "`");
  }
  /// What runs the operators.
  Executor& executor() { return executor_; }

  /// Makes an operator with a name. Arguments are values of parameters (`Arg`, `ArgList`), conditions
  /// and resources, or whatever a constructor of the class takes.
  template <typename OperatorT, typename Name, typename... Args,
            std::enable_if_t<std::is_constructible_v<std::string, Name>, int> = 0>
  std::shared_ptr<OperatorT> make_operator(Name name, Args&&... args) {
    static_assert(std::is_base_of_v<Operator, OperatorT>, "not an operator");
    auto op = Prepared<OperatorT>(name, std::make_shared<OperatorT>(std::forward<Args>(args)...));
    auto spec = std::make_shared<OperatorSpec>(op.get());
    op->spec(spec);
    op->setup(*spec);
    return op;
  }
  template <typename OperatorT, typename... Args>
  std::shared_ptr<OperatorT> make_operator(Args&&... args) {
    return make_operator<OperatorT>(Unnamed("operator"), std::forward<Args>(args)...);
  }
  /// Makes a condition, for an operator.
  template <typename ConditionT, typename Name, typename... Args,
            std::enable_if_t<std::is_constructible_v<std::string, Name>, int> = 0>
  std::shared_ptr<ConditionT> make_condition(Name name, Args&&... args) {
    static_assert(std::is_base_of_v<Condition, ConditionT>, "not a condition");
    return Declared(Prepared<ConditionT>(
        name, std::make_shared<ConditionT>(std::forward<Args>(args)...)));
  }
  template <typename ConditionT, typename... Args>
  std::shared_ptr<ConditionT> make_condition(Args&&... args) {
    return make_condition<ConditionT>(Unnamed("condition"), std::forward<Args>(args)...);
  }
  /// Makes a resource, such as an allocator or a clock.
  template <typename ResourceT, typename Name, typename... Args,
            std::enable_if_t<std::is_constructible_v<std::string, Name>, int> = 0>
  std::shared_ptr<ResourceT> make_resource(Name name, Args&&... args) {
    static_assert(std::is_base_of_v<Resource, ResourceT>, "not a resource");
    return Declared(Prepared<ResourceT>(
        name, std::make_shared<ResourceT>(std::forward<Args>(args)...)));
  }
  template <typename ResourceT, typename... Args>
  std::shared_ptr<ResourceT> make_resource(Args&&... args) {
    return make_resource<ResourceT>(Unnamed("resource"), std::forward<Args>(args)...);
  }
  /// Makes a scheduler.
  template <typename SchedulerT, typename Name, typename... Args,
            std::enable_if_t<std::is_constructible_v<std::string, Name>, int> = 0>
  std::shared_ptr<SchedulerT> make_scheduler(Name name, Args&&... args) {
    static_assert(std::is_base_of_v<Scheduler, SchedulerT>, "not a scheduler");
    return Prepared<SchedulerT>(name, std::make_shared<SchedulerT>(std::forward<Args>(args)...));
  }
  template <typename SchedulerT, typename... Args>
  std::shared_ptr<SchedulerT> make_scheduler(Args&&... args) {
    return make_scheduler<SchedulerT>("scheduler", std::forward<Args>(args)...);
  }

  /// Makes a subgraph: its operators and flows become those of the fragment.
  template <typename SubgraphT, typename... Args>
  std::shared_ptr<SubgraphT> make_subgraph(const std::string& name, Args&&... args) {
    static_assert(std::is_base_of_v<Subgraph, SubgraphT>, "not a subgraph");
    auto subgraph = std::make_shared<SubgraphT>(this, name, std::forward<Args>(args)...);
    subgraph->compose();
    return subgraph;
  }
  /// Makes threads of their own for some operators.
  std::shared_ptr<ThreadPool> make_thread_pool(const std::string& name, int64_t initial_size = 1) {
    pools_.push_back(std::make_shared<ThreadPool>(name, initial_size));
    return pools_.back();
  }

  /// Chooses the scheduler; without one, a `GreedyScheduler`.
  void scheduler(const std::shared_ptr<Scheduler>& scheduler) { scheduler_ = scheduler; }
  std::shared_ptr<Scheduler> scheduler() {
    if (scheduler_ == nullptr) { scheduler_ = make_scheduler<GreedyScheduler>(); }
    return scheduler_;
  }

  /// The operators and their flows.
  const OperatorFlowGraph& graph() const { return flow_graph_; }

  /// Adds an operator that has no flows.
  void add_operator(const std::shared_ptr<Operator>& op) {
    if (op == nullptr) { throw std::runtime_error("add_operator: no operator"); }
    for (const auto& known : operators_) {
      if (known == op) { return; }
      if (known->name() == op->name()) {
        throw std::runtime_error("there are two operators with the name `" + op->name() + "`");
      }
    }
    operators_.push_back(op);
  }
  /// The operator that runs first, once: flows from it say which operators run then.
  std::shared_ptr<Operator> start_op() {
    if (start_op_ == nullptr) {
      start_op_ = make_operator<Operator>("<|start|>", make_condition<CountCondition>("count", 1));
      add_operator(start_op_);
    }
    return start_op_;
  }
  /// Connects the only output of an operator to the only input of another. Between operators without
  /// such ports it is a flow without data: the second one runs after the first.
  void add_flow(const std::shared_ptr<Operator>& source, const std::shared_ptr<Operator>& target) {
    add_flow(source, target, {});
  }
  /// Connects outputs of an operator to inputs of another. An empty name means the only port.
  void add_flow(const std::shared_ptr<Operator>& source, const std::shared_ptr<Operator>& target,
                std::set<std::pair<std::string, std::string>> port_pairs) {
    add_operator(source);
    add_operator(target);
    auto& outputs = source->spec()->outputs();
    auto& inputs = target->spec()->inputs();
    if (port_pairs.empty()) {
      if (outputs.empty() || inputs.empty()) { return AddFlow(source, nullptr, target, nullptr); }
      port_pairs.emplace("", "");
    }
    for (const auto& [output, input] : port_pairs) {
      if (output == Operator::kOutputExecPortName || input == Operator::kInputExecPortName) {
        AddFlow(source, nullptr, target, nullptr);
      } else {
        AddFlow(source, &PortOf(*source, outputs, output, "output"), target,
                &PortOf(*target, inputs, input, "input"));
      }
    }
  }
  /// The same, with a kind of queue for both ports.
  void add_flow(const std::shared_ptr<Operator>& source, const std::shared_ptr<Operator>& target,
                std::set<std::pair<std::string, std::string>> port_pairs,
                IOSpec::ConnectorType connector) {
    const size_t first = flows_.size();
    add_flow(source, target, std::move(port_pairs));
    for (size_t i = first; i < flows_.size(); i++) {
      if (flows_[i]->is_order()) { continue; }
      flows_[i]->output_port_spec->connector(connector);
      flows_[i]->input_port_spec->connector(connector);
    }
  }
  /// A template, so that `{}` stands for ports.
  template <typename T, std::enable_if_t<std::is_same_v<T, IOSpec::ConnectorType>, int> = 0>
  void add_flow(const std::shared_ptr<Operator>& source, const std::shared_ptr<Operator>& target,
                T connector) {
    add_flow(source, target, {}, connector);
  }
  /// Connects ports of subgraphs, or of a subgraph and an operator, in the same ways.
  void add_flow(const std::shared_ptr<Subgraph>& source, const std::shared_ptr<Operator>& target,
                const std::set<std::pair<std::string, std::string>>& port_pairs = {{"", ""}}) {
    for (const auto& [output, input] : port_pairs) {
      const auto& from = source->PortAt(output, false);
      add_flow(from.op, target, {{from.port, input}});
    }
  }
  void add_flow(const std::shared_ptr<Operator>& source, const std::shared_ptr<Subgraph>& target,
                const std::set<std::pair<std::string, std::string>>& port_pairs = {{"", ""}}) {
    for (const auto& [output, input] : port_pairs) {
      const auto& to = target->PortAt(input, true);
      add_flow(source, to.op, {{output, to.port}});
    }
  }
  void add_flow(const std::shared_ptr<Subgraph>& source, const std::shared_ptr<Subgraph>& target,
                const std::set<std::pair<std::string, std::string>>& port_pairs = {{"", ""}}) {
    for (const auto& [output, input] : port_pairs) {
      const auto& to = target->PortAt(input, true);
      add_flow(source, to.op, {{output, to.port}});
    }
  }
  /// Lets a function choose along which flows an operator sends, after each of its executions: it calls
  /// `add_dynamic_flow` of the operator.
  void set_dynamic_flows(const std::shared_ptr<Operator>& op,
                         const std::function<void(const std::shared_ptr<Operator>&)>& choose) {
    add_operator(op);
    op->choose_flows_ = [choose, op = std::weak_ptr<Operator>(op)] {
      if (const auto alive = op.lock()) { choose(alive); }
    };
  }

  /// Lets metadata travel with messages, as it does at first, or not.
  void enable_metadata(bool enable) { is_metadata_enabled_ = enable; }
  bool is_metadata_enabled() const { return is_metadata_enabled_; }
  /// What happens to a key that several messages of an execution have; operators may choose themselves.
  void metadata_policy(MetadataPolicy policy) { metadata_policy_ = policy; }
  MetadataPolicy metadata_policy() const { return metadata_policy_; }

  /// Tracks the paths of messages in the runs that follow. Latencies below a threshold in milliseconds,
  /// and some messages of each path at the start and the end of a run, are left out.
  DataFlowTracker& track(uint64_t num_start_messages_to_skip = 10,
                         uint64_t num_last_messages_to_discard = 10, int latency_threshold = 0) {
    tracker_ = std::make_shared<DataFlowTracker>(num_start_messages_to_skip,
                                                 num_last_messages_to_discard, latency_threshold);
    return *tracker_;
  }
  /// The tracker; null without one.
  DataFlowTracker* data_flow_tracker() { return tracker_.get(); }

  /// Composes the fragment, runs it to its end, and throws what ended it too early: the exception of
  /// an operator, if it was that.
  void run() {
    Begin();
    End(RunGraph());
  }
  /// Like `run`, in the background; `get()` of the future waits and throws.
  std::future<void> run_async() {
    Begin();
    return std::async(std::launch::async, [this] { End(RunGraph()); });
  }
  /// Asks the run to end and returns; from any thread.
  void stop_execution() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (graph_ != nullptr) { graph_->interrupt().log_error("the run cannot be interrupted"); }
  }

 protected:
  friend class Application;

  /// The port that `operator.port`, or `operator` with one port, means.
  std::pair<std::shared_ptr<Operator>, IOSpec*> PortAt(const std::string& text, bool is_input) {
    const auto find = [this](const std::string& name) -> std::shared_ptr<Operator> {
      for (const auto& op : operators_) {
        if (op->name() == name) { return op; }
      }
      return nullptr;
    };
    std::string port;
    auto op = find(text);
    const size_t dot = text.rfind('.');
    if (op == nullptr && dot != std::string::npos) {
      op = find(text.substr(0, dot));
      port = text.substr(dot + 1);
    }
    if (op == nullptr) {
      throw std::runtime_error("the fragment `" + name_ + "` has no operator for the port `" + text +
                               "`");
    }
    auto& ports = is_input ? op->spec()->inputs() : op->spec()->outputs();
    return {op, &PortOf(*op, ports, port, is_input ? "input" : "output")};
  }
  void Compose() {
    if (is_composed_) { return; }
    compose();
    is_composed_ = true;
  }
  /// The graph of a run.
  virtual std::unique_ptr<nvidia::gxf::Application> Build(const gxf::OnFailure& fail) {
    auto graph = std::make_unique<nvidia::gxf::Application>();
    LoadExtensions(*graph);
    gxf::GraphBuilder builder(*graph, flows_, tracker_, fail);
    Fill(builder);
    return graph;
  }
  void Fill(gxf::GraphBuilder& builder) {
    executor_.context(builder.context());
    builder.MakeScheduler(*scheduler());
    for (const auto& op : operators_) { builder.MakeOperator(op); }
    for (const auto& pool : pools_) { builder.MakeThreadPool(*pool); }
    builder.Connect();
  }
  void LoadExtensions(nvidia::gxf::Application& graph) const {
    // Operators send pictures in every application, as with Holoscan.
    if (!nvidia::gxf::ExtensionManager(graph.context()).load("libgxf_multimedia.so")) {
      HOLOSCAN_LOG_WARN("`libgxf_multimedia.so` cannot be loaded: messages have no video buffers");
    }
    for (const YAML::Node& root : config_.yaml_nodes()) {
      const YAML::Node list = root.IsMap() ? root["extensions"] : YAML::Node();
      if (!list.IsDefined() || !list.IsSequence()) { continue; }
      for (const auto& each : list) {
        const auto file = each.template as<std::string>();
        if (!nvidia::gxf::ExtensionManager(graph.context()).load(file.c_str())) {
          throw std::runtime_error("the extension `" + file + "` cannot be loaded; the log says why");
        }
      }
    }
  }
  bool is_empty() const { return operators_.empty(); }

 private:
  /// The arguments under a key of a document; none without the key.
  static std::optional<ArgList> ArgsAt(const YAML::Node& root, const std::string& key) {
    YAML::Node node = YAML::Clone(root);
    std::string rest = key;
    std::string word;
    while (!rest.empty()) {
      const size_t dot = rest.find('.');
      word = rest.substr(0, dot);
      rest = dot == std::string::npos ? "" : rest.substr(dot + 1);
      const YAML::Node inner = node.IsMap() ? node[word] : YAML::Node(YAML::NodeType::Undefined);
      if (!inner.IsDefined()) { return std::nullopt; }
      node = YAML::Clone(inner);
    }
    ArgList args;
    if (!node.IsMap()) {
      args.add(Arg(word, node));
      return args;
    }
    for (const auto& pair : node) {
      args.add(Arg(pair.first.template as<std::string>(), YAML::Node(pair.second)));
    }
    return args;
  }
  template <typename T>
  std::shared_ptr<T> Prepared(const std::string& name, std::shared_ptr<T> component) {
    component->name(name);
    component->fragment(this);
    return component;
  }
  /// Lets a class of the program declare its parameters.
  template <typename T>
  std::shared_ptr<T> Declared(std::shared_ptr<T> component) {
    if constexpr (!std::is_base_of_v<gxf::GXFComponent, T>) {
      auto spec = std::make_shared<ComponentSpec>(component.get());
      component->spec(spec);
      component->setup(*spec);
    }
    return component;
  }
  std::string Unnamed(const char* what) {
    return "noname_" + std::string(what) + "_" + std::to_string(unnamed_++);
  }
  void AddFlow(const std::shared_ptr<Operator>& source, IOSpec* output,
               const std::shared_ptr<Operator>& target, IOSpec* input) {
    auto flow = std::make_shared<OperatorFlowInfo>();
    flow->curr_operator = source;
    flow->next_operator = target;
    flow->output_port_name = output == nullptr ? Operator::kOutputExecPortName : output->name();
    flow->input_port_name = input == nullptr ? Operator::kInputExecPortName : input->name();
    if (output != nullptr) {
      flow->output_port_spec = std::shared_ptr<IOSpec>(source->spec(), output);
      flow->input_port_spec = std::shared_ptr<IOSpec>(target->spec(), input);
    }
    source->next_flows_.push_back(flow);
    flows_.push_back(std::move(flow));
  }
  static IOSpec& PortOf(Operator& op, std::list<IOSpec>& ports, const std::string& name,
                        const char* what) {
    std::string names;
    for (IOSpec& port : ports) {
      if (port.name() == name || (name.empty() && ports.size() == 1)) { return port; }
      names += (names.empty() ? "" : ", ") + port.name();
    }
    if (name.empty()) {
      throw std::runtime_error("operator `" + op.name() + "` has " + std::to_string(ports.size()) +
                               " " + what + "s (" + names + "): say which one");
    }
    throw std::runtime_error("operator `" + op.name() + "` has no " + what + " `" + name + "`; its " +
                             what + "s: " + (names.empty() ? "none" : names));
  }

  void Begin() {
    Compose();
    failure_ = nullptr;
    auto graph = Build([this](std::exception_ptr exception) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (failure_ == nullptr) { failure_ = std::move(exception); }
      // Nobody else ends the other fragments.
      if (graph_ != nullptr) { graph_->interruptIfRunning(); }
    });
    const std::lock_guard<std::mutex> lock(mutex_);
    graph_ = std::move(graph);
  }
  nvidia::gxf::Expected<void> RunGraph() {
    const auto started = graph_->runAsync();
    if (!started) { return started; }
    {
      // A fragment may have failed before others had started.
      const std::lock_guard<std::mutex> lock(mutex_);
      if (failure_ != nullptr) { graph_->interruptIfRunning(); }
    }
    return graph_->wait();
  }
  void End(const nvidia::gxf::Expected<void>& ran) {
    std::exception_ptr failure;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      failure = failure_;
    }
    if (tracker_ != nullptr) { tracker_->end_logging(); }
    if (failure != nullptr) { std::rethrow_exception(failure); }
    if (!ran) {
      throw std::runtime_error(std::string("the application failed with ") + GxfResultStr(ran.error()));
    }
  }

  std::string name_;
  Application* application_ = nullptr;
  Config config_;
  Executor executor_;
  std::shared_ptr<Scheduler> scheduler_;
  std::vector<std::shared_ptr<Operator>> operators_;
  OperatorFlowGraph flow_graph_{operators_};
  std::vector<std::shared_ptr<ThreadPool>> pools_;
  std::vector<std::shared_ptr<OperatorFlowInfo>> flows_;
  std::shared_ptr<Operator> start_op_;
  std::shared_ptr<DataFlowTracker> tracker_;
  bool is_metadata_enabled_ = true;
  MetadataPolicy metadata_policy_ = MetadataPolicy::kDefault;
  bool is_composed_ = false;
  size_t unnamed_ = 0;
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::unique_ptr<nvidia::gxf::Application> graph_;
};

template <typename OperatorT, typename Name, typename... Args,
          std::enable_if_t<std::is_constructible_v<std::string, Name>, int>>
std::shared_ptr<OperatorT> Subgraph::make_operator(Name name, Args&&... args) {
  return fragment_->make_operator<OperatorT>(name_ + "_" + std::string(name),
                                             std::forward<Args>(args)...);
}
template <typename OperatorT, typename... Args>
std::shared_ptr<OperatorT> Subgraph::make_operator(Args&&... args) {
  return fragment_->make_operator<OperatorT>(std::forward<Args>(args)...);
}
template <typename ConditionT, typename... Args>
std::shared_ptr<ConditionT> Subgraph::make_condition(Args&&... args) {
  return fragment_->make_condition<ConditionT>(std::forward<Args>(args)...);
}
template <typename ResourceT, typename... Args>
std::shared_ptr<ResourceT> Subgraph::make_resource(Args&&... args) {
  return fragment_->make_resource<ResourceT>(std::forward<Args>(args)...);
}
template <typename SubgraphT, typename... Args>
std::shared_ptr<SubgraphT> Subgraph::make_subgraph(const std::string& name, Args&&... args) {
  return fragment_->make_subgraph<SubgraphT>(name_ + "_" + name, std::forward<Args>(args)...);
}
inline void Subgraph::add_operator(const std::shared_ptr<Operator>& op) {
  fragment_->add_operator(op);
}
template <typename Source, typename Target>
void Subgraph::add_flow(const std::shared_ptr<Source>& source, const std::shared_ptr<Target>& target) {
  fragment_->add_flow(source, target);
}
template <typename Source, typename Target>
void Subgraph::add_flow(const std::shared_ptr<Source>& source, const std::shared_ptr<Target>& target,
                        std::set<std::pair<std::string, std::string>> port_pairs) {
  fragment_->add_flow(source, target, std::move(port_pairs));
}

inline bool Operator::is_metadata_enabled() const {
  return is_metadata_enabled_.value_or(fragment() == nullptr || fragment()->is_metadata_enabled());
}

inline MetadataPolicy Operator::metadata_policy() const {
  MetadataPolicy policy = metadata_policy_;
  if (policy == MetadataPolicy::kDefault && fragment() != nullptr) {
    policy = fragment()->metadata_policy();
  }
  if (policy != MetadataPolicy::kDefault) { return policy; }
  return IsInLoop() ? MetadataPolicy::kUpdate : MetadataPolicy::kRaise;
}

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_FRAGMENT_HPP_
