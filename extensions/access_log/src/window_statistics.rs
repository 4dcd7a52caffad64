//! `WindowStatistics`: the third step, from records to one summary for each window of time.

use crate::payload::{Records, Totals, Window, Windows};
use crate::record::Record;
use gxf::prelude::*;

/// Groups records by time into windows of equal length, and publishes the summary of a window when
/// a record of a later window arrives or the input ends. It publishes no empty windows. A record
/// older than the open window counts there, because the summary of its own window is out already.
#[derive(Component, Default)]
pub struct WindowStatistics {
    /// Receiver for the records.
    input: Parameter<Handle<Receiver>>,
    /// Transmitter for the summaries.
    output: Parameter<Handle<Transmitter>>,
    /// Length of a window.
    #[parameter(unit = "s", default = 60, minimum = 1)]
    window_s: Parameter<i64>,
    open: OpenWindow,
}

impl Codelet for WindowStatistics {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.open = OpenWindow::default();
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        let mut windows = Vec::new();
        for record in &message.get::<Records>("records")?.records {
            windows.extend(self.open.add(record, *self.window_s));
        }
        let totals = message.get::<Totals>("totals").ok();
        if totals.is_some() {
            windows.extend(self.open.close());
        }
        if windows.is_empty() && totals.is_none() {
            // Most messages do not complete a window, and an empty message is of no use.
            return Ok(());
        }

        let mut result = context.new_message()?;
        result.add("windows", Windows { windows })?;
        if let Some(totals) = totals {
            result.add("totals", *totals)?;
        }
        self.output.publish(result, context.now())
    }
}

/// The open window.
#[derive(Default)]
struct OpenWindow {
    start: i64,
    errors: u64,
    /// One entry per request; empty when no window is open.
    latencies_us: Vec<u64>,
}

impl OpenWindow {
    /// Adds a record. Returns the window that it closes.
    fn add(&mut self, record: &Record, length: i64) -> Option<Window> {
        let start = record.time.div_euclid(length) * length;
        let closed = if start > self.start { self.close() } else { None };
        if self.latencies_us.is_empty() {
            self.start = start;
        }
        self.latencies_us.push(record.latency_us);
        self.errors += u64::from(record.status >= 500);
        closed
    }

    /// The summary of the window, if one is open.
    fn close(&mut self) -> Option<Window> {
        let Self { start, errors, mut latencies_us } = std::mem::take(self);
        latencies_us.sort_unstable();
        Some(Window {
            start,
            requests: latencies_us.len() as u64,
            errors,
            p50_us: percentile(&latencies_us, 50)?,
            p95_us: percentile(&latencies_us, 95)?,
        })
    }
}

/// The smallest value that `percent` of all values do not exceed; `None` when there are none.
fn percentile(sorted: &[u64], percent: usize) -> Option<u64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let values: Vec<u64> = (1..=20).collect();
        assert_eq!(percentile(&values, 50), Some(10));
        assert_eq!(percentile(&values, 95), Some(19));
        assert_eq!(percentile(&values, 100), Some(20));
        assert_eq!(percentile(&[7], 50), Some(7));
        assert_eq!(percentile(&[], 50), None);
    }

    #[test]
    fn a_window_closes_when_a_later_one_begins() {
        let mut open = OpenWindow::default();
        let record = |time, status, latency_us| Record { time, status, latency_us };
        assert_eq!(open.add(&record(120, 200, 10), 60), None);
        assert_eq!(open.add(&record(179, 503, 30), 60), None);
        // Too late for its own window.
        assert_eq!(open.add(&record(119, 200, 20), 60), None);
        assert_eq!(
            open.add(&record(300, 200, 5), 60),
            Some(Window { start: 120, requests: 3, errors: 1, p50_us: 20, p95_us: 30 })
        );
        assert_eq!(
            open.close(),
            Some(Window { start: 300, requests: 1, errors: 0, p50_us: 5, p95_us: 5 })
        );
        assert_eq!(open.close(), None);
    }
}
