/// The queues behind the ports of an operator.
#ifndef HOLOSCAN_CORE_GXF_OPERATOR_QUEUES_HPP_
#define HOLOSCAN_CORE_GXF_OPERATOR_QUEUES_HPP_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gxf/cuda/cuda_stream_id.hpp"
#include "gxf/cuda/cuda_stream_pool.hpp"
#include "gxf/std/clock.hpp"
#include "gxf/std/receiver.hpp"
#include "gxf/std/timestamp.hpp"
#include "gxf/std/transmitter.hpp"
#include "holoscan/core/dataflow_tracker.hpp"
#include "holoscan/core/expected.hpp"
#include "holoscan/core/metadata.hpp"

namespace holoscan {
namespace gxf {

/// An input: its queues, and what the current execution received there.
struct InputQueues {
  std::vector<nvidia::gxf::Handle<nvidia::gxf::Receiver>> receivers;
  /// Whether each sender has a queue.
  bool is_multiple = false;
  /// Messages that one execution takes from a queue.
  size_t size = 1;
  /// Streams of the messages, by component id; `kNullUid` for a message without one.
  std::vector<gxf_uid_t> streams;
  /// Acquisition times of the messages.
  std::vector<std::optional<int64_t>> times;
  /// The paths of the messages.
  std::vector<MessageLabel::Path> paths;
  /// Those of the latest message.
  std::shared_ptr<const MessageLabel> latest;
};

/// What the calls of an operator work with.
class OperatorQueues {
 public:
  gxf_context_t context = nullptr;
  /// The operator's entity.
  gxf_uid_t eid = kNullUid;
  /// Name of the operator, for errors.
  std::string name;
  std::map<std::string, InputQueues> inputs;
  /// Outputs that lead somewhere; one queue for all flows, and one for each link to another fragment.
  std::map<std::string, std::vector<nvidia::gxf::Handle<nvidia::gxf::Transmitter>>> transmitters;
  /// Names of all outputs.
  std::vector<std::string> outputs;
  /// Where streams are taken from, if there is one.
  nvidia::gxf::Handle<nvidia::gxf::CudaStreamPool> stream_pool =
      nvidia::gxf::Handle<nvidia::gxf::CudaStreamPool>::Null();

  /// What came with the messages of the execution, and goes with those that it sends; the operator's.
  std::shared_ptr<MetadataDictionary> metadata;
  bool is_metadata_enabled = true;
  /// Null if nothing is tracked.
  std::shared_ptr<DataFlowTracker> tracker;
  nvidia::gxf::Handle<nvidia::gxf::Clock> clock = nvidia::gxf::Handle<nvidia::gxf::Clock>::Null();
  /// Whether no flow leads to the operator, or from it.
  bool is_first = false;
  bool is_last = false;
  /// The input of flows without data, and the messages that one execution takes from it.
  InputQueues order;
  /// The output of flows without data, if there is one.
  nvidia::gxf::Handle<nvidia::gxf::Transmitter> order_output =
      nvidia::gxf::Handle<nvidia::gxf::Transmitter>::Null();
  /// Whether the operator chooses its flows at each execution; then by flow.
  bool is_dynamic = false;
  std::map<const void*, nvidia::gxf::Handle<nvidia::gxf::Transmitter>> edges;

  /// The paths of the messages that this execution received at an input.
  MessageLabel LabelOf(const char* port) { return MessageLabel(Input(port).paths); }
  /// Forgets what the execution before received.
  void BeginExecution(int64_t now) {
    now_ = now;
    pending_.clear();
    metadata->clear();
    for (auto& [port, input] : inputs) { Forget(input); }
    Forget(order);
    chosen_ = kNullUid;
    outputs_chosen_.clear();
    for (const auto& receiver : order.receivers) {
      for (size_t i = 0; i < order.size; i++) { (void)Take(order, receiver); }
    }
  }
  /// The execution has succeeded.
  void EndExecution() {
    if (tracker != nullptr && is_last) { tracker->Arrived(MessageLabel(Paths())); }
  }
  /// Whether an output leads somewhere.
  bool Leads(const std::string& output) const {
    return is_dynamic ? !edges.empty() : transmitters.count(output) != 0;
  }
  /// Sends a message of an output, or keeps it until the flows are chosen.
  void Emit(const std::string& output, nvidia::gxf::Entity& message, int64_t acq_timestamp) {
    if (is_dynamic) {
      pending_.push_back({output, message, acq_timestamp});
    } else {
      for (const auto& queue : transmitters.at(output)) {
        Publish(queue, output, message, acq_timestamp);
      }
      if (tracker != nullptr && is_first) { tracker->Sent(name, output); }
    }
  }
  /// Sends what waits for a flow, or a message without data.
  void EmitAlong(const void* flow, const std::string& output, bool is_order) {
    const auto edge = edges.find(flow);
    if (edge == edges.end()) {
      throw std::runtime_error("a flow that operator `" + name + "` chose is not one of its flows");
    }
    if (is_order) { return EmitOrder(edge->second); }
    for (Pending& pending : pending_) {
      if (pending.output != output) { continue; }
      Publish(edge->second, output, pending.message, pending.acq_timestamp);
      if (tracker != nullptr && is_first) { tracker->Sent(name, output); }
    }
  }
  /// Lets those run that wait for this operator.
  void EmitOrder(const nvidia::gxf::Handle<nvidia::gxf::Transmitter>& queue) {
    nvidia::gxf::Entity message = New("");
    Publish(queue, "", message, -1);
  }
  /// A new message for an output.
  nvidia::gxf::Entity New(const std::string& output) const {
    auto message = nvidia::gxf::Entity::New(context);
    if (!message) { Refuse(output, message.error()); }
    return std::move(message.value());
  }
  [[noreturn]] void Refuse(const std::string& output, gxf_result_t code) const {
    throw std::runtime_error("output `" + output + "` of operator `" + name +
                             "` cannot send: " + GxfResultStr(code));
  }
  /// An input by its name; the only one without a name.
  InputQueues& Input(const char* port) {
    if ((port == nullptr || *port == '\0') && inputs.size() == 1) { return inputs.begin()->second; }
    const auto found = inputs.find(port == nullptr ? "" : port);
    if (found != inputs.end()) { return found->second; }
    std::string names;
    for (const auto& [known, input] : inputs) { names += (names.empty() ? "" : ", ") + known; }
    throw NoPort("input", port, names);
  }
  /// The name of an output; that of the only one without a name.
  const std::string& Output(const char* port) {
    if ((port == nullptr || *port == '\0') && outputs.size() == 1) { return outputs[0]; }
    std::string names;
    for (const std::string& known : outputs) {
      if (port != nullptr && known == port) { return known; }
      names += (names.empty() ? "" : ", ") + known;
    }
    throw NoPort("output", port, names);
  }
  /// Takes a message and notes its time and stream; none if the queue is empty.
  std::optional<nvidia::gxf::Entity> Take(
      InputQueues& input, const nvidia::gxf::Handle<nvidia::gxf::Receiver>& receiver) {
    if (receiver->size() == 0) { return std::nullopt; }
    auto message = receiver->receive();
    if (!message) { return std::nullopt; }
    const auto time = message->get<nvidia::gxf::Timestamp>("timestamp");
    input.times.push_back(time ? std::optional<int64_t>(time.value()->acqtime) : std::nullopt);
    const auto stream = message->get<nvidia::gxf::CudaStreamId>();
    input.streams.push_back(stream ? stream.value()->stream_cid : kNullUid);
    Note(input, *message);
    return std::move(message.value());
  }

  /// The stream for work on the messages of an input: theirs, which waits for all of them, or one
  /// of the pool.
  cudaStream_t StreamOf(InputQueues& input, bool allocate) {
    gxf_uid_t first = kNullUid;
    for (const gxf_uid_t cid : input.streams) {
      if (cid == kNullUid || cid == first) { continue; }
      if (first == kNullUid) {
        first = cid;
      } else if (const auto other = Stream(cid)) {
        // The data of this message must be complete when work on the first stream begins.
        other.value()->syncStream().log_error("a stream cannot be awaited");
      }
    }
    if (first != kNullUid) {
      chosen_ = first;
      return RawOf(first);
    }
    return allocate ? Allocate("") : nullptr;
  }
  /// A stream of the pool, the same one for the same name; the default stream without a pool.
  cudaStream_t Allocate(const std::string& stream_name) {
    if (stream_pool.is_null()) { return nullptr; }
    auto [known, is_new] = allocated_.emplace(stream_name, kNullUid);
    if (is_new) {
      const auto stream = stream_pool->allocateStream();
      if (!stream) {
        allocated_.erase(known);
        throw std::runtime_error("operator `" + name + "`: the pool has no stream: " +
                                 GxfResultStr(stream.error()));
      }
      known->second = stream.value().cid();
    }
    chosen_ = known->second;
    return RawOf(known->second);
  }
  /// Names the stream of an output's messages.
  void Choose(cudaStream_t stream, const std::string& output) {
    for (const auto& [raw, cid] : raw_) {
      if (raw == stream) {
        outputs_chosen_[output] = cid;
        return;
      }
    }
    throw std::runtime_error("operator `" + name + "`: the stream for output `" + output +
                             "` was neither received nor allocated here");
  }
  /// The stream that a message of an output names; `kNullUid` for none.
  gxf_uid_t StreamOfOutput(const std::string& output) const {
    const auto found = outputs_chosen_.find(output);
    return found == outputs_chosen_.end() ? chosen_ : found->second;
  }
  /// The stream behind an id.
  cudaStream_t RawOf(gxf_uid_t cid) {
    const auto stream = Stream(cid);
    const nvidia::gxf::Expected<cudaStream_t> raw =
        stream ? stream.value()->stream() : nvidia::gxf::ForwardError(stream);
    if (!raw) { throw std::runtime_error("operator `" + name + "`: the stream of a message is gone"); }
    raw_[raw.value()] = cid;
    return raw.value();
  }
  /// Number of the device of a stream that was received or allocated here.
  std::optional<int> DeviceOf(cudaStream_t stream) {
    const auto known = raw_.find(stream);
    if (known == raw_.end()) { return std::nullopt; }
    const auto found = Stream(known->second);
    return found ? std::optional<int>(found.value()->dev_id()) : std::nullopt;
  }

 private:
  /// A message that waits until the flows are chosen.
  struct Pending {
    std::string output;
    nvidia::gxf::Entity message;
    int64_t acq_timestamp;
  };

  static void Forget(InputQueues& input) {
    input.streams.clear();
    input.times.clear();
    input.paths.clear();
  }
  /// Metadata and paths of a message that came.
  void Note(InputQueues& input, const nvidia::gxf::Entity& message) {
    if (is_metadata_enabled) {
      const auto carried = message.get<holoscan::detail::MessageMetadata>();
      if (carried) { metadata->merge(*carried.value()->values); }
    }
    if (tracker == nullptr) { return; }
    const auto carried = message.get<holoscan::detail::MessagePaths>();
    if (!carried) { return; }
    const auto& label = carried.value()->label;
    // An asynchronous buffer hands out its message until there is another.
    const bool is_old = input.latest == label;
    input.latest = label;
    for (MessageLabel::Path path : label->paths()) {
      if (is_old) { path.back().name += "_old"; }
      path.push_back({name, clock->timestamp(), -1});
      input.paths.push_back(std::move(path));
    }
  }
  /// The paths of all messages of the execution.
  std::vector<MessageLabel::Path> Paths() const {
    std::vector<MessageLabel::Path> all = order.paths;
    for (const auto& [port, input] : inputs) {
      all.insert(all.end(), input.paths.begin(), input.paths.end());
    }
    return all;
  }
  /// The paths of what the execution sends, each once.
  std::shared_ptr<const MessageLabel> SentPaths() const {
    const int64_t now = clock->timestamp();
    std::map<std::string, MessageLabel::Path> distinct;
    for (MessageLabel::Path& path : Paths()) {
      std::string names;
      for (const auto& step : path) { names += step.name + ","; }
      path.back().sent = now;
      distinct[names] = std::move(path);
    }
    std::vector<MessageLabel::Path> all;
    for (auto& [names, path] : distinct) { all.push_back(std::move(path)); }
    if (all.empty()) { all.push_back({{name, now_, now}}); }
    return std::make_shared<const MessageLabel>(std::move(all));
  }
  template <typename T>
  void Attach(const std::string& output, nvidia::gxf::Entity& message, const char* key, T value) {
    // A message that is passed on keeps its own.
    if (message.get<T>()) { return; }
    const auto added = message.add<T>(key);
    if (!added) { Refuse(output, added.error()); }
    *added.value() = std::move(value);
  }
  void Publish(const nvidia::gxf::Handle<nvidia::gxf::Transmitter>& queue,
               const std::string& output, nvidia::gxf::Entity& message, int64_t acq_timestamp) {
    const gxf_uid_t stream = StreamOfOutput(output);
    if (stream != kNullUid) {
      nvidia::gxf::CudaStreamId id;
      id.stream_cid = stream;
      Attach(output, message, "cuda_stream_id_", id);
    }
    if (is_metadata_enabled && !metadata->empty()) {
      Attach(output, message, "holoscan_metadata",
             holoscan::detail::MessageMetadata{std::make_shared<const MetadataDictionary>(*metadata)});
    }
    if (tracker != nullptr) {
      Attach(output, message, "holoscan_label", holoscan::detail::MessagePaths{SentPaths()});
    }
    const auto sent =
        acq_timestamp < 0 ? queue->publish(message) : queue->publish(message, acq_timestamp);
    if (!sent) { Refuse(output, sent.error()); }
  }
  std::runtime_error NoPort(const char* what, const char* port, const std::string& names) const {
    return std::runtime_error("the operator `" + name + "` has no " + what + " `" +
                              (port == nullptr ? "" : port) + "`; its " + what + "s: " +
                              (names.empty() ? "none" : names));
  }
  nvidia::gxf::Expected<nvidia::gxf::Handle<nvidia::gxf::CudaStream>> Stream(gxf_uid_t cid) const {
    return nvidia::gxf::Handle<nvidia::gxf::CudaStream>::Create(context, cid);
  }

  /// The time of the execution.
  int64_t now_ = 0;
  std::vector<Pending> pending_;
  /// The stream of this execution's work.
  gxf_uid_t chosen_ = kNullUid;
  std::map<std::string, gxf_uid_t> outputs_chosen_;
  std::map<std::string, gxf_uid_t> allocated_;
  std::map<cudaStream_t, gxf_uid_t> raw_;
};

}  // namespace gxf
}  // namespace holoscan

#endif  // HOLOSCAN_CORE_GXF_OPERATOR_QUEUES_HPP_
