/// Applications: one graph, or several segments that run side by side.
#ifndef NVIDIA_GXF_APP_APPLICATION_HPP_
#define NVIDIA_GXF_APP_APPLICATION_HPP_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gxf/app/config_parser.hpp"
#include "gxf/app/segment.hpp"

namespace nvidia {
namespace gxf {

/// A program's graph. Override `compose()` to create either entities, or segments, which run side by
/// side in contexts of their own.
class Application : public Segment {
 public:
  Application() { (void)createContext("", kNullContext); }
  ~Application() override {
    // Segments share what the application's context loaded.
    segments_.clear();
  }

  /// Creates a segment and composes it. Null if there is one of this name already.
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
    if (!base.createContext(name, shared)) {
      Fail();
      return nullptr;
    }
    segments_.push_back(segment);
    return segment;
  }

  using Segment::connect;
  /// Connects transmitters of one segment to receivers of another, by links of `libgxf_ucx.so`: the
  /// queues are replaced by a `UcxTransmitter` and a `UcxReceiver`. Within the process, messages are
  /// handed over by reference.
  Expected<void> connect(const SegmentPtr& source, const SegmentPtr& target,
                         const std::vector<SegmentPortPair>& ports) {
    if (source == nullptr || target == nullptr) {
      return detail::Refuse(GXF_ARGUMENT_NULL, "connect: no segment");
    }
    for (const SegmentPortPair& pair : ports) {
      const auto port = static_cast<uint32_t>(kFirstLink + link_count_++);
      const auto linked =
          target->Link(pair.target, true, "nvidia::gxf::UcxReceiver",
                       {Arg("address", "127.0.0.1"), Arg("port", port)});
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
    const auto composed = Compose();
    if (!composed || segments_.empty()) { return composed ? Segment::runAsync() : composed; }
    if (!entities_.empty()) {
      return detail::Refuse(GXF_INVALID_EXECUTION_SEQUENCE,
                            "an application has either entities or segments");
    }
    for (const SegmentPtr& segment : segments_) {
      if (!config_.isEnabled(segment->name())) { continue; }
      const auto started = segment->runAsync();
      if (!started) {
        (void)interrupt();
        (void)wait();
        return started;
      }
      running_.push_back(segment);
    }
    return Success;
  }
  /// Asks the run to end and returns; from any thread.
  Expected<void> interrupt() {
    if (segments_.empty()) { return Segment::interrupt(); }
    Expected<void> result;
    for (const SegmentPtr& segment : running_) { result &= segment->interrupt(); }
    return result;
  }
  /// Waits for the end and deactivates everything. Returns the first error.
  Expected<void> wait() {
    if (segments_.empty()) { return Segment::wait(); }
    Expected<void> result;
    for (const SegmentPtr& segment : std::exchange(running_, {})) { result &= segment->wait(); }
    return result;
  }

 private:
  Segment* Find(const std::string& name) {
    for (const SegmentPtr& segment : segments_) {
      if (name == segment->name()) { return segment.get(); }
    }
    return nullptr;
  }

  /// The port of the first link; each further one has the next.
  static constexpr uint32_t kFirstLink = 13337;

  ConfigParser config_;
  uint32_t link_count_ = 0;
  std::vector<SegmentPtr> segments_;
  std::vector<SegmentPtr> running_;
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
