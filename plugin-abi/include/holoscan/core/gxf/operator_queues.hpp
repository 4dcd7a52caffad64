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
#include "gxf/std/receiver.hpp"
#include "gxf/std/timestamp.hpp"
#include "gxf/std/transmitter.hpp"
#include "holoscan/core/expected.hpp"

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
};

/// What the calls of an operator work with.
class OperatorQueues {
 public:
  gxf_context_t context = nullptr;
  /// Name of the operator, for errors.
  std::string name;
  std::map<std::string, InputQueues> inputs;
  /// Outputs that lead somewhere.
  std::map<std::string, nvidia::gxf::Handle<nvidia::gxf::Transmitter>> transmitters;
  /// Names of all outputs.
  std::vector<std::string> outputs;
  /// Where streams are taken from, if there is one.
  nvidia::gxf::Handle<nvidia::gxf::CudaStreamPool> stream_pool =
      nvidia::gxf::Handle<nvidia::gxf::CudaStreamPool>::Null();

  /// Forgets what the execution before received.
  void BeginExecution() {
    for (auto& [port, input] : inputs) {
      input.streams.clear();
      input.times.clear();
    }
    chosen_ = kNullUid;
    outputs_chosen_.clear();
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
  std::runtime_error NoPort(const char* what, const char* port, const std::string& names) const {
    return std::runtime_error("the operator `" + name + "` has no " + what + " `" +
                              (port == nullptr ? "" : port) + "`; its " + what + "s: " +
                              (names.empty() ? "none" : names));
  }
  nvidia::gxf::Expected<nvidia::gxf::Handle<nvidia::gxf::CudaStream>> Stream(gxf_uid_t cid) const {
    return nvidia::gxf::Handle<nvidia::gxf::CudaStream>::Create(context, cid);
  }

  /// The stream of this execution's work.
  gxf_uid_t chosen_ = kNullUid;
  std::map<std::string, gxf_uid_t> outputs_chosen_;
  std::map<std::string, gxf_uid_t> allocated_;
  std::map<cudaStream_t, gxf_uid_t> raw_;
};

}  // namespace gxf
}  // namespace holoscan

#endif  // HOLOSCAN_CORE_GXF_OPERATOR_QUEUES_HPP_
