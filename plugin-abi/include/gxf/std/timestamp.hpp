/// When the data of a message was made and sent.
#ifndef NVIDIA_GXF_STD_TIMESTAMP_HPP_
#define NVIDIA_GXF_STD_TIMESTAMP_HPP_

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

#include "common/fixed_vector.hpp"
#include "gxf/core/expected.hpp"
#include "gxf/plugin_abi.h"

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

}  // namespace gxf

/// Times of one moment. Messages carry it, so that it has the layout every language of extensions
/// sees: no virtual functions, and therefore not the base of other vectors.
template <>
class FixedVector<std::pair<gxf::Timestamp, gxf::TimeDomainID>, gxf::MAX_TIME_DOMAINS>
    : public detail::FixedVectorOperations<
          FixedVector<std::pair<gxf::Timestamp, gxf::TimeDomainID>, gxf::MAX_TIME_DOMAINS>,
          std::pair<gxf::Timestamp, gxf::TimeDomainID>> {
 public:
  using Element = std::pair<gxf::Timestamp, gxf::TimeDomainID>;

  FixedVector() { std::memset(static_cast<void*>(entries_), 0, sizeof(entries_)); }
  FixedVector(const FixedVector&) = default;
  FixedVector& operator=(const FixedVector& other) {
    count_ = other.count_;
    std::copy(std::begin(other.entries_), std::end(other.entries_), std::begin(entries_));
    return *this;
  }

  Element* data() { return entries_; }
  const Element* data() const { return entries_; }
  size_t capacity() const { return static_cast<size_t>(gxf::MAX_TIME_DOMAINS); }
  /// Never above the capacity, whatever the message contains.
  size_t size() const { return count_ < capacity() ? static_cast<size_t>(count_) : capacity(); }

 private:
  friend class detail::FixedVectorOperations<FixedVector, Element>;
  void SetSize(size_t size) { count_ = size; }

  // The members of GxeMultiSourceTimestamp in its order.
  uint64_t count_ = 0;
  union {
    Element entries_[gxf::MAX_TIME_DOMAINS];
  };
};

namespace gxf {

/// The same moment in several time domains.
using MultiSourceTimestamp = FixedVector<std::pair<Timestamp, TimeDomainID>, MAX_TIME_DOMAINS>;

static_assert(sizeof(MultiSourceTimestamp) == sizeof(GxeMultiSourceTimestamp) &&
                  alignof(MultiSourceTimestamp) == alignof(GxeMultiSourceTimestamp) &&
                  sizeof(MultiSourceTimestamp::Element) == sizeof(GxeSourceTimestamp),
              "messages share this layout");

/// The time in one domain; `GXF_FAILURE` if it is missing.
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
