/// Proxies for the host's metrics.
#ifndef GXF_SDK_PROXIES_METRIC_HPP_
#define GXF_SDK_PROXIES_METRIC_HPP_

#include <string>
#include <utility>

#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/std/metric.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

/// Aggregates by itself from `set…AggregationFunction` on, because the host cannot call the function;
/// then it hands the host each new aggregate, under the policy `fixed`.
class MetricProxy : public Metric {
 public:
  Expected<void> Connect() { return metric_.Connect(context(), cid(), GXE_TID_METRIC); }
  Expected<void> setAggregationFunction(aggregation_function_t function) override {
    const auto set =
        ParameterStorage(context()).set<std::string>(cid(), "aggregation_policy", "fixed");
    if (!set) { return set; }
    is_own_ = true;
    return Metric::setAggregationFunction(std::move(function));
  }
  Expected<void> record(double sample) override {
    if (is_own_) {
      const auto recorded = Metric::record(sample);
      if (!recorded) { return recorded; }
      sample = Metric::getAggregatedValue().value();
    }
    return ExpectedOrCode(ToGxf(metric_.table().record(metric_.object(), sample)));
  }
  Expected<bool> evaluateSuccess() override {
    if (is_own_) {
      const auto value = Metric::getAggregatedValue();
      if (!value) { return ForwardError(value); }
      const auto lower = getLowerThreshold();
      const auto upper = getUpperThreshold();
      return (!lower || value.value() >= lower.value()) &&
             (!upper || value.value() <= upper.value());
    }
    bool success = false;
    const GxeResultCode code = metric_.table().evaluate_success(metric_.object(), &success);
    return ExpectedOrCode(ToGxf(code), success);
  }
  Expected<double> getAggregatedValue() override {
    if (is_own_) { return Metric::getAggregatedValue(); }
    double value = 0.0;
    const GxeResultCode code = metric_.table().aggregated_value(metric_.object(), &value);
    return ExpectedOrCode(ToGxf(code), value);
  }
  Expected<double> getLowerThreshold() override {
    return RemoteParameter<double>(*this, "lower_threshold");
  }
  Expected<double> getUpperThreshold() override {
    return RemoteParameter<double>(*this, "upper_threshold");
  }
  Expected<void> reset() override {
    const auto reset = Metric::reset();
    if (!reset) { return reset; }
    return ExpectedOrCode(ToGxf(metric_.table().reset(metric_.object())));
  }

 private:
  Link<GxeMetricVtable> metric_;
  bool is_own_ = false;
};
template <>
struct Proxy<Metric> : ProxyOf<MetricProxy> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_METRIC_HPP_
