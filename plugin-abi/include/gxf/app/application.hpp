/// Applications: one graph, or several segments that run side by side.
#ifndef NVIDIA_GXF_APP_APPLICATION_HPP_
#define NVIDIA_GXF_APP_APPLICATION_HPP_

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gxf/app/config_parser.hpp"
#include "gxf/app/driver.hpp"
#include "gxf/app/segment.hpp"
#include "gxf/app/worker.hpp"

namespace nvidia {
namespace gxf {

namespace detail {

/// Finds ports of this host that nobody uses.
class FreePorts {
 public:
  /// A port, each time another one; 0 if there is none.
  uint16_t Next() {
    uint16_t port = 0;
    do {
      port = Find();
    } while (port != 0 && !found_.insert(port).second);
    return port;
  }

 private:
  static uint16_t Find() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    const bool is_known = listener >= 0 && ::bind(listener, any, size) == 0 &&
                          ::getsockname(listener, any, &size) == 0;
    if (listener >= 0) { ::close(listener); }
    return is_known ? ntohs(address.sin_port) : uint16_t{0};
  }

  std::set<uint16_t> found_;
};

}  // namespace detail

/// A program's graph. Override `compose()` to create either entities, or segments, which run side by
/// side in contexts of their own.
class Application : public Segment {
 public:
  Application() { (void)createContext("", kNullContext); }
  ~Application() override {
    // Segments share what the application's context loaded.
    segments_.clear();
  }

  /// Creates a segment and composes it: its entities are there afterwards. Arguments are those of its
  /// constructor. Null if there is one of this name already, or it cannot be composed.
  template <typename T, typename... Args>
  std::shared_ptr<T> createSegment(const char* name, Args&&... args) {
    static_assert(std::is_base_of_v<Segment, T>, "not a segment");
    gxf_context_t shared = kNullContext;
    if (Find(name) != nullptr || GxfGetSharedContext(context(), &shared) != GXF_SUCCESS) {
      detail::Refuse(GXF_ARGUMENT_INVALID, "segment `" + std::string{name} + "` exists already");
      return nullptr;
    }
    auto segment = std::make_shared<T>(std::forward<Args>(args)...);
    Segment& base = *segment;
    if (!base.createContext(name, shared) || !base.Compose()) {
      Fail();
      return nullptr;
    }
    segments_.push_back(segment);
    return segment;
  }

  using Segment::connect;
  /// Connects transmitters of one segment to receivers of another, by links of `libgxf_ucx.so`: the
  /// queues are replaced by a `UcxTransmitter` and a `UcxReceiver`. Within the process, messages are
  /// handed over by reference. With a driver, the segments may be in several processes: each composes
  /// all of them, and runs those that its configuration enables. Links within a process take free ports
  /// of the host; the first one of several processes has port 13337, and each further one the next.
  Expected<void> connect(const SegmentPtr& source, const SegmentPtr& target,
                         const std::vector<SegmentPortPair>& ports) {
    if (source == nullptr || target == nullptr) {
      return detail::Refuse(GXF_ARGUMENT_NULL, "connect: no segment");
    }
    for (const SegmentPortPair& pair : ports) {
      const uint32_t port = IsDistributed() ? static_cast<uint32_t>(kFirstLink + connections_.size())
                                            : free_ports_.Next();
      if (port == 0) {
        Fail();
        return detail::Refuse(GXF_FAILURE, "connect: this host has no free port for a link of segments");
      }
      connections_.push_back({std::string{source->name()} + "." + pair.source,
                              std::string{target->name()} + "." + pair.target});
      const auto linked =
          target->Link(pair.target, true, "nvidia::gxf::UcxReceiver",
                       {Arg("address", IsDistributed() ? "0.0.0.0" : "127.0.0.1"), Arg("port", port)});
      const auto both =
          linked ? source->Link(pair.source, false, "nvidia::gxf::UcxTransmitter",
                                {Arg("receiver_address", "127.0.0.1"), Arg("port", port)})
                 : linked;
      if (!both) {
        Fail();
        return both;
      }
    }
    return Success;
  }

  /// Reads a configuration file, see `ConfigParser`. Without one, everything runs.
  Expected<void> setConfig(const std::string& filename) { return config_.setFilePath(filename); }
  /// Reads the configuration file that the program's first argument names, if there is one.
  Expected<void> setConfig(int argc, char** argv) {
    return argc > 1 ? setConfig(std::string{argv[1]}) : Expected<void>(Success);
  }
  /// Has a driver run this process's segments; called in `compose` or before, and before `connect`. Arguments are `port`,
  /// `driver_ip` and `driver_port`; those that are missing come from the configuration file.
  template <typename... Args>
  Expected<void> setWorker(const std::string& name, Args... args) {
    worker_ = std::make_shared<Worker>(this, name);
    return Configure(config_.worker(), detail::Arguments(std::move(args)...).args, [&](const Arg& arg) {
      if (arg.key() == "port") { return worker_->setPort(arg.node().template as<uint32_t>()); }
      if (arg.key() == "driver_port") {
        return worker_->setDriverPort(arg.node().template as<uint32_t>());
      }
      if (arg.key() == "driver_ip") {
        return worker_->setDriverIp(arg.node().template as<std::string>());
      }
      return Unknown("worker", arg);
    });
  }
  /// Makes this process the driver of the segments of all processes, also beside a worker. The
  /// argument is `port`; if it is missing, it comes from the configuration file.
  template <typename... Args>
  Expected<void> setDriver(const std::string& name, Args... args) {
    driver_ = std::make_shared<Driver>(this, name);
    return Configure(config_.driver(), detail::Arguments(std::move(args)...).args, [&](const Arg& arg) {
      if (arg.key() == "port") { return driver_->setPort(arg.node().template as<uint32_t>()); }
      return Unknown("driver", arg);
    });
  }

  /// Sets the least important severity that is logged of a segment.
  Expected<void> setSegmentSeverity(const char* name, gxf_severity_t severity) {
    Segment* segment = Find(name);
    if (segment == nullptr) {
      return detail::Refuse(GXF_ARGUMENT_INVALID, "there is no segment `" + std::string{name} + "`");
    }
    return segment->setSeverity(severity);
  }

  /// Composes the application, runs it to its end, and deactivates it.
  Expected<void> run() {
    const auto started = runAsync();
    return started ? wait() : started;
  }
  /// Like `run`, but returns when everything has started; `wait` waits for the end.
  Expected<void> runAsync() {
    const auto configured = UseConfiguration();
    if (!configured) { return configured; }
    auto composed = Compose();
    if (composed) { composed = CheckEnabled(); }
    if (!composed) { return composed; }
    if (IsDistributed()) { return RunSystems(); }
    if (segments_.empty()) { return Segment::runAsync(); }
    if (!entities_.empty()) {
      return detail::Refuse(GXF_INVALID_EXECUTION_SEQUENCE,
                            "an application has either entities or segments");
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_starting_ = true;
      is_interrupted_ = false;
    }
    const auto started = StartSegments();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_starting_ = false;
    }
    if (!started) {
      interruptIfRunning();
      (void)wait();
    }
    return started;
  }
  /// Asks the run to end and returns; from any thread. Segments that are yet to start do not. An error
  /// before the run and after its end.
  Expected<void> interrupt() {
    const auto running = Interrupted();
    if (!running) { return Segment::interrupt(); }
    Expected<void> result;
    for (const SegmentPtr& segment : *running) { result &= segment->interrupt(); }
    return result;
  }
  /// The same for a run that may have ended by itself.
  void interruptIfRunning() {
    const auto running = Interrupted();
    if (!running) { return Segment::interruptIfRunning(); }
    for (const SegmentPtr& segment : *running) { segment->interruptIfRunning(); }
  }
  /// Waits for the end and deactivates everything. Returns the first error.
  Expected<void> wait() {
    if (segments_.empty() || IsDistributed()) { return Segment::wait(); }
    Expected<void> result;
    // Until all have ended, `interrupt` reaches them.
    for (const SegmentPtr& segment : Running()) { result &= segment->wait(); }
    const std::lock_guard<std::mutex> lock(mutex_);
    running_.clear();
    return result;
  }

 private:
  std::vector<SegmentPtr> Running() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return running_;
  }
  /// The segments that run, and none after them; nothing without a run of segments.
  std::optional<std::vector<SegmentPtr>> Interrupted() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!is_starting_ && running_.empty()) { return std::nullopt; }
    is_interrupted_ = true;
    return running_;
  }
  /// Starts the segments one after the other, until an interrupt.
  Expected<void> StartSegments() {
    for (const SegmentPtr& segment : segments_) {
      if (!config_.isEnabled(segment->name())) { continue; }
      const auto started = segment->runAsync();
      if (!started) { return started; }
      bool is_interrupted = false;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        running_.push_back(segment);
        is_interrupted = is_interrupted_;
      }
      // The interrupt did not reach this one.
      if (is_interrupted) {
        segment->interruptIfRunning();
        break;
      }
    }
    return Success;
  }
  /// Refuses a configuration file with segments that do not exist.
  Expected<void> CheckEnabled() {
    for (const std::string& name : config_.enabled()) {
      if (Find(name) != nullptr) { continue; }
      std::string known;
      for (const SegmentPtr& segment : segments_) {
        known += (known.empty() ? "; there are `" : "`, `") + std::string{segment->name()};
      }
      return detail::Refuse(GXF_ARGUMENT_INVALID, "`enabled_segments`: there is no segment `" + name + "`" +
                                                      known + (known.empty() ? "" : "`"));
    }
    return Success;
  }
  Segment* Find(const std::string& name) {
    for (const SegmentPtr& segment : segments_) {
      if (name == segment->name()) { return segment.get(); }
    }
    return nullptr;
  }

  bool IsDistributed() const { return worker_ != nullptr || driver_ != nullptr; }
  /// Makes the worker and the driver of the configuration file, unless the program did.
  Expected<void> UseConfiguration() {
    const auto name = [](const std::vector<Arg>& args, const char* otherwise) {
      for (const Arg& arg : args) {
        if (arg.key() == "name") { return arg.node().as<std::string>(); }
      }
      return std::string{otherwise};
    };
    Expected<void> result;
    if (config_.worker() && worker_ == nullptr) { result &= setWorker(name(*config_.worker(), "worker")); }
    if (config_.driver() && driver_ == nullptr) { result &= setDriver(name(*config_.driver(), "driver")); }
    return result;
  }
  /// Sets what the configuration file and, above it, the program's arguments say.
  template <typename F>
  Expected<void> Configure(const std::optional<std::vector<Arg>>& file, const std::vector<Arg>& args,
                           F&& set) {
    Expected<void> result;
    try {
      for (const Arg& arg : file.value_or(std::vector<Arg>{})) {
        if (arg.key() != "name") { result &= set(arg); }
      }
      for (const Arg& arg : args) { result &= set(arg); }
    } catch (const YAML::Exception& exception) {
      result = detail::Refuse(GXF_ARGUMENT_INVALID, std::string{"worker or driver: "} + exception.what());
    }
    if (!result) { Fail(); }
    return result;
  }
  static Expected<void> Unknown(const char* part, const Arg& arg) {
    return detail::Refuse(GXF_ARGUMENT_INVALID,
                          "a " + std::string{part} + " has no argument `" + arg.key() + "`");
  }
  /// Runs the worker and the driver, which run the segments.
  Expected<void> RunSystems() {
    if (!entities_.empty()) {
      return detail::Refuse(GXF_INVALID_EXECUTION_SEQUENCE,
                            "an application with a worker or a driver has segments, and no entities");
    }
    if (worker_ != nullptr) {
      std::map<std::string, SegmentPtr> own;
      for (const SegmentPtr& segment : segments_) {
        if (config_.isEnabled(segment->name())) { own[segment->name()] = segment; }
      }
      Expected<void> committed = worker_->setGraphSegments(std::move(own));
      if (committed) { committed = worker_->commit(); }
      if (!committed) { return committed; }
    }
    if (driver_ != nullptr) {
      Expected<void> committed = driver_->setSegmentConnections(connections_);
      if (committed) { committed = driver_->commit(); }
      if (!committed) { return committed; }
    }
    return RunActivated();
  }

  /// The port of the first link of several processes, which must know it; each further one has the next.
  static constexpr uint32_t kFirstLink = 13337;

  ConfigParser config_;
  std::vector<SegmentConnection> connections_;
  detail::FreePorts free_ports_;
  WorkerPtr worker_;
  DriverPtr driver_;
  std::vector<SegmentPtr> segments_;
  /// Guards what follows: any thread may interrupt.
  std::mutex mutex_;
  std::vector<SegmentPtr> running_;
  bool is_starting_ = false;
  bool is_interrupted_ = false;
};

using ApplicationPtr = std::shared_ptr<Application>;

/// Creates an application.
template <typename T, typename... Args>
std::shared_ptr<T> create_app(Args&&... args) {
  static_assert(std::is_base_of_v<Application, T>, "not an application");
  return std::make_shared<T>(std::forward<Args>(args)...);
}

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_APP_APPLICATION_HPP_
