/// Entities of a graph that a program composes.
#ifndef NVIDIA_GXF_APP_GRAPH_ENTITY_HPP_
#define NVIDIA_GXF_APP_GRAPH_ENTITY_HPP_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gxf/app/arg.hpp"
#include "gxf/core/component.hpp"
#include "gxf/core/gxf.h"
#include "gxf/core/handle.hpp"
#include "gxf/std/allocator.hpp"
#include "gxf/std/clock.hpp"
#include "gxf/std/codelet.hpp"
#include "gxf/std/controller.hpp"
#include "gxf/std/default_extension.hpp"
#include "gxf/std/double_buffer_receiver.hpp"
#include "gxf/std/double_buffer_transmitter.hpp"
#include "gxf/std/monitor.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/scheduler.hpp"
#include "gxf/std/scheduling_terms.hpp"
#include "gxf/std/transmitter.hpp"

namespace nvidia {
namespace gxf {

namespace detail {

/// Logs what the program did wrong, and returns the code as an error.
inline Unexpected Refuse(gxf_result_t code, const std::string& why) {
  GXF_LOG_ERROR("%s: %s", why.c_str(), GxfResultStr(code));
  return Unexpected{code};
}
/// Logs what could not be done, with what the library says of the call that just failed.
inline Unexpected Failed(gxf_result_t code, const std::string& what) {
  const char* text = GxfLatestErrorText();
  if (text == nullptr || *text == '\0') { return Refuse(code, what); }
  GXF_LOG_ERROR("%s: %s", what.c_str(), text);
  return Unexpected{code};
}

/// The nearest base of GXF that a class derives from.
template <typename T, typename First, typename... Rest>
struct NearestBase
    : std::conditional_t<std::is_base_of_v<First, T>, TypeIdentity<First>, NearestBase<T, Rest...>> {};
template <typename T, typename Last>
struct NearestBase<T, Last> : TypeIdentity<Last> {};
template <typename T>
using NearestBase_t =
    typename NearestBase<T, Codelet, BooleanSchedulingTerm, AsynchronousSchedulingTerm,
                         SchedulingTerm, Receiver, Transmitter, Queue, Allocator, Clock, Scheduler,
                         System, Controller, Monitor, Component>::type;

/// An id for a class that has none: the same in every run of the program.
inline gxf_tid_t TidOfName(const std::string& name, uint64_t seed) {
  const auto hash = [&](uint64_t value) {
    for (const char c : name) { value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3; }
    return value;
  };
  return {hash(0xcbf29ce484222325 ^ seed), hash(0x9e3779b97f4a7c15 ^ seed)};
}

/// Makes the types of the program known to a context, and the context's host to the program.
inline Expected<void> LoadOwn(gxf_context_t context, DefaultExtension& extension,
                              const std::string& name) {
  void* object = static_cast<ComponentFactory*>(&extension);
  const gxf_result_t code = GxfLoadExtensionFromPointer(context, object);
  if (code != GXF_SUCCESS) { return Failed(code, "cannot register " + name); }
  return Success;
}

/// The id of a type, which is registered first if it is a class of the program that no extension has.
template <typename T>
Expected<gxf_tid_t> TidOfClass(gxf_context_t context) {
  const char* name = TypenameAsString<T>();
  gxf_tid_t tid = GxfTidNull();
  if (GxfComponentTypeId(context, name, &tid) == GXF_SUCCESS) { return tid; }
  if constexpr (std::is_abstract_v<T>) {
    return Refuse(GXF_FACTORY_UNKNOWN_CLASS_NAME, std::string{"no loaded extension has `"} + name + "`");
  } else {
    // For ever: contexts may keep the types as long as the process.
    static DefaultExtension& extension = *[name] {
      auto* made = new DefaultExtension;
      const std::string text = std::string{"Class of the program: "} + name;
      made->setInfo(TidOfName(name, 1), "ApplicationExtension", text.substr(0, 200).c_str(), "",
                    "1.0.0", "");
      made->template add<T, NearestBase_t<T>>(TidOfName(name, 2), "A class of the program");
      return made;
    }();
    const auto loaded = LoadOwn(context, extension, std::string{"`"} + name + "`");
    if (!loaded) { return ForwardError(loaded); }
    return TidOfName(name, 2);
  }
}

}  // namespace detail

/// An entity of a segment. Functions that return a handle log what went wrong and return a null
/// handle.
class GraphEntity {
 public:
  GraphEntity() = default;
  GraphEntity(const GraphEntity&) = delete;
  GraphEntity& operator=(const GraphEntity&) = delete;

  /// Creates the entity.
  Expected<void> setup(gxf_context_t context, const char* name) {
    context_ = context;
    name_ = name == nullptr ? "" : name;
    const GxfEntityCreateInfo info{name_.c_str(), GXF_ENTITY_CREATE_PROGRAM_BIT};
    const gxf_result_t code = GxfCreateEntity(context, &info, &eid_);
    if (code != GXF_SUCCESS) { return detail::Failed(code, "cannot create entity `" + name_ + "`"); }
    return Success;
  }
  /// Becomes an entity that exists, such as one of an app file.
  Expected<void> setup(gxf_context_t context, const char* name, gxf_uid_t eid) {
    context_ = context;
    name_ = name;
    eid_ = eid;
    return Success;
  }

  gxf_context_t context() const { return context_; }
  gxf_uid_t eid() const { return eid_; }
  bool is_null() const { return eid_ == kNullUid; }
  const char* name() const { return name_.c_str(); }

  /// Adds a component; a class of the program that no extension has is registered first.
  template <typename T, typename... Args>
  Handle<T> add(const char* name, Args... args) {
    const auto tid = detail::TidOfClass<T>(context_);
    if (!tid) { return Handle<T>::Null(); }
    const auto cid = AddComponent(tid.value(), TypenameAsString<T>(), name,
                                  detail::Arguments(std::move(args)...));
    if (!cid) { return Handle<T>::Null(); }
    return Made<T>(cid.value());
  }
  /// Adds a component of a type of an extension.
  template <typename... Args>
  Handle<Component> addComponent(const char* type_name, const char* name, Args... args) {
    const auto cid = Add(type_name, name, detail::Arguments(std::move(args)...));
    return cid ? Made<Component>(cid.value()) : Handle<Component>::Null();
  }
  /// Adds a component that was described before.
  Handle<Component> addComponent(const ProxyComponent& component) {
    const auto cid = Add(component);
    return cid ? Made<Component>(cid.value()) : Handle<Component>::Null();
  }

  /// Adds a codelet, with a queue and its term for each of the codelet's mandatory transmitters and
  /// receivers that no argument gives.
  template <typename T, typename... Args>
  Handle<T> addCodelet(const char* name, Args... args) {
    static_assert(std::is_base_of_v<Codelet, T>, "not a codelet");
    const detail::Arguments arguments(std::move(args)...);
    const auto tid = detail::TidOfClass<T>(context_);
    if (!tid) { return Handle<T>::Null(); }
    const auto cid = AddComponent(tid.value(), TypenameAsString<T>(), name, arguments);
    if (!cid || !AddPorts(cid.value(), tid.value(), arguments.args)) { return Handle<T>::Null(); }
    return Made<T>(cid.value());
  }
  template <typename T, typename... Args>
  Handle<T> addClock(const char* name, Args... args) {
    static_assert(std::is_base_of_v<Clock, T>, "not a clock");
    return add<T>(name, std::move(args)...);
  }
  template <typename T, typename... Args>
  Handle<T> addSchedulingTerm(const char* name, Args... args) {
    static_assert(std::is_base_of_v<SchedulingTerm, T>, "not a scheduling term");
    return add<T>(name, std::move(args)...);
  }

  /// Adds a transmitter for a parameter of a codelet of this entity, with a term that waits for room
  /// in the receivers behind it. It takes the place of an earlier one; a parameter that is a list
  /// gets one more.
  template <typename T = DoubleBufferTransmitter>
  Handle<T> addTransmitter(const char* key, bool omit_term = false) {
    static_assert(std::is_base_of_v<Transmitter, T>, "not a transmitter");
    return AddQueue<T>(key, omit_term, false);
  }
  /// Adds a receiver for a parameter of a codelet of this entity, with a term that waits for
  /// messages, as `addTransmitter` does.
  template <typename T = DoubleBufferReceiver>
  Handle<T> addReceiver(const char* key, bool omit_term = false) {
    static_assert(std::is_base_of_v<Receiver, T>, "not a receiver");
    return AddQueue<T>(key, omit_term, true);
  }
  /// Sets the capacity and the policy (0 drop the oldest, 1 refuse, 2 fail) of a transmitter, and
  /// how many places its term waits for.
  Expected<void> configTransmitter(const char* name, uint64_t capacity, uint64_t policy,
                                   uint64_t min_size) {
    return ConfigureQueue(name, capacity, policy, min_size);
  }
  /// Sets the capacity and the policy (0 drop the oldest, 1 refuse, 2 fail) of a receiver, and how
  /// many messages its term waits for.
  Expected<void> configReceiver(const char* name, uint64_t capacity, uint64_t policy,
                                uint64_t min_size) {
    return ConfigureQueue(name, capacity, policy, min_size);
  }

  /// A component of this type, of any name if that is null. Logs an error if there is none.
  template <typename T>
  Handle<T> get(const char* name = nullptr) {
    const auto found = try_get<T>(name);
    if (found) { return found.value(); }
    detail::Refuse(found.error(), "entity `" + name_ + "` has no " + TypenameAsString<T>() +
                                      (name == nullptr ? "" : std::string{" named `"} + name + "`"));
    return Handle<T>::Null();
  }
  template <typename T>
  Expected<Handle<T>> try_get(const char* name = nullptr) {
    gxf_tid_t tid = GxfTidNull();
    gxf_result_t code = GxfComponentTypeId(context_, TypenameAsString<T>(), &tid);
    if (code != GXF_SUCCESS) { return Unexpected{code}; }
    gxf_uid_t cid = kNullUid;
    code = GxfComponentFind(context_, eid_, tid, name, nullptr, &cid);
    if (code != GXF_SUCCESS) { return Unexpected{code}; }
    return Handle<T>::Create(context_, cid);
  }
  /// All components of this type, in the order in which they were added.
  template <typename T>
  std::vector<Handle<T>> findAll() {
    std::vector<Handle<T>> found;
    for (const gxf_uid_t cid : FindAll(TypenameAsString<T>())) {
      const auto handle = Handle<T>::Create(context_, cid);
      if (handle) { found.push_back(handle.value()); }
    }
    return found;
  }

  /// Gets ready to be connected: the queue of this name, which is added if it belongs to an optional
  /// parameter of a codelet.
  Expected<gxf_uid_t> port(const std::string& name, bool is_receiver) {
    const char* base = is_receiver ? "nvidia::gxf::Receiver" : "nvidia::gxf::Transmitter";
    if (name.empty()) {
      const std::vector<gxf_uid_t> all = FindAll(base);
      if (all.size() == 1) { return all[0]; }
      return detail::Refuse(GXF_ARGUMENT_INVALID, "entity `" + name_ + "` has " +
                                                      std::to_string(all.size()) + " components " + base +
                                                      ": say which one with a PortPair");
    }
    const auto found = Find(base, name.c_str());
    if (found) { return found; }
    for (const auto& [key, parameter] : parameters_) {
      if (key != name || parameter.is_receiver != is_receiver) { continue; }
      const auto added = AddQueueOf(key, parameter.default_type, false);
      if (added) { return added; }
    }
    std::string there;
    for (const gxf_uid_t cid : FindAll(base)) {
      const char* own = "";
      GxfComponentName(context_, cid, &own);
      there += (there.empty() ? "; it has `" : "`, `") + std::string{own};
    }
    return detail::Refuse(GXF_ENTITY_COMPONENT_NOT_FOUND,
                          "entity `" + name_ + "` has no " + base + " named `" + name + "`" + there +
                              (there.empty() ? "" : "`"));
  }

  /// Puts a queue of a type of an extension in the place of the one of this name.
  Expected<gxf_uid_t> replaceQueue(const std::string& name, bool is_receiver, const char* type_name,
                                   std::vector<Arg> args) {
    for (auto& [key, parameter] : parameters_) {
      for (size_t i = 0; i < parameter.queues.size() && parameter.is_receiver == is_receiver; i++) {
        if (parameter.queues[i] != name) { continue; }
        RemoveQueue(name, is_receiver);
        return MakeQueue(key, parameter, name, type_name, false, std::move(args));
      }
    }
    const auto found = port(name, is_receiver);
    if (!found) { return found; }
    return detail::Refuse(GXF_ARGUMENT_INVALID,
                          "entity `" + name_ + "`: queue `" + name + "` belongs to no codelet");
  }

  /// Adds a component that was described before; its id.
  Expected<gxf_uid_t> Add(const ProxyComponent& component) {
    detail::Arguments arguments;
    arguments.args = component.args;
    return Add(component.type_name.c_str(), component.name.c_str(), arguments);
  }

 private:
  /// A parameter of a codelet that takes a queue, or a list of them.
  struct Port {
    gxf_uid_t codelet;
    bool is_receiver;
    bool is_list;
    std::string default_type;
    /// Names of the queues that it has.
    std::vector<std::string> queues;
  };

  template <typename T>
  Handle<T> Made(gxf_uid_t cid) {
    const auto handle = Handle<T>::Create(context_, cid);
    if (handle) { return handle.value(); }
    detail::Failed(handle.error(), "entity `" + name_ + "`: no handle to a " + TypenameAsString<T>());
    return Handle<T>::Null();
  }

  Expected<gxf_uid_t> Add(const char* type_name, const char* name,
                          const detail::Arguments& arguments) {
    gxf_tid_t tid = GxfTidNull();
    const gxf_result_t code = GxfComponentTypeId(context_, type_name, &tid);
    if (code != GXF_SUCCESS) {
      return detail::Refuse(code, "entity `" + name_ + "`: no loaded extension has `" + type_name + "`");
    }
    return AddComponent(tid, type_name, name, arguments);
  }

  /// Adds a component and sets its parameters.
  Expected<gxf_uid_t> AddComponent(gxf_tid_t tid, const char* type_name, const char* name,
                                   const detail::Arguments& arguments) {
    gxf_uid_t cid = kNullUid;
    const gxf_result_t code = GxfComponentAdd(context_, eid_, tid, name, &cid);
    if (code != GXF_SUCCESS) {
      return detail::Failed(code, "entity `" + name_ + "`: cannot add a " + type_name);
    }
    for (const ProxyComponent& component : arguments.components) {
      const auto added = Add(component);
      if (!added) { return added; }
    }
    for (const Arg& arg : arguments.args) {
      gxf_parameter_info_t info{};
      const gxf_result_t known = GxfGetParameterInfo(context_, tid, arg.key().c_str(), &info);
      if (known != GXF_SUCCESS) {
        return detail::Failed(known, "entity `" + name_ + "`: `" + arg.key() + "` of " + type_name);
      }
      const auto set = Set(cid, arg);
      if (!set) { return ForwardError(set); }
    }
    return cid;
  }

  Expected<void> Set(gxf_uid_t cid, const Arg& arg) {
    if (arg.components().empty() && !(arg.is_list() && arg.node().IsNull())) {
      return Set(cid, arg.key(), arg.node());
    }
    std::vector<std::string> names;
    for (const ProxyComponent& component : arg.components()) {
      const auto added = Add(component);
      if (!added) { return ForwardError(added); }
      names.push_back(component.name);
    }
    return Set(cid, arg.key(), arg.is_list() ? detail::NodeOf(names) : YAML::Node(names[0]));
  }
  Expected<void> Set(gxf_uid_t cid, const std::string& key, const YAML::Node& node) {
    YAML::Node copy = node;
    const gxf_result_t code = GxfParameterSetFromYamlNode(context_, cid, key.c_str(), &copy, "");
    if (code == GXF_SUCCESS) { return Success; }
    const char* type_name = "component";
    GxfComponentTypeNameFromUID(context_, cid, &type_name);
    return detail::Failed(code, "entity `" + name_ + "`: cannot set parameter `" + key + "` of " +
                                    type_name);
  }

  Expected<gxf_uid_t> Find(const char* type_name, const char* name) {
    gxf_tid_t tid = GxfTidNull();
    gxf_uid_t cid = kNullUid;
    gxf_result_t code = GxfComponentTypeId(context_, type_name, &tid);
    if (code == GXF_SUCCESS) { code = GxfComponentFind(context_, eid_, tid, name, nullptr, &cid); }
    if (code != GXF_SUCCESS) { return Unexpected{code}; }
    return cid;
  }
  std::vector<gxf_uid_t> FindAll(const char* type_name) {
    std::vector<gxf_uid_t> found;
    gxf_tid_t tid = GxfTidNull();
    if (GxfComponentTypeId(context_, type_name, &tid) != GXF_SUCCESS) { return found; }
    gxf_uid_t cid = kNullUid;
    for (int32_t offset = 0;
         GxfComponentFind(context_, eid_, tid, nullptr, &offset, &cid) == GXF_SUCCESS; offset++) {
      found.push_back(cid);
    }
    return found;
  }

  /// Notes the parameters of a codelet that take queues, and adds those that it cannot do without.
  Expected<void> AddPorts(gxf_uid_t codelet, gxf_tid_t tid, const std::vector<Arg>& args) {
    gxf_component_info_t info{};
    GxfComponentInfo(context_, tid, &info);
    std::vector<const char*> keys(info.num_parameters);
    info.parameters = keys.data();
    gxf_result_t code = GxfComponentInfo(context_, tid, &info);
    if (code != GXF_SUCCESS) { return detail::Failed(code, "entity `" + name_ + "`"); }
    for (const char* key : keys) {
      gxf_parameter_info_t parameter{};
      code = GxfGetParameterInfo(context_, tid, key, &parameter);
      if (code != GXF_SUCCESS) { return detail::Failed(code, "entity `" + name_ + "`"); }
      const bool receives = IsA(parameter.handle_tid, "nvidia::gxf::Receiver");
      if (parameter.type != GXF_PARAMETER_TYPE_HANDLE ||
          (!receives && !IsA(parameter.handle_tid, "nvidia::gxf::Transmitter"))) {
        continue;
      }
      bool given = false;
      for (const Arg& arg : args) { given = given || arg.key() == key; }
      if (given) { continue; }
      const char* type = receives ? "nvidia::gxf::DoubleBufferReceiver"
                                  : "nvidia::gxf::DoubleBufferTransmitter";
      const char* wanted = "";
      GxfComponentTypeName(context_, parameter.handle_tid, &wanted);
      const std::string base = wanted;
      const bool any = base == "nvidia::gxf::Receiver" || base == "nvidia::gxf::Transmitter";
      parameters_[key] = Port{codelet, receives, parameter.rank > 0, any ? type : base, {}};
      if ((parameter.flags & GXF_PARAMETER_FLAGS_OPTIONAL) == 0) {
        const auto added = AddQueueOf(key, parameters_[key].default_type, false);
        if (!added) { return ForwardError(added); }
      }
    }
    return Success;
  }
  bool IsA(gxf_tid_t tid, const char* base_name) {
    gxf_tid_t base = GxfTidNull();
    bool result = false;
    return GxfComponentTypeId(context_, base_name, &base) == GXF_SUCCESS &&
           (tid == base ||
            (GxfComponentIsBase(context_, tid, base, &result) == GXF_SUCCESS && result));
  }

  template <typename T>
  Handle<T> AddQueue(const char* key, bool omit_term, bool is_receiver) {
    const auto tid = detail::TidOfClass<T>(context_);
    if (!tid) { return Handle<T>::Null(); }
    const auto port = parameters_.find(key);
    if (port == parameters_.end() || port->second.is_receiver != is_receiver) {
      parameters_[key] = Port{kNullUid, is_receiver, false, "", {}};
    }
    const auto cid = AddQueueOf(key, TypenameAsString<T>(), omit_term);
    return cid ? Made<T>(cid.value()) : Handle<T>::Null();
  }

  /// Adds a queue for a parameter, and its term.
  Expected<gxf_uid_t> AddQueueOf(const std::string& key, const std::string& type, bool omit_term) {
    Port& port = parameters_[key];
    std::string name = key;
    if (port.is_list) {
      name += "_" + std::to_string(port.queues.size());
    } else if (!port.queues.empty()) {
      RemoveQueue(port.queues[0], port.is_receiver);
      port.queues.clear();
    }
    port.queues.push_back(name);
    return MakeQueue(key, port, name, type.c_str(), omit_term, {});
  }
  /// Adds a queue of a port, tells the codelet, and adds the term.
  Expected<gxf_uid_t> MakeQueue(const std::string& key, const Port& port, const std::string& name,
                                const char* type_name, bool omit_term, std::vector<Arg> args) {
    detail::Arguments arguments;
    arguments.args = std::move(args);
    const auto cid = Add(type_name, name.c_str(), arguments);
    if (!cid) { return cid; }
    if (port.codelet != kNullUid) {
      const auto set = Set(port.codelet, key,
                           port.is_list ? detail::NodeOf(port.queues) : YAML::Node(name));
      if (!set) { return ForwardError(set); }
    }
    if (!omit_term) {
      const char* term = port.is_receiver ? "nvidia::gxf::MessageAvailableSchedulingTerm"
                                          : "nvidia::gxf::DownstreamReceptiveSchedulingTerm";
      const char* of = port.is_receiver ? "receiver" : "transmitter";
      const auto added = Add(term, TermOf(name, port.is_receiver).c_str(),
                             detail::Arguments(Arg(of, name), Arg("min_size", uint64_t{1})));
      if (!added) { return added; }
    }
    return cid;
  }
  static std::string TermOf(const std::string& queue, bool is_receiver) {
    return (is_receiver ? "mast_" : "drst_") + queue;
  }
  void RemoveQueue(const std::string& name, bool is_receiver) {
    for (const std::string& each : {TermOf(name, is_receiver), name}) {
      const auto found = Find("nvidia::gxf::Component", each.c_str());
      if (found) { GxfComponentRemoveWithUID(context_, found.value()); }
    }
  }

  Expected<void> ConfigureQueue(const std::string& name, uint64_t capacity, uint64_t policy,
                                uint64_t min_size) {
    const auto queue = Find("nvidia::gxf::Queue", name.c_str());
    if (!queue) {
      return detail::Refuse(queue.error(), "entity `" + name_ + "` has no queue named `" + name + "`");
    }
    Expected<void> result = Set(queue.value(), "capacity", YAML::Node(capacity));
    if (result) { result = Set(queue.value(), "policy", YAML::Node(policy)); }
    for (const bool is_receiver : {false, true}) {
      const auto term =
          Find("nvidia::gxf::SchedulingTerm", TermOf(name, is_receiver).c_str());
      if (result && term) { result = Set(term.value(), "min_size", YAML::Node(min_size)); }
    }
    return result;
  }

  gxf_context_t context_ = kNullContext;
  gxf_uid_t eid_ = kNullUid;
  std::string name_;
  /// By key.
  std::map<std::string, Port> parameters_;
};

using GraphEntityPtr = std::shared_ptr<GraphEntity>;

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_APP_GRAPH_ENTITY_HPP_
