//! The meaning of the scheduler components' parameters.

use crate::schedule::thread::{Placement, Policy};
use gxf_app::ParameterValue;
use gxf_app::error::{Error, Result};
use gxf_plugin::component::Component;
use gxf_plugin_abi::ResultCode;

/// Nanoseconds in a millisecond.
const MILLISECOND: i64 = 1_000_000;

/// Period for polling terms under a scheduler without a parameter for it.
const POLL_PERIOD: i64 = 5 * MILLISECOND;

/// Parameters of a run on one thread.
pub struct GreedySettings {
    /// Nanoseconds of the clock.
    pub max_duration: Option<i64>,
    /// Whether a deadlock ends the run.
    pub stop_on_deadlock: bool,
    /// Nanoseconds.
    pub recession_period: i64,
    /// Nanoseconds; negative: a deadlock never ends the run.
    pub deadlock_timeout: i64,
    /// The clock stands still until somebody else moves it, and announces that.
    pub moved_by_others: bool,
}

/// Parameters of a run on several threads.
pub struct PoolSettings {
    /// Nanoseconds.
    pub max_duration: Option<i64>,
    /// Whether a deadlock ends the run.
    pub stop_on_deadlock: bool,
    /// Nanoseconds between polls of terms.
    pub recession_period: i64,
    /// Nanoseconds; negative: a deadlock never ends the run.
    pub deadlock_timeout: i64,
    /// The clock stands still until somebody else moves it, and announces that.
    pub moved_by_others: bool,
    /// Number of threads that are not pinned.
    pub workers: usize,
    /// Whether pinned workers execute only their entity.
    pub strict_pinning: bool,
    /// Prefix of the names of threads.
    pub thread_name: String,
    /// Where the threads run.
    pub placement: Placement,
}

/// An entity with a thread of its own.
#[derive(Clone, Debug)]
pub struct Pinning {
    /// The entity's index.
    pub number: u32,
    /// Where the thread runs.
    pub placement: Placement,
}

/// Reads parameters of a component; absent ones have their default.
struct Reader<'a>(&'a Component);

impl Reader<'_> {
    fn milliseconds(&self, key: &str) -> Option<i64> {
        match self.0.parameter(key) {
            Some(ParameterValue::Int64(ms)) => Some(ms.saturating_mul(MILLISECOND)),
            Some(ParameterValue::Float64(ms)) => Some((ms * MILLISECOND as f64) as i64),
            _ => None,
        }
    }

    /// How often terms that cannot announce a change are asked.
    fn recession_period(&self) -> Option<i64> {
        let names = ["check_recess_period_ms", "check_recession_period_ms"];
        names.iter().find_map(|key| self.milliseconds(key))
    }

    fn flag(&self, key: &str, default: bool) -> bool {
        match self.0.parameter(key) {
            Some(ParameterValue::Bool(value)) => value,
            _ => default,
        }
    }

    fn integer(&self, key: &str) -> Option<i64> {
        match self.0.parameter(key) {
            Some(ParameterValue::Int64(value)) => Some(value),
            _ => None,
        }
    }

    fn unsigned(&self, key: &str) -> u64 {
        match self.0.parameter(key) {
            Some(ParameterValue::UInt64(value)) => value,
            _ => 0,
        }
    }

    fn text(&self, key: &str) -> Option<String> {
        match self.0.parameter(key) {
            Some(ParameterValue::String(value)) => Some(value),
            _ => None,
        }
    }

    fn cores(&self) -> Vec<u32> {
        let Some(ParameterValue::List(list)) = self.0.parameter("pin_cores") else {
            return Vec::new();
        };
        let cores = list.iter().filter_map(|core| match core {
            ParameterValue::UInt32(core) => Some(*core),
            _ => None,
        });
        cores.collect()
    }

    fn wrong(&self, code: ResultCode, text: impl std::fmt::Display) -> Error {
        Error::new(code, format!("{}: {text}", self.0.description()))
    }
}

impl GreedySettings {
    /// Reads them from a scheduler component.
    pub fn of(scheduler: &Component, moved_by_others: bool) -> Self {
        let read = Reader(scheduler);
        Self {
            max_duration: read.milliseconds("max_duration_ms"),
            stop_on_deadlock: read.flag("stop_on_deadlock", true),
            recession_period: read.recession_period().unwrap_or(0),
            deadlock_timeout: read.milliseconds("stop_on_deadlock_timeout").unwrap_or(0),
            moved_by_others,
        }
    }
}

impl PoolSettings {
    /// `event_based` distinguishes the two schedulers with workers.
    pub fn of(scheduler: &Component, event_based: bool, moved_by_others: bool) -> Result<Self> {
        /// GXF's limit.
        const MOST_WORKERS: i64 = 128;
        let read = Reader(scheduler);
        let workers = read.integer("worker_thread_number").unwrap_or(1);
        if !(1..=MOST_WORKERS).contains(&workers) {
            return Err(read.wrong(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!("`worker_thread_number` must be from 1 to {MOST_WORKERS}, not {workers}"),
            ));
        }
        Ok(Self {
            max_duration: read.milliseconds("max_duration_ms"),
            stop_on_deadlock: read.flag("stop_on_deadlock", true),
            recession_period: read.recession_period().unwrap_or(POLL_PERIOD).max(0),
            deadlock_timeout: read.milliseconds("stop_on_deadlock_timeout").unwrap_or(0),
            moved_by_others,
            workers: usize::try_from(workers).unwrap_or(1),
            // GXF's event-based scheduler uses a pinned entity's thread for nothing else.
            strict_pinning: event_based || read.flag("strict_job_thread_pinning", false),
            thread_name: read
                .text("worker_thread_name_id")
                .filter(|name| !name.is_empty())
                .unwrap_or_else(|| "gxe-worker".to_owned()),
            placement: Placement { cores: read.cores(), policy: None },
        })
    }
}

/// Whether a `CPUThread` requests a thread of its own, and where. `pool` is the thread pool of the
/// entity's group, whose cores count if the component names none.
pub fn pinning(cpu_thread: &Component, pool: Option<&Component>) -> Result<Option<Placement>> {
    let read = Reader(cpu_thread);
    if !read.flag("pin_entity", false) {
        return Ok(None);
    }
    let numbers = ["sched_priority", "sched_runtime", "sched_deadline", "sched_period"];
    let policy = read.text("sched_policy").unwrap_or_default();
    let policy = Policy::new(&policy, numbers.map(|key| read.unsigned(key)))
        .map_err(|text| read.wrong(ResultCode::PARAMETER_OUT_OF_RANGE, text))?;
    let mut cores = read.cores();
    if let Some(pool) = pool.filter(|_| cores.is_empty()) {
        cores = Reader(pool).cores();
    }
    Ok(Some(Placement { cores, policy }))
}
