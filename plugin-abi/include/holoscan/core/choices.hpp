/// Choices that app files spell as words.
#ifndef HOLOSCAN_CORE_CHOICES_HPP_
#define HOLOSCAN_CORE_CHOICES_HPP_

#include <cstddef>
#include <iterator>
#include <string>

#include "gxf/sdk/yaml.hpp"

namespace holoscan {

/// How the messages of several inputs count.
enum class SamplingMode {
  /// All together.
  kSumOfAll = 0,
  /// Each input by itself.
  kPerReceiver = 1,
  SumOfAll = kSumOfAll,
  PerReceiver = kPerReceiver,
};

/// What follows an execution that was late.
enum class PeriodicConditionPolicy {
  kCatchUpMissedTicks,
  kMinTimeBetweenTicks,
  kNoCatchUpMissedTicks,
};

namespace detail {

inline constexpr const char* kSamplingModes[] = {"SumOfAll", "PerReceiver"};
inline constexpr const char* kPeriodicPolicies[] = {"CatchUpMissedTicks", "MinTimeBetweenTicks",
                                                    "NoCatchUpMissedTicks"};

/// A choice as its word.
template <typename T, const auto& kWords>
struct ConvertChoice {
  static YAML::Node encode(const T& value) {
    return YAML::Node(std::string(kWords[static_cast<size_t>(value)]));
  }
  static bool decode(const YAML::Node& node, T& value) {
    for (size_t i = 0; i < std::size(kWords); i++) {
      if (node.IsScalar() && node.Scalar() == kWords[i]) {
        value = static_cast<T>(i);
        return true;
      }
    }
    return false;
  }
};

}  // namespace detail

}  // namespace holoscan

namespace YAML {

template <>
struct convert<holoscan::SamplingMode>
    : holoscan::detail::ConvertChoice<holoscan::SamplingMode, holoscan::detail::kSamplingModes> {};
template <>
struct convert<holoscan::PeriodicConditionPolicy>
    : holoscan::detail::ConvertChoice<holoscan::PeriodicConditionPolicy,
                                      holoscan::detail::kPeriodicPolicies> {};

}  // namespace YAML

#endif  // HOLOSCAN_CORE_CHOICES_HPP_
