/// Proxies for the host's metrics.
#ifndef GXF_SDK_PROXIES_METRIC_HPP_
#define GXF_SDK_PROXIES_METRIC_HPP_

#include "gxf/sdk/proxies/proxy.hpp"
#include "gxf/std/metric.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

class MetricProxy : public Metric {
 public:
  Expected<void> Connect() { return metric_.Connect(context(), cid(), GXE_TID_METRIC); }
  Expected<void> record(double sample) override {
    return ExpectedOrCode(ToGxf(metric_.table().record(metric_.object(), sample)));
  }
  Expected<bool> evaluateSuccess() override {
    bool success = false;
    const GxeResultCode code = metric_.table().evaluate_success(metric_.object(), &success);
    return ExpectedOrCode(ToGxf(code), success);
  }
  Expected<double> getAggregatedValue() override {
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
    return ExpectedOrCode(ToGxf(metric_.table().reset(metric_.object())));
  }

 private:
  Link<GxeMetricVtable> metric_;
};
template <>
struct Proxy<Metric> : ProxyOf<MetricProxy> {};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_PROXIES_METRIC_HPP_
