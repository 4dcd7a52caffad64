/// When the data of a message was made and sent.
#ifndef NVIDIA_GXF_STD_TIMESTAMP_HPP_
#define NVIDIA_GXF_STD_TIMESTAMP_HPP_

#include <sys/types.h>

#include <cstdint>
#include <utility>

#include "common/fixed_vector.hpp"
#include "gxf/core/expected.hpp"

namespace nvidia {
namespace gxf {

/// Times in nanoseconds of the graph's clock.
struct Timestamp {
  /// When the message was sent; set by the graph when 0.
  int64_t pubtime;
  /// When the data was acquired, for example the exposure of an image.
  int64_t acqtime;
};

/// Whose clock a time was taken from.
enum class TimeDomainID : uint8_t { TSC = 0, NTP = 1, PTP = 2, TIME_DOMAIN_COUNT = 3 };

static constexpr ssize_t MAX_TIME_DOMAINS = static_cast<ssize_t>(TimeDomainID::TIME_DOMAIN_COUNT);

/// The same moment in several time domains.
using MultiSourceTimestamp = FixedVector<std::pair<Timestamp, TimeDomainID>, MAX_TIME_DOMAINS>;

/// The time in one domain; `GXF_FAILURE` when it is not there.
inline Expected<Timestamp> getTimestamp(MultiSourceTimestamp const& timestamps,
                                        TimeDomainID const& domain) {
  for (size_t i = 0; i < timestamps.size(); i++) {
    const auto& entry = timestamps.data()[i];
    if (entry.second == domain) { return entry.first; }
  }
  return Unexpected{GXF_FAILURE};
}

}  // namespace gxf
}  // namespace nvidia

#endif  // NVIDIA_GXF_STD_TIMESTAMP_HPP_
