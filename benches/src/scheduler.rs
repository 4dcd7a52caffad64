//! The schedulers that the benchmarks compare.

use std::fmt;

/// A scheduler and its number of workers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scheduler {
    /// One thread.
    Greedy,
    /// `MultiThreadScheduler` with this many workers.
    MultiThread(usize),
    /// `EventBasedScheduler` with this many workers.
    EventBased(usize),
    /// `ActorScheduler` with this many threads.
    Actors(usize),
}

impl Scheduler {
    /// The schedulers to compare.
    pub const ALL: [Self; 7] = [
        Self::Greedy,
        Self::MultiThread(1),
        Self::MultiThread(2),
        Self::EventBased(1),
        Self::EventBased(2),
        Self::Actors(1),
        Self::Actors(2),
    ];

    /// The scheduler with this name in reports.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.to_string() == name)
    }

    /// An entity with this scheduler and a real-time clock.
    #[must_use]
    pub fn yaml(self) -> String {
        let (name, workers) = match self {
            Self::Greedy => ("GreedyScheduler", String::new()),
            Self::MultiThread(workers) => {
                ("MultiThreadScheduler", format!(", worker_thread_number: {workers}"))
            }
            Self::EventBased(workers) => {
                ("EventBasedScheduler", format!(", worker_thread_number: {workers}"))
            }
            Self::Actors(threads) => ("ActorScheduler", format!(", threads: {threads}")),
        };
        let space = if matches!(self, Self::Actors(_)) { "gxe" } else { "nvidia::gxf" };
        format!(
            "---
name: scheduler
components:
- name: clock
  type: nvidia::gxf::RealtimeClock
- type: nvidia::gxf::ThreadPool
- type: {space}::{name}
  parameters: {{clock: clock{workers}}}
"
        )
    }
}

impl fmt::Display for Scheduler {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Greedy => formatter.write_str("greedy"),
            Self::MultiThread(workers) => write!(formatter, "multi_thread_{workers}"),
            Self::EventBased(workers) => write!(formatter, "event_based_{workers}"),
            Self::Actors(threads) => write!(formatter, "actors_{threads}"),
        }
    }
}
