//! The payloads of the messages between the steps.
//!
//! Any `Default` type that is `Send + Sync` can be a payload; the factory lists it. A message may
//! carry several: the last one of a run has [`Totals`] beside its data.

use crate::record::Record;

/// Consecutive lines of the file, without their line ends.
#[derive(Default)]
pub struct Lines {
    /// Number of the first line, counting from 1.
    pub first_number: u64,
    /// The lines.
    pub texts: Vec<String>,
}

/// Requests, in the order of the file.
#[derive(Default)]
pub struct Records {
    /// The requests.
    pub records: Vec<Record>,
}

/// Summaries of complete windows, oldest first.
#[derive(Default)]
pub struct Windows {
    /// The summaries.
    pub windows: Vec<Window>,
}

/// What happened in one window of time.
#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub struct Window {
    /// Begin, in seconds since 1970 (UTC).
    pub start: i64,
    /// Number of requests.
    pub requests: u64,
    /// Number of requests the server failed to answer (status 500 to 599).
    pub errors: u64,
    /// Median duration, in microseconds.
    pub p50_us: u64,
    /// 95th percentile of the durations, in microseconds.
    pub p95_us: u64,
}

/// Counts of the whole run. A message that carries this is the last one.
#[derive(Clone, Copy, Default)]
pub struct Totals {
    /// Lines in the file.
    pub lines: u64,
    /// Lines that are not records.
    pub bad_lines: u64,
}
