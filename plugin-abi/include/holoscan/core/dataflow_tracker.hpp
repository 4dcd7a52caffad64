/// The paths of messages and how long they take.
#ifndef HOLOSCAN_CORE_DATAFLOW_TRACKER_HPP_
#define HOLOSCAN_CORE_DATAFLOW_TRACKER_HPP_

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace holoscan {

/// The paths that a message took, with times.
class MessageLabel {
 public:
  /// An operator of a path, and the times in nanoseconds at which it received and sent.
  struct Step {
    std::string name;
    int64_t received = 0;
    /// -1 until it sends.
    int64_t sent = -1;
  };
  using Path = std::vector<Step>;

  MessageLabel() = default;
  explicit MessageLabel(std::vector<Path> paths) : paths_(std::move(paths)) {}

  const std::vector<Path>& paths() const { return paths_; }
  int num_paths() const { return static_cast<int>(paths_.size()); }
  /// Names of the operators of a path.
  std::string get_path_name(int index) const {
    std::string name;
    for (const Step& step : paths_.at(static_cast<size_t>(index))) {
      name += (name.empty() ? "" : ",") + step.name;
    }
    return name;
  }
  /// Time from the first operator of a path to the latest one in nanoseconds.
  int64_t get_e2e_latency(int index) const {
    const Path& path = paths_.at(static_cast<size_t>(index));
    return std::max(path.back().received, path.back().sent) - path.front().received;
  }
  double get_e2e_latency_ms(int index) const {
    return static_cast<double>(get_e2e_latency(index)) / 1e6;
  }
  /// The paths, one a line.
  std::string to_string() const {
    std::string text;
    for (const Path& path : paths_) {
      text += text.empty() ? "" : "\n";
      for (size_t i = 0; i < path.size(); i++) {
        text += (i == 0 ? "(" : "->(") + path[i].name + "," + std::to_string(path[i].received) +
                "," + std::to_string(path[i].sent) + ")";
      }
    }
    return text;
  }

 private:
  std::vector<Path> paths_;
};

/// What a tracker measures.
enum class DataFlowMetric {
  kMaxMessageID,
  kMinMessageID,
  kMaxE2ELatency,
  kAvgE2ELatency,
  kMinE2ELatency,
  kNumSrcMessages,
  kNumDstMessages,
};

namespace detail {

/// The payload that carries the paths of a message. Messages share it, so nobody changes it.
struct MessagePaths {
  std::shared_ptr<const MessageLabel> label;
};

}  // namespace detail

/// Measures how long messages take along each path, from operators without predecessors to those
/// without successors. `Fragment::track` makes it.
class DataFlowTracker {
 public:
  DataFlowTracker(uint64_t skip, uint64_t discard, int latency_threshold)
      : skip_(skip), discard_(discard), threshold_(latency_threshold) {}

  /// Leaves out this many messages of each path at the start, and at the end.
  void set_skip_starting_messages(uint64_t count) { skip_ = count; }
  void set_discard_last_messages(uint64_t count) { discard_ = count; }
  /// Leaves out messages that take less than so many milliseconds.
  void set_skip_latencies(int threshold) { threshold_ = threshold; }
  /// Writes the paths of all messages to a file, once the run has ended.
  void enable_logging(std::string filename = "logger.log", uint64_t num_buffered_messages = 100) {
    // Everything is kept until then.
    (void)num_buffered_messages;
    filename_ = std::move(filename);
  }
  /// Writes the file now.
  void end_logging() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (filename_.empty()) { return; }
    std::ofstream file(filename_);
    for (size_t i = 0; i < lines_.size(); i++) { file << i + 1 << ":\n" << lines_[i] << "\n"; }
    if (!file.flush()) { throw std::runtime_error("cannot write `" + filename_ + "`"); }
  }

  int get_num_paths() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<int>(latencies_.size());
  }
  /// The paths: names of operators with commas between them.
  std::vector<std::string> get_path_strings() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::string> paths;
    for (const auto& [path, all] : latencies_) { paths.push_back(path); }
    return paths;
  }
  /// A measurement of a path, latencies in milliseconds; 0 without messages.
  double get_metric(const std::string& path, DataFlowMetric metric) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::vector<int64_t> counted = Counted(path);
    if (metric == DataFlowMetric::kNumSrcMessages) {
      throw std::runtime_error("the number of source messages is not that of a path");
    }
    return counted.empty() ? 0.0 : Measured(counted, metric);
  }
  /// The messages that each output of an operator without predecessors sent.
  std::map<std::string, uint64_t> get_metric(
      DataFlowMetric metric = DataFlowMetric::kNumSrcMessages) const {
    if (metric != DataFlowMetric::kNumSrcMessages) {
      throw std::runtime_error("say of which path to measure this");
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    return sent_;
  }
  /// Prints the measurements.
  void print() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::cout << "Data Flow Tracking Results:\nTotal paths: " << latencies_.size() << "\n\n";
    size_t number = 0;
    for (const auto& [path, all] : latencies_) {
      const std::vector<int64_t> counted = Counted(path);
      std::cout << "Path " << ++number << ": " << path << "\nNumber of messages: " << counted.size()
                << "\n";
      if (!counted.empty()) {
        const auto show = [&](const char* what, DataFlowMetric metric) {
          std::cout << what << ": " << Measured(counted, metric) << "\n";
        };
        show("Min Latency Message No", DataFlowMetric::kMinMessageID);
        show("Min end-to-end Latency (ms)", DataFlowMetric::kMinE2ELatency);
        show("Avg end-to-end Latency (ms)", DataFlowMetric::kAvgE2ELatency);
        show("Max Latency Message No", DataFlowMetric::kMaxMessageID);
        show("Max end-to-end Latency (ms)", DataFlowMetric::kMaxE2ELatency);
      }
      std::cout << "\n";
    }
    std::cout << "Number of source messages [format: source operator->transmitter name: number of "
                 "messages]:\n";
    for (const auto& [output, count] : sent_) { std::cout << output << ": " << count << "\n"; }
    std::cout << std::endl;
  }

  /// An operator without predecessors has sent. Engine only.
  void Sent(const std::string& op, const std::string& output) {
    const std::lock_guard<std::mutex> lock(mutex_);
    sent_[op + "->" + output]++;
  }
  /// An operator without successors has executed with these messages. Engine only.
  void Arrived(const MessageLabel& label) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (int i = 0; i < label.num_paths(); i++) {
      const int64_t latency = label.get_e2e_latency(i);
      if (latency >= int64_t{threshold_} * 1'000'000) {
        latencies_[label.get_path_name(i)].push_back(latency);
      }
    }
    if (!filename_.empty() && label.num_paths() > 0) { lines_.push_back(label.to_string()); }
  }

 private:
  std::vector<int64_t> Counted(const std::string& path) const {
    const auto found = latencies_.find(path);
    if (found == latencies_.end()) { return {}; }
    const std::vector<int64_t>& all = found->second;
    const size_t begin = std::min<size_t>(skip_, all.size());
    const size_t end = all.size() - std::min<size_t>(discard_, all.size());
    return begin < end ? std::vector<int64_t>(all.data() + begin, all.data() + end)
                       : std::vector<int64_t>();
  }
  double Measured(const std::vector<int64_t>& counted, DataFlowMetric metric) const {
    const auto least = std::min_element(counted.begin(), counted.end());
    const auto most = std::max_element(counted.begin(), counted.end());
    const auto number = [&](auto place) {
      return static_cast<double>(place - counted.begin() + 1) + static_cast<double>(skip_);
    };
    switch (metric) {
      case DataFlowMetric::kMaxMessageID:
        return number(most);
      case DataFlowMetric::kMinMessageID:
        return number(least);
      case DataFlowMetric::kMaxE2ELatency:
        return static_cast<double>(*most) / 1e6;
      case DataFlowMetric::kMinE2ELatency:
        return static_cast<double>(*least) / 1e6;
      case DataFlowMetric::kAvgE2ELatency:
        return std::accumulate(counted.begin(), counted.end(), 0.0) /
               static_cast<double>(counted.size()) / 1e6;
      default:
        return static_cast<double>(counted.size());
    }
  }

  mutable std::mutex mutex_;
  uint64_t skip_;
  uint64_t discard_;
  int threshold_;
  std::string filename_;
  std::map<std::string, std::vector<int64_t>> latencies_;
  std::map<std::string, uint64_t> sent_;
  std::vector<std::string> lines_;
};

}  // namespace holoscan

#endif  // HOLOSCAN_CORE_DATAFLOW_TRACKER_HPP_
