//! `TestMetricLogger`: known samples for metrics, and a check of what they add up to.

use gxf::prelude::*;
use gxf::{Metric, NewValue};

/// Records the number of the tick, from 0, in metrics of every aggregation policy. After 100 ticks,
/// fails at stop when an aggregated value is wrong, or when `sample_metric_fail_threshold` lies
/// within its thresholds.
#[derive(Component, Default)]
pub struct TestMetricLogger {
    /// A metric with the policy `mean`, set in the file.
    sample_metric_parameter: Parameter<Handle<Metric>>,
    /// A metric that gets the policy `mean`.
    sample_metric_mean: Parameter<Handle<Metric>>,
    /// A metric that gets the policy `root_mean_square`.
    sample_metric_rms: Parameter<Handle<Metric>>,
    /// A metric that gets the policy `abs_max`; its samples are negative.
    sample_metric_abs_max: Parameter<Handle<Metric>>,
    /// A metric that gets the policy `max`.
    sample_metric_max: Parameter<Handle<Metric>>,
    /// A metric that gets the policy `min`.
    sample_metric_min: Parameter<Handle<Metric>>,
    /// A metric that gets the policy `sum`.
    sample_metric_sum: Parameter<Handle<Metric>>,
    /// A metric that gets the policy `fixed`.
    sample_metric_fixed: Parameter<Handle<Metric>>,
    /// A metric with the policy `sum` and a threshold that the sum misses, both set in the file.
    sample_metric_fail_threshold: Parameter<Handle<Metric>>,
    ticks: u32,
}

/// One of the metrics.
struct Sample<'a> {
    parameter: &'static str,
    metric: &'a Handle<Metric>,
    /// The policy it gets at start.
    policy: Option<&'static str>,
    /// The aggregated value of the samples 0 to 99.
    expected: f64,
}

/// Largest difference between an aggregated value and the expected one.
const TOLERANCE: f64 = 1e-4;

impl TestMetricLogger {
    fn samples(&self) -> [Sample<'_>; 9] {
        let sample =
            |parameter, metric, policy, expected| Sample { parameter, metric, policy, expected };
        [
            sample("parameter", &*self.sample_metric_parameter, None, 49.5),
            sample("mean", &*self.sample_metric_mean, Some("mean"), 49.5),
            sample("rms", &*self.sample_metric_rms, Some("root_mean_square"), 57.3018),
            sample("abs_max", &*self.sample_metric_abs_max, Some("abs_max"), 99.0),
            sample("max", &*self.sample_metric_max, Some("max"), 99.0),
            sample("min", &*self.sample_metric_min, Some("min"), 0.0),
            sample("sum", &*self.sample_metric_sum, Some("sum"), 4950.0),
            sample("fixed", &*self.sample_metric_fixed, Some("fixed"), 99.0),
            sample("fail_threshold", &*self.sample_metric_fail_threshold, None, 4950.0),
        ]
    }
}

impl Codelet for TestMetricLogger {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        let graph = context.handle();
        for Sample { metric, policy, .. } in self.samples() {
            if let Some(policy) = policy {
                graph.set_parameter(metric.cid(), "aggregation_policy", NewValue::Text(policy))?;
            }
        }
        self.ticks = 0;
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let sample = f64::from(self.ticks);
        self.ticks += 1;
        for Sample { metric, policy, .. } in self.samples() {
            metric.record(if policy == Some("abs_max") { -sample } else { sample })?;
        }
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        for Sample { parameter, metric, expected, .. } in self.samples() {
            let value = metric.aggregated_value()?;
            if (value - expected).abs() > TOLERANCE {
                return Err(Error::failure(format!(
                    "`sample_metric_{parameter}` is {value} instead of {expected}"
                )));
            }
        }
        if self.sample_metric_fail_threshold.evaluate_success()? {
            return Err(Error::failure("`sample_metric_fail_threshold` meets its thresholds"));
        }
        Ok(())
    }
}
