//! `Metric`: a measured value with limits.

use gxf::implement;
use gxf::prelude::*;
use parking_lot::Mutex;

/// Collects samples of a value, such as a frame rate, and checks whether their aggregate is within
/// limits.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct Metric {
    /// How to aggregate samples: `mean`, `root_mean_square`, `abs_max`, `max`, `min`, `sum`, or
    /// `fixed` for the latest sample, which is the default.
    #[parameter(headline = "Aggregation policy", dynamic)]
    aggregation_policy: Parameter<Option<Aggregation>>,
    /// Smallest aggregate that is a success. Without it there is no lower limit.
    #[parameter(headline = "Lower threshold")]
    lower_threshold: Parameter<Option<f64>>,
    /// Largest aggregate that is a success. Without it there is no upper limit.
    #[parameter(headline = "Upper threshold")]
    upper_threshold: Parameter<Option<f64>>,
    samples: Mutex<Samples>,
}

/// How to aggregate samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterEnum)]
#[expect(non_camel_case_types, reason = "the names are GXF's")]
enum Aggregation {
    mean,
    root_mean_square,
    abs_max,
    max,
    min,
    sum,
    fixed,
}

#[derive(Default)]
struct Samples {
    count: f64,
    value: Option<f64>,
}

impl Samples {
    fn add(&mut self, aggregation: Aggregation, sample: f64) {
        self.count += 1.0;
        let before = self.value;
        self.value = Some(match aggregation {
            Aggregation::mean => {
                let before = before.unwrap_or(0.0);
                before + (sample - before) / self.count
            }
            Aggregation::root_mean_square => {
                let before = before.unwrap_or(0.0).powi(2);
                (before + (sample * sample - before) / self.count).sqrt()
            }
            Aggregation::abs_max => before.unwrap_or(0.0).max(sample.abs()),
            Aggregation::max => before.map_or(sample, |before| before.max(sample)),
            Aggregation::min => before.map_or(sample, |before| before.min(sample)),
            Aggregation::sum => before.unwrap_or(0.0) + sample,
            Aggregation::fixed => sample,
        });
    }

    fn value(&self) -> Result<f64> {
        self.value.ok_or_else(|| {
            Error::new(ResultCode::UNINITIALIZED_VALUE, "the metric has no sample yet")
        })
    }
}

impl Lifecycle for Metric {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        *self.samples.lock() = Samples::default();
        if let (Some(lower), Some(upper)) = (*self.lower_threshold, *self.upper_threshold)
            && lower > upper
        {
            return Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!("`lower_threshold` {lower} is above `upper_threshold` {upper}"),
            ));
        }
        Ok(())
    }
}

impl implement::Metric for Metric {
    fn record(&self, sample: f64) -> Result<()> {
        let aggregation = self.aggregation_policy.unwrap_or(Aggregation::fixed);
        self.samples.lock().add(aggregation, sample);
        Ok(())
    }

    fn aggregated_value(&self) -> Result<f64> {
        self.samples.lock().value()
    }

    fn evaluate_success(&self) -> Result<bool> {
        let value = self.samples.lock().value()?;
        Ok(self.lower_threshold.is_none_or(|lower| value >= lower)
            && self.upper_threshold.is_none_or(|upper| value <= upper))
    }

    fn reset(&self) -> Result<()> {
        *self.samples.lock() = Samples::default();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gxf::implement::Metric as _;

    #[test]
    fn samples_add_up() {
        for (aggregation, expected) in [
            (Aggregation::mean, -1.0),
            (Aggregation::root_mean_square, 5.0),
            (Aggregation::abs_max, 7.0),
            (Aggregation::max, 5.0),
            (Aggregation::min, -7.0),
            (Aggregation::sum, -3.0),
            (Aggregation::fixed, -7.0),
        ] {
            let mut samples = Samples::default();
            for sample in [5.0, -1.0, -7.0] {
                samples.add(aggregation, sample);
            }
            let value = samples.value().unwrap();
            assert!((value - expected).abs() < 1e-9, "{aggregation:?}: {value}");
        }
    }

    #[test]
    fn limits_include_themselves() {
        let metric = Metric {
            aggregation_policy: Parameter::new(None),
            lower_threshold: Parameter::new(Some(1.0)),
            upper_threshold: Parameter::new(None),
            ..Default::default()
        };
        let none = metric.evaluate_success().unwrap_err();
        assert_eq!(none.code(), ResultCode::UNINITIALIZED_VALUE);
        for (sample, success) in [(1.0, true), (0.5, false), (9.0, true)] {
            metric.record(sample).unwrap();
            assert_eq!(metric.evaluate_success().unwrap(), success);
        }
    }
}
