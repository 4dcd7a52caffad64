//! The distribution of measured values in bounded memory.

use hdrhistogram::Histogram;

/// Significant digits of a quantile.
const DIGITS: u8 = 2;

/// The distribution of one kind of value, such as the execution times of a codelet. Its memory
/// grows with the logarithm of the largest value, not with their number.
#[derive(Default)]
pub(super) struct Distribution {
    /// Created by the first value, because most entities of a large graph are idle.
    histogram: Option<Histogram<u64>>,
    count: u64,
    total: u64,
    max: u64,
}

impl Distribution {
    #[inline]
    pub fn add(&mut self, value: u64) {
        self.count += 1;
        self.total = self.total.saturating_add(value);
        self.max = self.max.max(value);
        let histogram = self.histogram.get_or_insert_with(|| {
            Histogram::new(DIGITS).expect("between 0 and 5 digits are possible")
        });
        // Fails only for lack of room, and it makes room as it needs to.
        let _ = histogram.record(value);
    }

    /// Adds the values of another distribution.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.total = self.total.saturating_add(other.total);
        self.max = self.max.max(other.max);
        match (&mut self.histogram, &other.histogram) {
            (_, None) => {}
            (Some(histogram), Some(others)) => {
                // Fails only for lack of room, and it makes room as it needs to.
                let _ = histogram.add(others);
            }
            (none, Some(others)) => *none = Some(others.clone()),
        }
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn max(&self) -> u64 {
        self.max
    }

    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.total as f64 / self.count as f64 }
    }

    /// The value that this share of all values does not exceed; 0 without values.
    pub fn quantile(&self, share: f64) -> u64 {
        let histogram = self.histogram.as_ref();
        histogram.map_or(0, |histogram| histogram.value_at_quantile(share).min(self.max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_a_hundredth() {
        let mut distribution = Distribution::default();
        assert_eq!((distribution.quantile(0.5), distribution.max()), (0, 0));
        for value in 1..=1_000_000u64 {
            distribution.add(value);
        }
        for share in [0.5, 0.9, 0.95, 0.99] {
            let (found, exact) = (distribution.quantile(share) as f64, share * 1e6);
            assert!((found - exact).abs() <= exact / 100.0, "{share}: {found}");
        }
        assert_eq!(distribution.max(), 1_000_000);
        assert_eq!(distribution.total(), 500_000_500_000);
        assert_eq!(distribution.quantile(1.0), 1_000_000);
        let mut sum = Distribution::default();
        sum.merge(&Distribution::default());
        sum.merge(&distribution);
        let mut one = Distribution::default();
        one.add(u64::MAX / 2);
        sum.merge(&one);
        assert_eq!((sum.count(), sum.max()), (1_000_001, u64::MAX / 2));
        assert_eq!(sum.quantile(0.5), distribution.quantile(0.5));
    }
}
