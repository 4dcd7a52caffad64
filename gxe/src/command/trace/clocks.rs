//! The clocks of several traces: what links measured of each other's, as one time.

use serde::Deserialize;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What a trace says of itself.
#[derive(Deserialize)]
pub struct Head {
    #[serde(rename = "recorded by")]
    pub recorded_by: String,
    #[serde(default)]
    pub host: String,
    pub clock: Clock,
    /// The links that have an end in it.
    #[serde(default)]
    pub links: Vec<String>,
    /// What they know of the clocks of their other ends.
    #[serde(default)]
    pub other_clocks: Vec<Sample>,
}

/// The clock of a trace.
#[derive(Deserialize)]
pub struct Clock {
    /// Clocks with the same name are one.
    pub name: String,
    /// When the trace begins.
    pub begin_ns: i64,
    /// By how much the clock of the day is ahead.
    pub realtime_ahead_ns: i64,
}

/// The clock of a link's other end was read at a time: it was ahead by so much, give or take `error`.
#[derive(Deserialize, Clone)]
pub struct Sample {
    pub link: String,
    pub time_ns: i64,
    pub offset_ns: i64,
    pub error_ns: i64,
}

/// From one clock to another: `offset` at the time `at`, and so much more for each nanosecond.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    at: i64,
    offset: i64,
    drift: f64,
}

/// Clocks that are read for longer than this drift visibly apart.
const LONG: i64 = 10_000_000_000;

/// No two quartz clocks drift apart faster; what does is an error of the samples.
const FASTEST_DRIFT: f64 = 5e-4;

impl Line {
    /// The line through the best samples, with the error of the worse one.
    fn through(samples: &[Sample]) -> Option<(Self, i64)> {
        let best = |from: i64, until: i64| {
            let within = samples.iter().filter(|one| (from..=until).contains(&one.time_ns));
            within.min_by_key(|one| one.error_ns)
        };
        let first = samples.iter().map(|one| one.time_ns).min()?;
        let last = samples.iter().map(|one| one.time_ns).max()?;
        let span = last.saturating_sub(first);
        let only = best(first, last)?;
        let constant = Self { at: only.time_ns, offset: only.offset_ns, drift: 0.0 };
        if span >= LONG
            && let Some(early) = best(first, first.saturating_add(span / 3))
            && let Some(late) = best(last.saturating_sub(span / 3), last)
        {
            let rise = late.offset_ns.saturating_sub(early.offset_ns);
            let run = late.time_ns.saturating_sub(early.time_ns);
            let drift = rise as f64 / run as f64;
            if drift.abs() <= FASTEST_DRIFT {
                let line = Self { at: early.time_ns, offset: early.offset_ns, drift };
                return Some((line, early.error_ns.max(late.error_ns)));
            }
        }
        Some((constant, only.error_ns))
    }

    /// A time on the other clock.
    fn forward(&self, time: i64) -> i64 {
        let drifted = time.saturating_sub(self.at) as f64 * self.drift;
        time.saturating_add(self.offset).saturating_add(drifted as i64)
    }

    /// A time of the other clock on this one.
    fn backward(&self, time: i64) -> i64 {
        let since = time.saturating_sub(self.offset).saturating_sub(self.at);
        let drifted = since as f64 * self.drift / (1.0 + self.drift);
        self.at.saturating_add(since).saturating_sub(drifted as i64)
    }
}

/// A step from the clock of a trace towards that of the first one.
#[derive(Clone, Copy, Debug)]
struct Step {
    to: usize,
    line: Line,
    /// Whether `to` measured this clock, and not this one `to`.
    is_backward: bool,
}

/// How well the clock of a trace is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// It is that of the first trace.
    Same,
    /// Over links, give or take so many nanoseconds.
    Measured(i64),
    /// Only the clocks of the day are known.
    ByClockOfDay,
}

/// Times of several traces as times of the first one's clock.
pub struct Clocks {
    steps: Vec<Option<Step>>,
    pub known: Vec<Known>,
    /// By how much the clock of the day of each is ahead.
    ahead: Vec<i64>,
}

impl Clocks {
    pub fn of(heads: &[Head]) -> Self {
        let count = heads.len();
        let mut clocks = Self {
            steps: vec![None; count],
            known: vec![Known::ByClockOfDay; count],
            ahead: heads.iter().map(|head| head.clock.realtime_ahead_ns).collect(),
        };
        let edges = edges(heads);
        // The way with the least error to each.
        let mut errors = vec![i64::MAX; count];
        let mut open = BinaryHeap::from([Open { error: 0, index: 0 }]);
        if let Some(first) = errors.first_mut() {
            *first = 0;
        }
        while let Some(Open { error, index }) = open.pop() {
            if error > errors[index] {
                continue;
            }
            for Edge { from, to, line, error: more } in &edges {
                let (next, is_backward) = match index {
                    index if index == *to => (*from, false),
                    index if index == *from => (*to, true),
                    _ => continue,
                };
                let sum = error.saturating_add(*more);
                if sum < errors[next] {
                    errors[next] = sum;
                    clocks.steps[next] = Some(Step { to: index, line: *line, is_backward });
                    open.push(Open { error: sum, index: next });
                }
            }
        }
        for (index, error) in errors.into_iter().enumerate() {
            let is_same = heads[index].clock.name == heads[0].clock.name;
            clocks.known[index] = match error {
                _ if index == 0 || (is_same && error == 0) => Known::Same,
                i64::MAX => Known::ByClockOfDay,
                error => Known::Measured(error),
            };
        }
        clocks
    }

    /// A time of a trace on the clock of the first one.
    pub fn to_first(&self, mut index: usize, mut time: i64) -> i64 {
        // Each step is nearer to the first one, so this ends.
        while let Some(Step { to, line, is_backward }) = self.steps[index] {
            time = if is_backward { line.backward(time) } else { line.forward(time) };
            index = to;
        }
        if index == 0 {
            return time;
        }
        time.saturating_add(self.ahead[index]).saturating_sub(self.ahead[0])
    }
}

/// `from` read the clock of `to`.
struct Edge {
    from: usize,
    to: usize,
    line: Line,
    error: i64,
}

fn edges(heads: &[Head]) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (from, head) in heads.iter().enumerate() {
        for (to, other) in heads.iter().enumerate().filter(|(to, _)| *to != from) {
            if !head.clock.name.trim().is_empty() && head.clock.name == other.clock.name {
                let line = Line { at: 0, offset: 0, drift: 0.0 };
                edges.push(Edge { from, to, line, error: 0 });
                continue;
            }
            for link in head.links.iter().filter(|link| other.links.contains(link)) {
                let samples = head.other_clocks.iter().filter(|sample| sample.link == *link);
                let samples: Vec<Sample> = samples.cloned().collect();
                if let Some((line, error)) = Line::through(&samples) {
                    edges.push(Edge { from, to, line, error: error.max(1) });
                }
            }
        }
    }
    edges
}

/// A trace whose clock is known; the one with the least error comes first.
#[derive(PartialEq, Eq)]
struct Open {
    error: i64,
    index: usize,
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.error, other.index).cmp(&(self.error, self.index))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(name: &str, ahead: i64, links: &[&str], samples: &[(&str, i64, i64, i64)]) -> Head {
        let other_clocks = samples.iter().map(|(link, time, offset, error)| Sample {
            link: (*link).to_owned(),
            time_ns: *time,
            offset_ns: *offset,
            error_ns: *error,
        });
        Head {
            recorded_by: "gxe".to_owned(),
            host: String::new(),
            clock: Clock { name: name.to_owned(), begin_ns: 0, realtime_ahead_ns: ahead },
            links: links.iter().map(|link| (*link).to_owned()).collect(),
            other_clocks: other_clocks.collect(),
        }
    }

    #[test]
    fn the_best_way_counts_in_both_directions() {
        let heads = [
            head("a", 0, &["1"], &[("1", 0, 500, 30), ("1", 1, 520, 10)]),
            head("b", 0, &["1", "2"], &[]),
            // 2 reads b's clock.
            head("c", 0, &["2"], &[("2", 0, -7000, 5)]),
            head("c", 0, &[], &[]),
            head("d", 1_000_000, &["3"], &[]),
        ];
        let clocks = Clocks::of(&heads);
        assert_eq!(clocks.to_first(0, 10), 10);
        assert_eq!(clocks.to_first(1, 1520), 1000);
        assert_eq!(clocks.to_first(2, 8520), 1000);
        assert_eq!(clocks.to_first(3, 8520), 1000);
        assert_eq!(clocks.to_first(4, 5), 1_000_005);
        let known = [Known::Same, Known::Measured(10), Known::Measured(15), Known::Measured(15)];
        assert_eq!(clocks.known[..4], known);
        assert_eq!(clocks.known[4], Known::ByClockOfDay);
    }

    #[test]
    fn clocks_drift() {
        let sample = |time_ns: i64, offset_ns: i64, error_ns: i64| Sample {
            link: String::new(),
            time_ns,
            offset_ns,
            error_ns,
        };
        let second = 1_000_000_000;
        // 20 parts per million; the sample in the middle is a bad one.
        let samples: Vec<_> =
            [sample(0, 100, 5), sample(50 * second, -9, 900), sample(100 * second, 2_000_100, 7)]
                .to_vec();
        let (line, error) = Line::through(&samples).unwrap();
        assert_eq!(error, 7);
        assert_eq!(line.forward(50 * second), 50 * second + 1_000_100);
        let there = line.forward(70 * second);
        assert!((line.backward(there) - 70 * second).abs() <= 1);
        // That fast, no clock drifts.
        let samples = [sample(0, 0, 5), sample(20 * second, second, 7)];
        let (line, error) = Line::through(&samples).unwrap();
        assert_eq!((line.offset, line.drift, error), (0, 0.0, 5));
    }
}
