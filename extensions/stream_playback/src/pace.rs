//! When the next frame is due.

/// Longest pause between two frames that a replay keeps, in nanoseconds: a day. A longer one comes
/// from a damaged index, and the graph would seem to hang.
const LONGEST_PAUSE: i64 = 24 * 3600 * 1_000_000_000;

/// How the times of frames follow. Times are in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub enum Pace {
    /// As fast as the graph takes them.
    Unlimited,
    /// Frames per second.
    Rate(f64),
    /// At the times of their recording.
    LogTime,
}

/// The times of one run.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    pace: Pace,
    /// Time of the first frame on the scheduler's clock.
    begin: i64,
    /// Log time of the previous frame, and when it was due.
    before: Option<(u64, i64)>,
}

impl Schedule {
    /// Starts with the first frame, now.
    #[must_use]
    pub fn new(pace: Pace, now: i64) -> Self {
        Self { pace, begin: now, before: None }
    }

    /// When frame `number` (from 0) with this log time is due. Call it once per frame, in order.
    /// `false` means that its log time is impossible and ignored.
    pub fn due(&mut self, number: u64, log_time: u64) -> (i64, bool) {
        let (due, plausible) = match self.pace {
            Pace::Unlimited => (self.begin, true),
            Pace::Rate(rate) => {
                (self.begin.saturating_add((number as f64 * 1e9 / rate) as i64), true)
            }
            Pace::LogTime => match self.before {
                None => (self.begin, true),
                Some((before, due)) => {
                    let pause = log_time.wrapping_sub(before) as i64;
                    let plausible = (0..=LONGEST_PAUSE).contains(&pause);
                    (due.saturating_add(if plausible { pause } else { 0 }), plausible)
                }
            },
        };
        self.before = Some((log_time, due));
        (due, plausible)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_times_give_the_pauses() {
        let mut schedule = Schedule::new(Pace::LogTime, 1_000);
        let times = [7_000, 7_040, 7_090].map(|time| schedule.due(0, time));
        assert_eq!(times, [(1_000, true), (1_040, true), (1_090, true)]);
    }

    #[test]
    fn impossible_pauses_are_left_out() {
        let mut schedule = Schedule::new(Pace::LogTime, 0);
        let times = [100, u64::MAX / 2, 50, 60].map(|time| schedule.due(0, time));
        assert_eq!(times, [(0, true), (0, false), (0, false), (10, true)]);
    }

    #[test]
    fn a_rate_does_not_drift() {
        let mut schedule = Schedule::new(Pace::Rate(30.0), 0);
        assert_eq!(schedule.due(30, 0).0, 1_000_000_000);
        assert_eq!(schedule.due(3_000_000, 0).0, 100_000_000_000_000);
    }
}
