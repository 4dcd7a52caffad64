//! The schedulers that the benchmarks compare.

use std::fmt::{self, Write};
use std::path::PathBuf;

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
    /// The same, and this many instances of each register.
    Instances(usize, usize),
    /// `gxe::StaticScheduler` with this many workers, which take turns along the graph.
    Static(usize),
}

impl Scheduler {
    /// The schedulers to compare.
    pub const ALL: [Self; 9] = [
        Self::Greedy,
        Self::MultiThread(1),
        Self::MultiThread(2),
        Self::EventBased(1),
        Self::EventBased(2),
        Self::Actors(1),
        Self::Actors(2),
        Self::Static(1),
        Self::Static(2),
    ];

    /// Numbers of instances to compare beside those that are usual.
    pub const INSTANCES: [Self; 7] = [
        Self::Instances(1, 1),
        Self::Instances(1, 4),
        Self::Instances(1, 16),
        Self::Instances(2, 1),
        Self::Instances(2, 4),
        Self::Instances(2, 16),
        Self::Instances(2, 64),
    ];

    /// The scheduler with this name in reports.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().chain(Self::INSTANCES).find(|known| known.to_string() == name)
    }

    /// An entity with this scheduler for a graph, and a real-time clock.
    #[must_use]
    pub fn yaml(self, graph: &str) -> String {
        let (name, workers) = match self {
            Self::Static(workers) => {
                let schedule = schedule(graph, workers);
                return format!(
                    "---
name: scheduler
components:
- name: clock
  type: nvidia::gxf::RealtimeClock
- type: gxe::StaticScheduler
  parameters: {{clock: clock, schedule: '{schedule}'}}
"
                );
            }
            Self::Greedy => ("GreedyScheduler", String::new()),
            Self::MultiThread(workers) => {
                ("MultiThreadScheduler", format!(", worker_thread_number: {workers}"))
            }
            Self::EventBased(workers) => {
                ("EventBasedScheduler", format!(", worker_thread_number: {workers}"))
            }
            Self::Actors(threads) => ("ActorScheduler", format!(", threads: {threads}")),
            Self::Instances(threads, instances) => {
                ("ActorScheduler", format!(", threads: {threads}, register_num: {instances}"))
            }
        };
        let is_ours = matches!(self, Self::Actors(_) | Self::Instances(..));
        let space = if is_ours { "gxe" } else { "nvidia::gxf" };
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
            Self::Instances(threads, instances) => {
                write!(formatter, "actors_{threads}_{instances}_instances")
            }
            Self::Static(workers) => write!(formatter, "static_{workers}"),
        }
    }
}

/// Writes a schedule for the entities with stages of a graph, in their order: one free-running
/// frame, with as many of them in a row on each worker as it has. Returns its path.
fn schedule(graph: &str, workers: usize) -> String {
    let entities = graph.split("---\n").filter(|entity| entity.contains("bench::"));
    let names: Vec<&str> =
        entities.filter_map(|entity| entity.strip_prefix("name: ")?.lines().next()).collect();
    let mut text = "Schedule: 1.0.0\nGraph: benchmark\nIdentifier: 1\nHyperepochs:\n- h:\n    \
                    Resources: []\n    Epochs:\n    - e: {Frames: 1}\n    Cycles:\n    - Makespan: 1ms\n      \
                    Lanes:\n"
        .to_owned();
    for worker in 0..workers {
        let _ = writeln!(text, "      - CPU{worker}:");
        for (place, name) in names.iter().enumerate().skip(worker).step_by(workers) {
            let before = place.checked_sub(1).filter(|_| workers > 1);
            let after =
                before.map_or(String::new(), |before| format!(", After: [c.{}@0]", names[before]));
            let _ = writeln!(
                text,
                "        - {{Runnable: c.{name}, Epoch: e, Frame: 0, Release: 0ns, Start: 0ns, End: \
                 1ns{after}}}"
            );
        }
    }
    let path = schedule_file();
    std::fs::write(&path, text).expect("the schedule can be written");
    path.display().to_string()
}

/// Where this process has the schedule of a run.
pub fn schedule_file() -> PathBuf {
    std::env::temp_dir().join(format!("gxe-benchmark-{}.stm", std::process::id()))
}
