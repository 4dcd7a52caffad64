/// A measured number with limits.
#ifndef NVIDIA_GXF_STD_METRIC_HPP_
#define NVIDIA_GXF_STD_METRIC_HPP_

#include <functional>
#include <cmath>
#include <algorithm>

#include "gxf/core/component.hpp"
#include "gxf/core/parameter.hpp"
#include "gxf/core/registrar.hpp"

namespace nvidia {
namespace gxf {

/// Adds samples up and compares the result with limits.
class Metric : public Component {
 public:
  /// The aggregate after another sample.
  using aggregation_function_t = std::function<double(double)>;

  gxf_result_t registerInterface(Registrar* registrar) override {
    Expected<void> result;
    result &= registrar->parameter(aggregation_policy_, "aggregation_policy", "Aggregation Policy",
                                   "mean, root_mean_square, abs_max, max, min, sum or fixed.",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(lower_threshold_, "lower_threshold", "Lower threshold",
                                   "Smallest value that is a success.",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    result &= registrar->parameter(upper_threshold_, "upper_threshold", "Upper threshold",
                                   "Largest value that is a success.",
                                   Registrar::NoDefaultParameter(), GXF_PARAMETER_FLAGS_OPTIONAL);
    return ToResultCode(result);
  }
  gxf_result_t initialize() override {
    const auto result = reset();
    if (!result) { return result.error(); }
    const auto& policy = aggregation_policy_.try_get();
    if (!policy) { return GXF_SUCCESS; }
    if (policy.value() == "mean") { return ToResultCode(setMeanAggregationFunction()); }
    if (policy.value() == "root_mean_square") {
      return ToResultCode(setRootMeanSquareAggregationFunction());
    }
    if (policy.value() == "abs_max") { return ToResultCode(setAbsMaxAggregationFunction()); }
    if (policy.value() == "max") { return ToResultCode(setMaxAggregationFunction()); }
    if (policy.value() == "min") { return ToResultCode(setMinAggregationFunction()); }
    if (policy.value() == "sum") { return ToResultCode(setSumAggregationFunction()); }
    if (policy.value() == "fixed") { return ToResultCode(setFixedAggregationFunction()); }
    GXF_LOG_ERROR("there is no aggregation policy `%s`", policy.value().c_str());
    return GXF_PARAMETER_OUT_OF_RANGE;
  }
  gxf_result_t deinitialize() override { return GXF_SUCCESS; }

  /// Adds a sample.
  virtual Expected<void> record(double sample) {
    if (!function_) { return Unexpected{GXF_UNINITIALIZED_VALUE}; }
    count_++;
    value_ = function_(sample);
    return Success;
  }
  virtual Expected<void> setAggregationFunction(aggregation_function_t function) {
    function_ = std::move(function);
    return Success;
  }
  /// Whether the value is within the limits; `GXF_UNINITIALIZED_VALUE` before the first sample.
  virtual Expected<bool> evaluateSuccess() {
    if (!value_) { return Unexpected{GXF_UNINITIALIZED_VALUE}; }
    const auto& lower = lower_threshold_.try_get();
    const auto& upper = upper_threshold_.try_get();
    return (!lower || value_.value() >= lower.value()) &&
           (!upper || value_.value() <= upper.value());
  }
  virtual Expected<double> getAggregatedValue() { return value_; }
  virtual Expected<double> getLowerThreshold() { return lower_threshold_.try_get(); }
  virtual Expected<double> getUpperThreshold() { return upper_threshold_.try_get(); }
  Expected<void> setMeanAggregationFunction() {
    return setAggregationFunction([this](double sample) {
      const double before = value_.value_or(0.0);
      return before + (sample - before) / static_cast<double>(count_);
    });
  }
  Expected<void> setRootMeanSquareAggregationFunction() {
    return setAggregationFunction([this](double sample) {
      sum_of_squares_ += sample * sample;
      return std::sqrt(sum_of_squares_ / static_cast<double>(count_));
    });
  }
  Expected<void> setAbsMaxAggregationFunction() {
    return setAggregationFunction(
        [this](double sample) { return std::max(value_.value_or(0.0), std::abs(sample)); });
  }
  Expected<void> setMaxAggregationFunction() {
    return setAggregationFunction(
        [this](double sample) { return std::max(value_.value_or(sample), sample); });
  }
  Expected<void> setMinAggregationFunction() {
    return setAggregationFunction(
        [this](double sample) { return std::min(value_.value_or(sample), sample); });
  }
  Expected<void> setSumAggregationFunction() {
    return setAggregationFunction(
        [this](double sample) { return value_.value_or(0.0) + sample; });
  }
  Expected<void> setFixedAggregationFunction() {
    return setAggregationFunction([](double sample) { return sample; });
  }
  /// Forgets all samples.
  virtual Expected<void> reset() {
    count_ = 0;
    sum_of_squares_ = 0.0;
    value_ = Unexpected{GXF_UNINITIALIZED_VALUE};
    return Success;
  }

 private:
  Parameter<std::string> aggregation_policy_;
  Parameter<double> lower_threshold_;
  Parameter<double> upper_threshold_;
  aggregation_function_t function_;
  int64_t count_ = 0;
  double sum_of_squares_ = 0.0;
  Expected<double> value_ = Unexpected{GXF_UNINITIALIZED_VALUE};
};

}  // namespace gxf
}  // namespace nvidia

#include "gxf/sdk/proxies/metric.hpp"
#include "gxf/sdk/tables/metric.hpp"

#endif  // NVIDIA_GXF_STD_METRIC_HPP_
