//! A curve of bounded size: neighbouring points become one when there are too many.

/// Points of the curve, at most.
pub const MOST: usize = 1024;

/// Neighbouring values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// First position.
    pub x: f64,
    /// Smallest value.
    pub low: f64,
    /// Largest value.
    pub high: f64,
    /// Mean of the values.
    pub mean: f64,
    /// Number of values.
    pub count: u64,
}

impl Bucket {
    fn join(&mut self, other: &Self) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        // A sum of large values could become infinite.
        let share = other.count as f64 / (self.count + other.count) as f64;
        self.mean = self.mean * (1.0 - share) + other.mean * share;
        self.count += other.count;
    }
}

/// A curve.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// Its points, of which each but the last has `per_bucket` values.
    pub buckets: Vec<Bucket>,
    per_bucket: u64,
}

impl Curve {
    /// Without points.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), buckets: Vec::new(), per_bucket: 1 }
    }

    /// Adds a value. Missing ones leave no trace.
    pub fn add(&mut self, x: f64, y: f64) {
        if !y.is_finite() || !x.is_finite() {
            return;
        }
        let bucket = Bucket { x, low: y, high: y, mean: y, count: 1 };
        match self.buckets.last_mut().filter(|last| last.count < self.per_bucket) {
            Some(last) => last.join(&bucket),
            None => self.buckets.push(bucket),
        }
        if self.buckets.len() > MOST {
            self.buckets = merged(&self.buckets, MOST / 2 + 1);
            self.per_bucket = self.buckets.first().map_or(1, |bucket| bucket.count);
        }
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.count).sum()
    }

    /// Smallest and largest value; `None` without values.
    pub fn range(&self) -> Option<(f64, f64)> {
        range(self.buckets.iter().map(|bucket| (bucket.low, bucket.high)))
    }

    /// The curve in a line of at most this many characters.
    pub fn sparkline(&self, width: usize) -> String {
        const MARKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let points = merged(&self.buckets, width);
        let Some((low, high)) = range(points.iter().map(|point| (point.mean, point.mean))) else {
            return String::new();
        };
        let mark = |point: &Bucket| {
            // Halves, because the range may exceed the largest number.
            let above_low = |value: f64| value / 2.0 - low / 2.0;
            let share = if high > low { above_low(point.mean) / above_low(high) } else { 0.5 };
            MARKS[((share * 8.0) as usize).min(7)]
        };
        points.iter().map(mark).collect()
    }
}

/// The extremes of some ranges.
pub fn range(values: impl Iterator<Item = (f64, f64)>) -> Option<(f64, f64)> {
    values.reduce(|(low, high), (other_low, other_high)| (low.min(other_low), high.max(other_high)))
}

/// At most `most` points, each of equally many neighbours.
fn merged(buckets: &[Bucket], most: usize) -> Vec<Bucket> {
    let size = buckets.len().div_ceil(most.max(1)).max(1);
    let merge = |some: &[Bucket]| {
        let mut first = some[0];
        some[1..].iter().for_each(|other| first.join(other));
        first
    };
    buckets.chunks(size).map(merge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_curve_keeps_its_extremes_and_its_size() {
        let mut curve = Curve::new("c");
        for x in 0..100_000 {
            curve.add(f64::from(x), f64::from(x % 1000));
        }
        curve.add(5e5, 77_777.0);
        curve.add(5e5, f64::NAN);
        assert!(curve.buckets.len() <= MOST);
        assert_eq!(curve.count(), 100_001);
        assert_eq!(curve.range(), Some((0.0, 77_777.0)));
    }

    #[test]
    fn a_sparkline_rises_with_its_values() {
        let mut curve = Curve::new("c");
        (0..8).for_each(|x| curve.add(f64::from(x), f64::from(x)));
        assert_eq!(curve.sparkline(8), "▁▂▃▄▅▆▇█");
        assert_eq!(curve.sparkline(4), "▁▃▆█");
        let mut large = Curve::new("l");
        for y in [-f64::MAX, -f64::MAX, 0.0, 0.0, f64::MAX, f64::MAX] {
            large.add(0.0, y);
        }
        assert_eq!(large.sparkline(6), "▁▁▅▅██");
        assert_eq!(large.sparkline(3), "▁▅█");
    }
}
