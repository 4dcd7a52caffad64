/// Segments: graphs that a program composes, each in a context of its own.
#ifndef NVIDIA_GXF_APP_SEGMENT_HPP_
#define NVIDIA_GXF_APP_SEGMENT_HPP_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gxf/app/arg.hpp"
#include "gxf/app/entity_group.hpp"
#include "gxf/app/extension_manager.hpp"
#include "gxf/app/graph_entity.hpp"
#include "gxf/app/proxy_component.hpp"
#include "gxf/std/event_based_scheduler.hpp"
#include "gxf/std/greedy_scheduler.hpp"
#include "gxf/std/multi_thread_scheduler.hpp"
#include "gxf/std/network_context.hpp"

namespace nvidia {
namespace gxf {

/// The schedulers that `Segment::setScheduler` knows by name.
enum class SchedulerType : int32_t { kGreedy = 0, kMultiThread = 1, kEventBased = 2 };

/// Names of the queues that a connection joins. An empty name means the only one.
struct PortPair {
  /// Transmitter in the entity that sends.
  std::string source;
  /// Receiver in the entity that receives.
  std::string target;
};

/// Names of the queues that a connection of two segments joins, as "entity.queue".
struct SegmentPortPair {
  /// Transmitter in the segment that sends.
  std::string source;
  /// Receiver in the segment that receives.
  std::string target;
};

/// A graph in a context of its own: override `compose()` to fill it. Functions that return a handle
/// or a pointer log what went wrong and return a null one.
class Segment {
 public:
  Segment() = default;
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  /// Ends the run and destroys the graph. The entities and handles that the program still has lead
  /// nowhere then.
  virtual ~Segment() { destroySegment(); }

  /// Creates the entities. Called once: for an application's segment by `createSegment`, else by the
  /// first of `activate`, `run`, `runAsync` and `saveToFile`.
  virtual void compose() {}

  gxf_context_t context() const { return context_; }
  const char* name() const { return name_.c_str(); }

  /// Creates an entity with a codelet named as the entity. An argument is a parameter of the codelet
  /// (`Arg`) or a further component (`ProxyComponent`, from `makeTerm` or `makeResource`).
  template <typename T, typename... Args>
  GraphEntityPtr makeEntity(const char* name, Args... args) {
    detail::Arguments arguments(std::move(args)...);
    const GraphEntityPtr entity = NewEntity(name, arguments);
    if (entity == nullptr) { return nullptr; }
    if (entity->addCodelet<T>(name, std::move(arguments.args)).is_null()) { return Fail(); }
    return entity;
  }
  /// Creates an entity with components (`ProxyComponent`) alone.
  template <typename... Args>
  GraphEntityPtr makeEntity(const char* name, Args... args) {
    const detail::Arguments arguments(std::move(args)...);
    if (!arguments.args.empty()) {
      detail::Refuse(GXF_ARGUMENT_INVALID, "entity `" + std::string{name} + "` has no codelet for parameter `" +
                                               arguments.args[0].key() + "`");
      return Fail();
    }
    return NewEntity(name, arguments);
  }
  /// Creates a group of entities.
  EntityGroupPtr makeEntityGroup(const char* name) {
    if (!Prepared()) { return nullptr; }
    auto group = std::make_shared<EntityGroup>();
    if (!group->setup(context_, name)) {
      Fail();
      return nullptr;
    }
    return group;
  }

  /// Describes a scheduling term; `makeEntity` makes it.
  template <typename T, typename... Args>
  ProxyComponent makeTerm(const std::string& name, Args... args) {
    static_assert(std::is_base_of_v<SchedulingTerm, T>, "not a scheduling term");
    return Describe<T>(name, std::move(args)...);
  }
  /// Describes a component such as an allocator; `makeEntity` makes it.
  template <typename T, typename... Args>
  ProxyComponent makeResource(const std::string& name, Args... args) {
    return Describe<T>(name, std::move(args)...);
  }
  /// Makes a described component in an entity.
  Handle<Component> createFromProxy(const ProxyComponent& component, const GraphEntityPtr& entity) {
    return entity == nullptr ? Handle<Component>::Null() : entity->addComponent(component);
  }

  /// Adds the clock of the scheduler, in the entity `_clock`.
  template <typename T, typename... Args>
  Handle<T> setClock(const char* name, Args... args) {
    const GraphEntityPtr entity = NewEntity("_clock", detail::Arguments());
    if (entity == nullptr) { return Handle<T>::Null(); }
    const Handle<T> clock = entity->addClock<T>(name, std::move(args)...);
    if (!clock.is_null()) { clock_ = std::string{"_clock/"} + name; }
    return clock;
  }
  /// Adds the scheduler, in the entity `_scheduler`. Without a clock it gets a realtime clock.
  template <typename T, typename... Args>
  Handle<T> setScheduler(const char* name, Args... args) {
    static_assert(std::is_base_of_v<Scheduler, T>, "not a scheduler");
    detail::Arguments arguments(std::move(args)...);
    bool has_clock = false;
    for (const Arg& arg : arguments.args) { has_clock = has_clock || arg.key() == "clock"; }
    if (!has_clock) {
      if (clock_.empty() && setClock<RealtimeClock>("clock").is_null()) { return Handle<T>::Null(); }
      arguments.args.emplace_back("clock", clock_);
    }
    const GraphEntityPtr entity = NewEntity("_scheduler", detail::Arguments());
    if (entity == nullptr) { return Handle<T>::Null(); }
    const Handle<T> scheduler = entity->add<T>(name, std::move(arguments.args));
    has_scheduler_ = !scheduler.is_null();
    if (!has_scheduler_) { Fail(); }
    return scheduler;
  }
  template <typename... Args>
  Handle<Scheduler> setScheduler(SchedulerType type, const char* name = "scheduler", Args... args) {
    switch (type) {
      case SchedulerType::kGreedy:
        return setScheduler<GreedyScheduler>(name, std::move(args)...);
      case SchedulerType::kMultiThread:
        return setScheduler<MultiThreadScheduler>(name, std::move(args)...);
      case SchedulerType::kEventBased:
        return setScheduler<EventBasedScheduler>(name, std::move(args)...);
    }
    detail::Refuse(GXF_ARGUMENT_INVALID, "no such type of scheduler");
    return Handle<Scheduler>::Null();
  }
  /// Adds the context of the segment's network connections, in the entity `_network`.
  template <typename T, typename... Args>
  Handle<T> createNetworkContext(const char* name, Args... args) {
    static_assert(std::is_base_of_v<NetworkContext, T>, "not a network context");
    const GraphEntityPtr entity = NewEntity("_network", detail::Arguments());
    if (entity == nullptr) { return Handle<T>::Null(); }
    return entity->add<T>(name, std::move(args)...);
  }

  /// Connects the only transmitter of one entity to the only receiver of another.
  Expected<void> connect(const GraphEntityPtr& source, const GraphEntityPtr& target) {
    return connect(source, target, PortPair{});
  }
  Expected<void> connect(const GraphEntityPtr& source, const GraphEntityPtr& target,
                         const PortPair& ports) {
    if (source == nullptr || target == nullptr) {
      Fail();
      return detail::Refuse(GXF_ARGUMENT_NULL, "connect: no entity");
    }
    const auto from = source->port(ports.source, false);
    const auto to = from ? target->port(ports.target, true) : from;
    const auto link = to ? Connections() : Expected<GraphEntity*>(ForwardError(to));
    if (!link) {
      Fail();
      return ForwardError(link);
    }
    const Handle<Component> made = link.value()->addComponent(
        "nvidia::gxf::Connection", ("connection_" + std::to_string(connection_count_++)).c_str(),
        Arg("source", Name(from.value())), Arg("target", Name(to.value())));
    if (made.is_null()) {
      Fail();
      return Unexpected{GXF_FAILURE};
    }
    return Success;
  }
  Expected<void> connect(const GraphEntityPtr& source, const GraphEntityPtr& target,
                         const std::vector<PortPair>& ports) {
    Expected<void> result;
    for (const PortPair& each : ports) { result &= connect(source, target, each); }
    return result;
  }

  /// An entity by its name, also one of an app file; null if there is none.
  GraphEntityPtr getEntity(const char* name) {
    const auto known = entities_.find(name);
    if (known != entities_.end()) { return known->second; }
    gxf_uid_t eid = kNullUid;
    if (!Prepared() || GxfEntityFind(context_, name, &eid) != GXF_SUCCESS) { return nullptr; }
    auto entity = std::make_shared<GraphEntity>();
    entity->setup(context_, name, eid);
    return entities_[name] = entity;
  }

  /// Loads the libraries that a manifest lists.
  Expected<void> loadExtensionManifest(const char* manifest) {
    const auto prepared = Prepare();
    return prepared ? ExtensionManager(context_).loadManifest(manifest) : prepared;
  }
  /// Sets parameters from a file in the form of an app file, whose entities and components exist.
  Expected<void> loadParameterFile(const char* filename) {
    return Checked(GxfGraphLoadFile(context_, filename), "cannot load parameters");
  }
  /// Writes the graph as an app file.
  Expected<void> saveToFile(const char* filename) {
    const auto ready = Complete();
    return ready ? Checked(GxfGraphSaveToFile(context_, filename), "cannot save") : ready;
  }
  /// Sets the least important severity that is logged.
  Expected<void> setSeverity(gxf_severity_t severity) {
    const auto prepared = Prepare();
    return prepared ? Checked(GxfSetSeverity(context_, severity), "cannot set severity") : prepared;
  }

  Expected<void> activate() {
    const auto ready = Complete();
    return ready ? Checked(GxfGraphActivate(context_), "cannot activate") : ready;
  }
  Expected<void> deactivate() { return Checked(GxfGraphDeactivate(context_), "cannot deactivate"); }
  /// Composes and activates the graph if that was not done before, runs it to its end, and
  /// deactivates it.
  Expected<void> run() {
    const auto started = runAsync();
    return started ? wait() : started;
  }
  /// Like `run`, but returns when the graph has started; `wait` waits for its end.
  Expected<void> runAsync() {
    const auto ready = Complete();
    return ready ? RunActivated() : ready;
  }
  /// Asks the run to end and returns; from any thread.
  Expected<void> interrupt() { return Checked(GxfGraphInterrupt(context_), "cannot interrupt"); }
  /// The same for a run that may have ended by itself.
  void interruptIfRunning() { (void)GxfGraphInterrupt(context_); }
  /// Waits for the end of the run and deactivates the graph. Returns the error of the run.
  Expected<void> wait() {
    Expected<void> ran = Checked(GxfGraphWait(context_), "failed");
    const Expected<void> ended = Checked(GxfGraphDeactivate(context_), "cannot deactivate");
    ran &= ended;
    return ran;
  }
  /// Deactivates and destroys the graph.
  Expected<void> destroySegment() {
    if (context_ == kNullContext) { return Success; }
    entities_.clear();
    connections_.reset();
    return Checked(GxfContextDestroy(std::exchange(context_, kNullContext)), "cannot destroy");
  }

 protected:
  friend class Application;
  friend class Worker;

  /// Activates the graph as it is, and starts it.
  Expected<void> RunActivated() {
    const auto activated = Checked(GxfGraphActivate(context_), "cannot activate");
    return activated ? Checked(GxfGraphRunAsync(context_), "cannot start") : activated;
  }

  /// Creates the context. `shared` has the extensions; null for a context on its own.
  Expected<void> createContext(const char* name, gxf_context_t shared) {
    if (context_ != kNullContext) { return Success; }
    name_ = name == nullptr ? "" : name;
    const auto created = Checked(shared == kNullContext ? GxfContextCreate(&context_)
                                                        : GxfContextCreateShared(shared, &context_),
                                 "cannot create a context");
    // Contexts that share extensions have the program's already.
    if (!created || shared != kNullContext) { return created; }
    static DefaultExtension& own = *[] {
      auto* made = new DefaultExtension;
      made->setInfo(detail::TidOfName("gxf::app", 0), "ApplicationProgram", "The program itself", "",
                    "1.0.0", "");
      return made;
    }();
    return detail::LoadOwn(context_, own, "the program");
  }

 private:
  Expected<void> Prepare() { return createContext(name_.c_str(), kNullContext); }
  bool Prepared() { return static_cast<bool>(Prepare()); }

  /// Calls `compose`, if nothing did.
  Expected<void> Compose() {
    const auto prepared = Prepare();
    if (!prepared) { return prepared; }
    if (!std::exchange(composed_, true)) { compose(); }
    // The mistake itself is in the log.
    if (failed_) { return detail::Refuse(GXF_FAILURE, Which() + "was not composed"); }
    return Success;
  }
  /// Also adds a scheduler to entities that have none.
  Expected<void> Complete() {
    const auto composed = Compose();
    if (!composed || has_scheduler_ || entities_.empty() || HasScheduler()) { return composed; }
    setScheduler(SchedulerType::kGreedy);
    return Compose();
  }
  /// Whether an app file brought a scheduler.
  bool HasScheduler() {
    gxf_tid_t tid = GxfTidNull();
    if (GxfComponentTypeId(context_, "nvidia::gxf::Scheduler", &tid) != GXF_SUCCESS) { return false; }
    uint64_t count = 1024;
    std::vector<gxf_uid_t> all(count);
    if (GxfEntityFindAll(context_, &count, all.data()) == GXF_QUERY_NOT_ENOUGH_CAPACITY) {
      all.resize(count);
      GxfEntityFindAll(context_, &count, all.data());
    }
    for (uint64_t i = 0; i < count && i < all.size(); i++) {
      gxf_uid_t cid = kNullUid;
      if (GxfComponentFind(context_, all[i], tid, nullptr, nullptr, &cid) == GXF_SUCCESS) {
        return true;
      }
    }
    return false;
  }

  template <typename T, typename... Args>
  ProxyComponent Describe(const std::string& name, Args... args) {
    // The class must have an id when the component is made, by name.
    if (Prepared()) { (void)detail::TidOfClass<T>(context_); }
    detail::Arguments arguments(std::move(args)...);
    for (const ProxyComponent& component : arguments.components) {
      detail::Refuse(GXF_ARGUMENT_INVALID, "component `" + name + "`: `" + component.name +
                                               "` is the value of no parameter: give it in an Arg");
      Fail();
    }
    return ProxyComponent(TypenameAsString<T>(), name, std::move(arguments.args));
  }

  GraphEntityPtr NewEntity(const char* name, const detail::Arguments& arguments) {
    auto entity = std::make_shared<GraphEntity>();
    if (!Prepared() || !entity->setup(context_, name)) { return Fail(); }
    for (const ProxyComponent& component : arguments.components) {
      if (!entity->Add(component)) { return Fail(); }
    }
    return entities_[entity->name()] = entity;
  }
  /// Remembers that the graph is not what the program wanted, so that it does not run.
  GraphEntityPtr Fail() {
    failed_ = true;
    return nullptr;
  }

  /// Replaces a queue, "entity.queue", by one of a link to another segment.
  Expected<void> Link(const std::string& port, bool is_receiver, const char* type_name,
                      std::vector<Arg> args) {
    const auto composed = Compose();
    if (!composed) { return composed; }
    const size_t dot = port.rfind('.');
    const GraphEntityPtr entity =
        dot == std::string::npos ? nullptr : getEntity(port.substr(0, dot).c_str());
    if (entity == nullptr) {
      Fail();
      return detail::Refuse(GXF_ENTITY_NOT_FOUND, Which() + "has no entity for port `" + port +
                                                      "`, which is \"entity.queue\"");
    }
    const std::string queue = port.substr(dot + 1);
    args.emplace_back("buffer",
                      ProxyComponent("nvidia::gxf::UcxSerializationBuffer", queue + "_buffer",
                                     {Arg("allocator", Memory(queue + "_memory"))}));
    const auto made = entity->replaceQueue(queue, is_receiver, type_name, std::move(args));
    if (!made || !Network()) {
      Fail();
      return made ? Unexpected{GXF_FAILURE} : ForwardError(made);
    }
    return Success;
  }
  /// The context of the links, which is added by the first of them.
  bool Network() {
    if (getEntity("_network") != nullptr) { return true; }
    const GraphEntityPtr entity = NewEntity("_network", detail::Arguments());
    const ProxyComponent components("nvidia::gxf::UcxComponentSerializer", "component_serializer",
                                    {Arg("allocator", Memory("memory"))});
    const ProxyComponent entities(
        "nvidia::gxf::UcxEntitySerializer", "entity_serializer",
        {Arg("component_serializers", std::vector<ProxyComponent>{components})});
    return entity != nullptr && !entity->addComponent("nvidia::gxf::UcxContext", "network",
                                                      Arg("serializer", entities)).is_null();
  }
  static ProxyComponent Memory(const std::string& name) {
    return ProxyComponent("nvidia::gxf::UnboundedAllocator", name, {});
  }

  Expected<GraphEntity*> Connections() {
    if (connections_ == nullptr) { connections_ = NewEntity("_connections", detail::Arguments()); }
    if (connections_ == nullptr) { return Unexpected{GXF_FAILURE}; }
    return connections_.get();
  }
  std::string Name(gxf_uid_t cid) const {
    const auto text = detail::TextOfHandle(context_, cid);
    return text ? text.value() : "";
  }
  std::string Which() const { return name_.empty() ? "the graph " : "segment `" + name_ + "` "; }
  Expected<void> Checked(gxf_result_t code, const char* what) const {
    if (code == GXF_SUCCESS) { return Success; }
    return detail::Failed(code, Which() + what);
  }

  gxf_context_t context_ = kNullContext;
  std::string name_;
  /// By name.
  std::map<std::string, GraphEntityPtr> entities_;
  GraphEntityPtr connections_;
  uint64_t connection_count_ = 0;
  /// Entity and component.
  std::string clock_;
  bool has_scheduler_ = false;
  bool composed_ = false;
  bool failed_ = false;
};

using SegmentPtr = std::shared_ptr<Segment>;

namespace detail {

/// Adds a `GraphWorker` or `GraphDriver` with an HTTP server and client, in an entity of its own.
/// Without a token, the server listens on this host only; a warning says so.
inline Expected<void> AddHttpSystem(Segment& owner, const std::string& entity_name, uint32_t port,
                                    std::vector<Arg> client, const char* type_name,
                                    const char* name, Arg arg) {
  // A manifest may have loaded the library already.
  gxf_tid_t tid = GxfTidNull();
  if (GxfComponentTypeId(owner.context(), "nvidia::gxf::HttpServer", &tid) != GXF_SUCCESS) {
    const auto loaded = ExtensionManager(owner.context()).load("libgxf_http.so");
    if (!loaded) { return loaded; }
  }
  const GraphEntityPtr entity = owner.makeEntity(entity_name.c_str());
  const bool made =
      entity != nullptr &&
      !entity->addComponent("nvidia::gxf::HttpServer", "server", Arg("port", port),
                            Arg("remote_access", true)).is_null() &&
      !entity->addComponent("nvidia::gxf::HttpIPCClient", "client", std::move(client)).is_null() &&
      !entity->addComponent(type_name, name, std::move(arg), Arg("server", "server"),
                            Arg("client", "client")).is_null();
  return made ? Expected<void>(Success) : Unexpected{GXF_FAILURE};
}

}  // namespace detail

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_APP_SEGMENT_HPP_
