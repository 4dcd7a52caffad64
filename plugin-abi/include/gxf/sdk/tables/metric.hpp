/// The host's way into metrics.
#ifndef GXF_SDK_TABLES_METRIC_HPP_
#define GXF_SDK_TABLES_METRIC_HPP_

#include "gxf/sdk/guard.hpp"
#include "gxf/std/metric.hpp"

namespace nvidia {
namespace gxf {
namespace sdk __attribute__((visibility("hidden"))) {

template <typename T>
struct MetricTable {
  static Metric& Self(void* object) { return BaseOf<Metric, T>(object); }
  static GxeResultCode Record(void* object, double sample) noexcept {
    return Guard(Self(object), "record", [&] { return ToResultCode(Self(object).record(sample)); });
  }
  static GxeResultCode AggregatedValue(void* object, double* value) noexcept {
    return Guard(Self(object), "getAggregatedValue", [&] {
      return ToResultCode(Self(object).getAggregatedValue().assign_to(*value));
    });
  }
  static GxeResultCode EvaluateSuccess(void* object, bool* success) noexcept {
    return Guard(Self(object), "evaluateSuccess", [&] {
      return ToResultCode(Self(object).evaluateSuccess().assign_to(*success));
    });
  }
  static GxeResultCode Reset(void* object) noexcept {
    return Guard(Self(object), "reset", [&] { return ToResultCode(Self(object).reset()); });
  }
  static constexpr GxeMetricVtable kTable = {sizeof(GxeMetricVtable), Record, AggregatedValue,
                                             EvaluateSuccess, Reset};
};

}  // namespace sdk
}  // namespace gxf
}  // namespace nvidia

#endif  // GXF_SDK_TABLES_METRIC_HPP_
