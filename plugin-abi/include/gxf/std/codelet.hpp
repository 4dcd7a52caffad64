/// The base of components that work.
#ifndef NVIDIA_GXF_STD_CODELET_HPP_
#define NVIDIA_GXF_STD_CODELET_HPP_

#include <cstdint>

#include "gxf/core/component.hpp"

namespace nvidia {
namespace gxf {

/// A component that does work: `start` when the entity begins to run, `tick` each time it can run,
/// `stop` at the end.
namespace detail {
struct CodeletAccess;
}  // namespace detail

class Codelet : public Component {
 public:
  ~Codelet() override = default;

  /// Acquires what the ticks need.
  virtual gxf_result_t start() { return GXF_SUCCESS; }
  /// Works once.
  virtual gxf_result_t tick() = 0;
  /// Releases what `start` acquired.
  virtual gxf_result_t stop() { return GXF_SUCCESS; }

  /// Time of this execution, in nanoseconds of the scheduler's clock.
  int64_t getExecutionTimestamp() const { return timestamp_; }
  /// Time of this execution, in seconds.
  double getExecutionTime() const { return static_cast<double>(timestamp_) / 1e9; }
  /// Seconds since the execution before; 0 at the first.
  double getDeltaTime() const {
    return static_cast<double>(timestamp_ - previous_timestamp_) / 1e9;
  }
  /// Number of this tick, from 1.
  int64_t getExecutionCount() const { return count_; }
  bool isFirstTick() const { return count_ == 1; }

 private:
  friend struct detail::CodeletAccess;

  int64_t timestamp_ = 0;
  int64_t previous_timestamp_ = 0;
  int64_t count_ = 0;
};

namespace detail {

struct CodeletAccess {
  static void SetTime(Codelet& codelet, int64_t timestamp, int64_t previous, int64_t count) {
    codelet.timestamp_ = timestamp;
    codelet.previous_timestamp_ = previous;
    codelet.count_ = count;
  }
};

}  // namespace detail

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/codelet.hpp"

#endif  // NVIDIA_GXF_STD_CODELET_HPP_
