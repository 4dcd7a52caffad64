/// From operators and flows to entities.
#ifndef HOLOSCAN_CORE_GXF_GRAPH_BUILDER_HPP_
#define HOLOSCAN_CORE_GXF_GRAPH_BUILDER_HPP_

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gxf/app/application.hpp"
#include "gxf/app/entity_group.hpp"
#include "holoscan/core/gxf/wrappers.hpp"
#include "holoscan/core/operator.hpp"
#include "holoscan/core/scheduler.hpp"
#include "holoscan/core/thread_pool.hpp"

namespace holoscan {
namespace gxf {

/// Makes the graph of a fragment. Throws what is wrong with the fragment.
class GraphBuilder {
 public:
  using Flows = std::vector<std::shared_ptr<OperatorFlowInfo>>;

  GraphBuilder(nvidia::gxf::Segment& graph, const Flows& flows,
               std::shared_ptr<DataFlowTracker> tracker, OnFailure on_failure)
      : graph_(graph), flows_(flows), tracker_(std::move(tracker)),
        on_failure_(std::move(on_failure)) {
    RegisterMessage(graph.context());
  }

  gxf_context_t context() const { return graph_.context(); }

  /// Announces a link to another fragment, or from one, at this port of the host; before `MakeOperator`.
  void AddLink(const Operator& op, const IOSpec& port, uint16_t number) {
    auto& links = links_[{&op, port.name()}];
    const bool is_output = port.io_type() == IOSpec::IOType::kOutput;
    if (!is_output && port.queue_size() != IOSpec::kAnySize &&
        (!links.empty() || IsTarget(op, port))) {
      throw std::runtime_error("input `" + port.name() + "` of operator `" + op.name() +
                               "` is linked to another fragment and has several sources; only an "
                               "input of any size takes them");
    }
    if (is_output && op.is_dynamic()) {
      throw std::runtime_error("operator `" + op.name() +
                               "` chooses its flows, and so cannot send to another fragment");
    }
    if (links_.size() == 1 && links.empty()) { MakeNetwork(); }
    links.push_back(number);
  }

  void MakeScheduler(Scheduler& scheduler) {
    const auto entity = NewEntity("_scheduler");
    const std::shared_ptr<Clock> clock = scheduler.clock();
    ArgList args;
    for (const Arg& arg : scheduler.args()) {
      if (arg.name() != "clock") { args.add(arg); }
    }
    Make(entity, *clock, clock->name().empty() ? "clock" : clock->name(), clock->args());
    clock_ = "_scheduler/" + clock->gxf_cname();
    clock_cid_ = clock->gxf_cid();
    args.add(Arg("clock", clock_));
    Make(entity, scheduler, scheduler.name().empty() ? "scheduler" : scheduler.name(), args);
  }

  /// Makes the entity of an operator. Its conditions and resources become components of it.
  void MakeOperator(const std::shared_ptr<Operator>& op) {
    entity_ = NewEntity(op->name());
    terms_.clear();
    receivers_.clear();
    sender_.clear();
    for (const auto& resource : GivenTo<Resource>(*op)) { resource->initialize(); }
    op->initialize();
    for (const auto& resource : GivenTo<Resource>(*op)) {
      if (dynamic_cast<GXFComponent*>(resource.get()) != nullptr) {
        (void)Reference(entity_, resource);
      }
    }
    const auto wrapper = entity_->add<GXFWrapper>(op->name().c_str());
    if (wrapper.is_null()) { throw Failed("the codelet of operator `" + op->name() + "`"); }
    OperatorQueues& queues = wrapper->queues();
    queues = OperatorQueues();
    queues.context = graph_.context();
    queues.eid = entity_->eid();
    queues.name = op->name();
    const std::set<std::string> given = PortsWithConditions(*op);
    std::set<std::string> shared;
    for (const auto& multi : op->spec()->multi_port_conditions()) {
      shared.insert(multi.port_names.begin(), multi.port_names.end());
    }
    for (const IOSpec& port : op->spec()->inputs()) {
      MakeInput(*op, port, given, shared, queues);
    }
    MakeOrderInput(*op, queues);
    queues.is_dynamic = op->is_dynamic();
    for (const IOSpec& port : op->spec()->outputs()) { MakeOutput(*op, port, given, queues); }
    MakeOrderOutput(*op, queues);
    MakeCarried(*op, queues);
    MakeSharedConditions(*op);
    for (const auto& condition : GivenTo<Condition>(*op)) { MakeCondition(*op, condition, queues); }
    AsynchronousCondition& event = *op->async_condition();
    Make(entity_, event, "async_condition", event.args());
    event.ApplyWanted();
    for (const auto& pool : GivenTo<CudaStreamPool>(*op)) {
      const auto handle = nvidia::gxf::Handle<nvidia::gxf::CudaStreamPool>::Create(
          graph_.context(), pool->gxf_cid());
      if (handle) { queues.stream_pool = handle.value(); }
    }
    wrapper->bind(op, on_failure_);
    entities_[op.get()] = entity_;
  }

  /// Moves the operators of a pool to its threads.
  void MakeThreadPool(const ThreadPool& pool) {
    const auto entity = NewEntity(pool.name());
    Add(entity, "nvidia::gxf::ThreadPool", pool.name(),
        ArgList{Arg("initial_size", pool.initial_size())});
    nvidia::gxf::EntityGroup group;
    auto moved = group.setup(graph_.context(), pool.name().c_str());
    if (moved) { moved = group.add(entity); }
    for (const ThreadPool::Member& member : pool.members()) {
      const auto made = entities_.find(member.op.get());
      if (made == entities_.end()) {
        throw std::runtime_error("operator `" + member.op->name() + "` of thread pool `" + pool.name() +
                                 "` is not in the application");
      }
      if (member.is_pinned) {
        ArgList args{Arg("pin_entity", true)};
        if (!member.cores.empty()) { args.add(Arg("pin_cores", member.cores)); }
        args.add(member.policy);
        Add(made->second, "nvidia::gxf::CPUThread", "thread", args);
      }
      if (moved) { moved = group.add(made->second); }
    }
    if (!moved) { throw Failed("the thread pool `" + pool.name() + "`"); }
  }

  /// Connects the queues of all operators.
  void Connect() {
    if (flows_.empty()) { return; }
    const auto entity = NewEntity("_flows");
    for (size_t i = 0; i < flows_.size(); i++) {
      const auto made = entity->addComponent(
          "nvidia::gxf::Connection", ("flow_" + std::to_string(i)).c_str(),
          nvidia::gxf::Arg("source", sources_.at(i)),
          nvidia::gxf::Arg("target", targets_.at(i)));
      if (made.is_null()) { throw Failed("a connection"); }
    }
  }

 private:
  static std::runtime_error Failed(const std::string& what) {
    return std::runtime_error(what + " cannot be made; the log says why");
  }

  nvidia::gxf::GraphEntityPtr NewEntity(const std::string& name) {
    const auto entity = graph_.makeEntity(name.c_str());
    if (entity == nullptr) { throw Failed("the entity `" + name + "`"); }
    return entity;
  }

  /// Makes a component of the engine, with arguments as parameters.
  void Make(const nvidia::gxf::GraphEntityPtr& entity, GXFComponent& component,
            const std::string& name, const ArgList& args) {
    const char* type = component.gxf_typename();
    const gxf_uid_t cid = Add(entity, type, name, args);
    component.gxf_made(graph_.context(), entity->eid(), cid, name);
  }
  gxf_uid_t Add(const nvidia::gxf::GraphEntityPtr& entity, const std::string& type,
                const std::string& name, const ArgList& args) {
    const gxf_tid_t tid = Find(type);
    std::vector<nvidia::gxf::Arg> parameters;
    for (const Arg& arg : args) {
      gxf_parameter_info_t info{};
      const bool is_known =
          GxfGetParameterInfo(graph_.context(), tid, arg.name().c_str(), &info) == GXF_SUCCESS;
      if (!is_known && arg.name() == "dev_id" && arg.components().empty()) {
        // A parameter of Holoscan's allocators. The engine's have the first device, or that of a
        // GPUDevice, which Holoscan does not know.
        if (arg.as<int32_t>() == 0) { continue; }
        throw std::runtime_error("`" + name + "` (" + type + ") has memory of device 0 only; " +
                                 "`dev_id` must be 0");
      }
      if (!is_known) {
        HOLOSCAN_LOG_WARN("`{}` ({}) has no parameter `{}`; the argument is ignored", name, type,
                          arg.name());
        continue;
      }
      parameters.push_back(Parameter(entity, type, arg));
    }
    const auto made = entity->addComponent(type.c_str(), name.c_str(), std::move(parameters));
    if (made.is_null()) { throw Failed("`" + name + "` (" + type + ")"); }
    return made.cid();
  }
  nvidia::gxf::Arg Parameter(const nvidia::gxf::GraphEntityPtr& entity, const std::string& type,
                             const Arg& arg) {
    if (arg.components().empty()) {
      if (arg.node() == nullptr) {
        throw std::runtime_error("the argument `" + arg.name() + "` of " + type +
                                 " has a value that no app file could state");
      }
      if (type == "nvidia::gxf::CountSchedulingTerm" && arg.name() == "count") {
        return {"count", CountCondition::Unlimited(arg.as<int64_t>())};
      }
      return {arg.name(), *arg.node()};
    }
    std::vector<std::string> names;
    for (const auto& component : arg.components()) {
      if (component == nullptr) {
        throw std::runtime_error("the argument `" + arg.name() + "` is a null pointer");
      }
      names.push_back(Reference(entity, component));
    }
    if (arg.is_list()) { return {arg.name(), names}; }
    return {arg.name(), names[0]};
  }
  /// The name of a resource in app files. One that does not exist yet is made in this entity.
  std::string Reference(const nvidia::gxf::GraphEntityPtr& entity,
                        const std::shared_ptr<Component>& component) {
    auto* native = dynamic_cast<GXFComponent*>(component.get());
    if (native == nullptr) {
      throw std::runtime_error("`" + component->name() + "` is no component of the engine");
    }
    if (native->gxf_context() != graph_.context()) {
      Make(entity, *native, component->name(), component->args());
    }
    const auto text = nvidia::gxf::detail::TextOfHandle(graph_.context(), native->gxf_cid());
    return text ? text.value() : native->gxf_cname();
  }
  /// The id of a type, whose library is loaded if it is one of gxe's.
  gxf_tid_t Find(const std::string& type) {
    gxf_tid_t tid = GxfTidNull();
    if (GxfComponentTypeId(graph_.context(), type.c_str(), &tid) == GXF_SUCCESS) { return tid; }
    std::vector<const char*> libraries;
    const bool is_rmm = type == "nvidia::gxf::RMMAllocator";
    if (is_rmm || type.find("::Cuda") != std::string::npos ||
        type == "nvidia::gxf::StreamOrderedAllocator") {
      libraries.push_back("libgxf_cuda.so");
    }
    // It has types of the former.
    if (is_rmm) { libraries.push_back("libgxf_rmm.so"); }
    nvidia::gxf::ExtensionManager extensions(graph_.context());
    const bool is_loaded = std::all_of(libraries.begin(), libraries.end(), [&](const char* library) {
      return static_cast<bool>(extensions.load(library));
    });
    if (is_loaded && GxfComponentTypeId(graph_.context(), type.c_str(), &tid) == GXF_SUCCESS) {
      return tid;
    }
    throw std::runtime_error("no loaded extension has the type `" + type + "`");
  }

  /// The conditions or resources of a class that an operator was given, as such or as values of
  /// parameters; each once.
  template <typename T>
  static std::vector<std::shared_ptr<T>> GivenTo(Operator& op) {
    std::vector<std::shared_ptr<T>> all;
    const auto add = [&all](const std::shared_ptr<Component>& component) {
      auto wanted = std::dynamic_pointer_cast<T>(component);
      if (wanted != nullptr && std::find(all.begin(), all.end(), wanted) == all.end()) {
        all.push_back(std::move(wanted));
      }
    };
    for (const auto& [name, condition] : op.conditions()) { add(condition); }
    for (const auto& [name, resource] : op.resources()) { add(resource); }
    for (const Arg& arg : op.args()) {
      for (const auto& component : arg.components()) { add(component); }
    }
    return all;
  }
  /// Ports that a condition among the operator's arguments names: they get no default condition.
  static std::set<std::string> PortsWithConditions(Operator& op) {
    std::set<std::string> ports;
    for (const auto& condition : GivenTo<Condition>(op)) {
      for (const Arg& arg : condition->args()) {
        const auto* port = std::any_cast<std::string>(&arg.value());
        const auto* list = std::any_cast<std::vector<std::string>>(&arg.value());
        if (port != nullptr && (arg.name() == "receiver" || arg.name() == "transmitter")) {
          ports.insert(*port);
        } else if (list != nullptr && arg.name() == "receivers") {
          ports.insert(list->begin(), list->end());
        }
      }
    }
    return ports;
  }

  void MakeQueue(const IOSpec& port, const std::string& name, size_t capacity) {
    const bool is_input = port.io_type() == IOSpec::IOType::kInput;
    const std::string kind = is_input ? "Receiver" : "Transmitter";
    ArgList args;
    if (port.connector_type() == IOSpec::ConnectorType::kUCX) {
      throw std::runtime_error("port `" + port.name() + "`: connectors of UCX lead to other " +
                               "processes, which one fragment has none of");
    }
    const bool is_async = port.connector_type() == IOSpec::ConnectorType::kAsyncBuffer;
    if (!is_async) {
      bool is_stated = false;
      for (const Arg& arg : port.connector_args()) { is_stated |= arg.name() == "capacity"; }
      if (!is_stated) { args.add(Arg("capacity", static_cast<uint64_t>(capacity))); }
      if (port.queue_policy()) { args.add(Arg("policy", static_cast<uint64_t>(*port.queue_policy()))); }
      args.add(port.connector_args());
    }
    Add(entity_, "nvidia::gxf::" + std::string(is_async ? "AsyncBuffer" : "DoubleBuffer") + kind,
        name, args);
  }

  void MakeInput(Operator& op, const IOSpec& port, const std::set<std::string>& given,
                 const std::set<std::string>& shared, OperatorQueues& queues) {
    std::vector<size_t> flows;
    for (size_t i = 0; i < flows_.size(); i++) {
      const OperatorFlowInfo& flow = *flows_[i];
      if (flow.next_operator.get() == &op && !flow.is_order() && flow.input_port_name == port.name()) {
        flows.push_back(i);
      }
    }
    InputQueues& input = queues.inputs[port.name()];
    input.is_multiple = port.queue_size() == IOSpec::kAnySize;
    std::vector<std::string> names;
    if (input.is_multiple) {
      for (size_t i = 0; i < flows.size(); i++) {
        names.push_back(port.name() + ":" + std::to_string(i));
      }
    } else {
      const bool counts = port.queue_size() == IOSpec::kPrecedingCount;
      input.size = std::max<size_t>(1, counts ? flows.size() : static_cast<size_t>(port.queue_size()));
      names.push_back(port.name());
    }
    const std::vector<uint16_t>& links = LinksOf(op, port);
    if (input.is_multiple || links.empty()) {
      for (const std::string& name : names) { MakeQueue(port, name, input.size); }
    }
    for (const uint16_t link : links) {
      // It takes the place of a single queue.
      if (input.is_multiple) { names.push_back(port.name() + "_link_" + std::to_string(link)); }
      MakeLink(names.back(), true, link, input.size);
    }
    for (size_t i = 0; i < flows.size(); i++) {
      targets_[flows[i]] = op.name() + "/" + names[input.is_multiple ? i : 0];
    }
    for (const std::string& name : names) {
      input.receivers.push_back(entity_->get<nvidia::gxf::Receiver>(name.c_str()));
    }
    receivers_[port.name()] = names;
    if (port.connector_type() == IOSpec::ConnectorType::kAsyncBuffer) { return; }
    auto conditions = port.conditions();
    if (conditions.empty()) {
      if (shared.count(port.name()) != 0 || given.count(port.name()) != 0) { return; }
      conditions.emplace_back(ConditionType::kMessageAvailable, ArgList());
    }
    for (const auto& [type, args] : conditions) {
      for (const std::string& name : names) {
        MakeTerm(type, args, {name}, port.name(), input.size);
      }
    }
  }

  void MakeOutput(Operator& op, const IOSpec& port, const std::set<std::string>& given,
                  OperatorQueues& queues) {
    queues.outputs.push_back(port.name());
    std::vector<size_t> flows;
    for (size_t i = 0; i < flows_.size(); i++) {
      const OperatorFlowInfo& flow = *flows_[i];
      if (flow.curr_operator.get() == &op && !flow.is_order() &&
          flow.output_port_name == port.name()) {
        flows.push_back(i);
      }
    }
    MakeLinkedOutputs(op, port, given, queues);
    if (flows.empty()) { return; }
    // An input may have the same name.
    const std::string name =
        receivers_.count(port.name()) == 0 ? port.name() : port.name() + "_output";
    if (!queues.is_dynamic) {
      MakeSender(port, name, given);
      queues.transmitters[port.name()].push_back(
          entity_->get<nvidia::gxf::Transmitter>(name.c_str()));
      for (const size_t i : flows) { sources_[i] = op.name() + "/" + name; }
      return;
    }
    for (const size_t i : flows) {
      const std::string own = name + "_flow_" + std::to_string(i);
      MakeSender(port, own, given);
      queues.edges[flows_[i].get()] = entity_->get<nvidia::gxf::Transmitter>(own.c_str());
      sources_[i] = op.name() + "/" + own;
    }
  }

  /// The links of an output to other fragments.
  void MakeLinkedOutputs(Operator& op, const IOSpec& port, const std::set<std::string>& given,
                         OperatorQueues& queues) {
    for (const uint16_t link : LinksOf(op, port)) {
      const std::string name = port.name() + "_link_" + std::to_string(link);
      MakeLink(name, false, link, static_cast<size_t>(std::max<int64_t>(1, port.queue_size())));
      MakeSenderTerms(port, name, given);
      queues.transmitters[port.name()].push_back(
          entity_->get<nvidia::gxf::Transmitter>(name.c_str()));
    }
  }
  /// An end of a link. Within the process, messages are handed over by reference.
  void MakeLink(const std::string& name, bool is_input, uint16_t link, size_t capacity) {
    const std::string memory = name + "_memory", buffer = name + "_buffer";
    Add(entity_, "nvidia::gxf::UnboundedAllocator", memory, ArgList());
    Add(entity_, "nvidia::gxf::UcxSerializationBuffer", buffer, ArgList{Arg("allocator", memory)});
    ArgList args{Arg("capacity", static_cast<uint64_t>(capacity)),
                 Arg("port", static_cast<uint32_t>(link)), Arg("buffer", buffer)};
    args.add(Arg(is_input ? "address" : "receiver_address", std::string("127.0.0.1")));
    Add(entity_, is_input ? "nvidia::gxf::UcxReceiver" : "nvidia::gxf::UcxTransmitter", name, args);
  }
  /// What all links of the fragment need.
  void MakeNetwork() {
    const auto entity = NewEntity("_network");
    Add(entity, "nvidia::gxf::UnboundedAllocator", "memory", ArgList());
    Add(entity, "nvidia::gxf::UcxComponentSerializer", "component_serializer",
        ArgList{Arg("allocator", std::string("memory"))});
    Add(entity, "nvidia::gxf::UcxEntitySerializer", "entity_serializer",
        ArgList{Arg("component_serializers", std::vector<std::string>{"component_serializer"})});
    Add(entity, "nvidia::gxf::UcxContext", "network",
        ArgList{Arg("serializer", std::string("entity_serializer"))});
  }
  const std::vector<uint16_t>& LinksOf(const Operator& op, const IOSpec& port) const {
    static const std::vector<uint16_t> kNone;
    const auto known = links_.find({&op, port.name()});
    return known == links_.end() ? kNone : known->second;
  }
  bool IsTarget(const Operator& op, const IOSpec& port) const {
    return std::any_of(flows_.begin(), flows_.end(), [&](const auto& flow) {
      return flow->next_operator.get() == &op && flow->input_port_name == port.name();
    });
  }

  /// A queue of an output, with its terms.
  void MakeSender(const IOSpec& port, const std::string& name,
                  const std::set<std::string>& given) {
    MakeQueue(port, name, static_cast<size_t>(std::max<int64_t>(1, port.queue_size())));
    MakeSenderTerms(port, name, given);
  }
  void MakeSenderTerms(const IOSpec& port, const std::string& name,
                       const std::set<std::string>& given) {
    sender_[port.name()] = name;
    if (port.connector_type() == IOSpec::ConnectorType::kAsyncBuffer) { return; }
    auto conditions = port.conditions();
    if (conditions.empty()) {
      if (given.count(port.name()) != 0) { return; }
      conditions.emplace_back(ConditionType::kDownstreamMessageAffordable, ArgList());
    }
    for (const auto& [type, args] : conditions) { MakeTerm(type, args, {name}, port.name(), 1); }
  }

  /// The input of flows without data.
  void MakeOrderInput(Operator& op, OperatorQueues& queues) {
    const std::string name = Operator::kInputExecPortName;
    size_t count = 0;
    for (size_t i = 0; i < flows_.size(); i++) {
      if (flows_[i]->next_operator.get() != &op || !flows_[i]->is_order()) { continue; }
      targets_[i] = op.name() + "/" + name;
      count++;
    }
    if (count == 0) { return; }
    // In a loop any predecessor lets the operator run; else all of them do.
    queues.order.size = op.IsInLoop() ? 1 : count;
    Add(entity_, "nvidia::gxf::DoubleBufferReceiver", name,
        ArgList{Arg("capacity", static_cast<uint64_t>(std::max<size_t>(8, 2 * count))),
                Arg("policy", uint64_t{0})});
    queues.order.receivers.push_back(entity_->get<nvidia::gxf::Receiver>(name.c_str()));
    MakeTerm(ConditionType::kMessageAvailable, ArgList(), {name}, name, queues.order.size);
  }

  /// The output of flows without data; one for each flow if they are chosen.
  void MakeOrderOutput(Operator& op, OperatorQueues& queues) {
    const std::string name = Operator::kOutputExecPortName;
    for (size_t i = 0; i < flows_.size(); i++) {
      if (flows_[i]->curr_operator.get() != &op || !flows_[i]->is_order()) { continue; }
      const std::string own = queues.is_dynamic ? name + "flow_" + std::to_string(i) : name;
      if (queues.is_dynamic || queues.order_output.is_null()) {
        Add(entity_, "nvidia::gxf::DoubleBufferTransmitter", own,
            ArgList{Arg("capacity", uint64_t{1})});
        const auto queue = entity_->get<nvidia::gxf::Transmitter>(own.c_str());
        if (queues.is_dynamic) {
          queues.edges[flows_[i].get()] = queue;
        } else {
          queues.order_output = queue;
        }
      }
      sources_[i] = op.name() + "/" + own;
    }
  }

  /// What messages carry beside data.
  void MakeCarried(Operator& op, OperatorQueues& queues) {
    queues.metadata = op.metadata();
    queues.metadata->policy(op.metadata_policy());
    queues.is_metadata_enabled = op.is_metadata_enabled();
    queues.tracker = tracker_;
    const auto clock = nvidia::gxf::Handle<nvidia::gxf::Clock>::Create(graph_.context(), clock_cid_);
    if (!clock) { throw Failed("the tracker's clock"); }
    queues.clock = clock.value();
    queues.is_first = queues.is_last = true;
    for (const IOSpec& port : op.spec()->inputs()) {
      queues.is_first = queues.is_first && LinksOf(op, port).empty();
    }
    for (const IOSpec& port : op.spec()->outputs()) {
      queues.is_last = queues.is_last && LinksOf(op, port).empty();
    }
    for (const auto& flow : flows_) {
      queues.is_first = queues.is_first && flow->next_operator.get() != &op;
      queues.is_last = queues.is_last && flow->curr_operator.get() != &op;
    }
  }

  /// The term of a condition of ports.
  void MakeTerm(ConditionType type, ArgList args, const std::vector<std::string>& queues,
                const std::string& port, size_t size) {
    const auto state = [&](const char* key, const auto& value) {
      for (const Arg& arg : args) {
        if (arg.name() == key) { return; }
      }
      args.add(Arg(key, value));
    };
    std::string name = "nvidia::gxf::";
    switch (type) {
      case ConditionType::kNone:
        return;
      case ConditionType::kMessageAvailable:
        name += "MessageAvailableSchedulingTerm";
        state("receiver", queues[0]);
        state("min_size", static_cast<uint64_t>(size));
        break;
      case ConditionType::kExpiringMessageAvailable:
        name += "ExpiringMessageAvailableSchedulingTerm";
        state("receiver", queues[0]);
        state("clock", clock_);
        break;
      case ConditionType::kDownstreamMessageAffordable:
        name += "DownstreamReceptiveSchedulingTerm";
        state("transmitter", queues[0]);
        state("min_size", uint64_t{1});
        break;
      case ConditionType::kMultiMessageAvailable:
        name += "MultiMessageAvailableSchedulingTerm";
        state("receivers", queues);
        state("sampling_mode", SamplingMode::kSumOfAll);
        break;
      case ConditionType::kMultiMessageAvailableTimeOut:
        name = "nvidia::holoscan::MultiMessageAvailableTimeoutSchedulingTerm";
        state("receivers", queues);
        state("sampling_mode", SamplingMode::kSumOfAll);
        break;
      case ConditionType::kCudaStreamAvailable:
        name += "CudaStreamSchedulingTerm";
        state("receiver", queues[0]);
        break;
      case ConditionType::kCudaEventAvailable:
        name += "CudaEventSchedulingTerm";
        state("receiver", queues[0]);
        break;
      case ConditionType::kCudaBufferAvailable:
        name += "CudaBufferAvailableSchedulingTerm";
        state("receiver", queues[0]);
        break;
      default:
        throw std::runtime_error("port `" + port + "`: this is no condition of a port");
    }
    const std::string term = "condition_" + std::to_string(term_count_++);
    Add(entity_, name, term, args);
    terms_[port].push_back(term);
  }

  void MakeSharedConditions(Operator& op) {
    for (const auto& multi : op.spec()->multi_port_conditions()) {
      std::vector<std::string> queues;
      for (const std::string& port : multi.port_names) {
        const std::vector<std::string>& names = QueuesOf(op, port);
        queues.insert(queues.end(), names.begin(), names.end());
      }
      MakeTerm(multi.type, multi.args, queues, "", 1);
    }
    for (const auto& ports : op.spec()->or_combined_ports()) {
      std::vector<std::string> terms;
      for (const std::string& port : ports) {
        const auto known = terms_.find(port);
        if (known == terms_.end()) {
          throw std::runtime_error("operator `" + op.name() + "`: port `" + port +
                                   "` has no condition to combine");
        }
        terms.insert(terms.end(), known->second.begin(), known->second.end());
      }
      ArgList args{Arg("terms", terms)};
      Add(entity_, "nvidia::gxf::OrSchedulingTermCombiner",
          "any_of_ports_" + std::to_string(term_count_++), args);
    }
  }
  const std::vector<std::string>& QueuesOf(Operator& op, const std::string& port) const {
    const auto known = receivers_.find(port);
    if (known != receivers_.end()) { return known->second; }
    throw std::runtime_error("the operator `" + op.name() + "` has no input `" + port + "`");
  }

  /// Makes a condition among the operator's arguments. Names of ports become those of their queues.
  void MakeCondition(Operator& op, const std::shared_ptr<Condition>& condition,
                     OperatorQueues& queues) {
    auto* native = dynamic_cast<GXFCondition*>(condition.get());
    ArgList args;
    for (const Arg& arg : condition->args()) {
      const auto* port = std::any_cast<std::string>(&arg.value());
      const auto* list = std::any_cast<std::vector<std::string>>(&arg.value());
      if (arg.name() == "receiver" && port != nullptr) {
        (void)QueuesOf(op, *port);
        InputQueues& input = queues.inputs.at(*port);
        if (input.receivers.size() != 1) {
          throw std::runtime_error("condition `" + condition->name() + "`: input `" + *port +
                                   "` has " + std::to_string(input.receivers.size()) + " queues");
        }
        if (native == nullptr) {
          args.add(Arg("receiver", std::make_shared<Receiver>(input.receivers[0])));
        } else {
          args.add(Arg("receiver", receivers_.at(*port)[0]));
        }
      } else if (arg.name() == "transmitter" && port != nullptr) {
        const auto known = sender_.find(*port);
        if (known == sender_.end()) {
          throw std::runtime_error("the operator `" + op.name() + "` has no connected output `" +
                                   *port + "`");
        }
        if (native == nullptr) {
          args.add(Arg("transmitter", std::make_shared<Transmitter>(queues.transmitters.at(*port)[0])));
        } else {
          args.add(Arg("transmitter", known->second));
        }
      } else if (arg.name() == "receivers" && list != nullptr && native != nullptr) {
        std::vector<std::string> names;
        for (const std::string& each : *list) {
          const std::vector<std::string>& of = QueuesOf(op, each);
          names.insert(names.end(), of.begin(), of.end());
        }
        args.add(Arg("receivers", names));
      } else {
        args.add(arg);
      }
    }
    if (native != nullptr) {
      if (std::string(native->gxf_typename()) == "nvidia::gxf::ExpiringMessageAvailableSchedulingTerm") {
        args.add(Arg("clock", clock_));
      }
      Make(entity_, *native, condition->name(), args);
      return;
    }
    // The names of ports stay the condition's own arguments, for a further run.
    std::swap(condition->args(), args);
    condition->initialize();
    std::swap(condition->args(), args);
    const auto term = entity_->add<GXFSchedulingTermWrapper>(condition->name().c_str());
    if (term.is_null()) { throw Failed("the condition `" + condition->name() + "`"); }
    term->bind(condition, on_failure_);
  }

  nvidia::gxf::Segment& graph_;
  const Flows& flows_;
  std::shared_ptr<DataFlowTracker> tracker_;
  OnFailure on_failure_;
  /// By operator and port: links to other fragments, as ports of the host.
  std::map<std::pair<const Operator*, std::string>, std::vector<uint16_t>> links_;
  /// The clock of the scheduler, as app files name it.
  std::string clock_;
  gxf_uid_t clock_cid_ = kNullUid;
  /// The queues at both ends of flows, by position of the flow, as app files name them.
  std::map<size_t, std::string> sources_;
  std::map<size_t, std::string> targets_;
  std::map<const Operator*, nvidia::gxf::GraphEntityPtr> entities_;
  // Of the operator that is being made.
  nvidia::gxf::GraphEntityPtr entity_;
  std::map<std::string, std::vector<std::string>> receivers_;
  std::map<std::string, std::string> sender_;
  std::map<std::string, std::vector<std::string>> terms_;
  size_t term_count_ = 0;
};

}  // namespace gxf
}  // namespace holoscan

#endif  // HOLOSCAN_CORE_GXF_GRAPH_BUILDER_HPP_
