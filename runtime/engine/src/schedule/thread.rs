//! Cores and real-time policy of threads, and the entities that request threads of their own.

use crate::standard::resources::ThreadPool;
use gxf_plugin::component::Native;
use rustix::thread::{CpuSet, sched_setaffinity};
use std::time::Duration;
use thread_priority::unix::{
    DeadlineFlags, RealtimeThreadSchedulePolicy, ThreadSchedulePolicy,
    set_thread_priority_and_policy, thread_native_id,
};
use thread_priority::{ThreadPriority, ThreadPriorityValue};

/// Requirements for a thread; none by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Placement {
    /// Cores that the thread may use; all if empty.
    pub cores: Vec<u32>,
    /// Real-time policy, if one is requested.
    pub policy: Option<Policy>,
}

/// The entities that ask for threads of their own.
#[derive(Clone, Default)]
pub struct Threads {
    /// Entities with one thread each.
    pub pinned: Vec<Pinning>,
    /// Thread pools of entity groups, for the engine to use or not.
    pub pools: Vec<ThreadPoolMembers>,
}

/// An entity with a thread of its own.
#[derive(Clone, Debug)]
pub struct Pinning {
    /// The entity's index.
    pub number: u32,
    /// Where the thread runs.
    pub placement: Placement,
}

/// A thread pool and the entities of its group.
#[derive(Clone)]
pub struct ThreadPoolMembers {
    /// The pool.
    pub pool: Native<ThreadPool>,
    /// Indices of the entities.
    pub members: Vec<u32>,
}

/// A real-time policy of the operating system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Policy {
    /// Runs until it blocks.
    FirstInFirstOut(u8),
    /// Like the above, with time slices.
    RoundRobin(u8),
    /// A budget in every period.
    Deadline {
        /// Time the thread needs in a period.
        runtime: Duration,
        /// Deadline, counted from the start of a period.
        deadline: Duration,
        /// Length of a period.
        period: Duration,
    },
}

impl Policy {
    /// The policy of a `CPUThread` by name or by its number in Linux; `None` for the ordinary one.
    ///
    /// `numbers` are priority, runtime, deadline and period; the last three in nanoseconds.
    pub fn new(name: &str, numbers: [u64; 4]) -> Result<Option<Self>, String> {
        let [priority, runtime, deadline, period] = numbers;
        let priority = || match u8::try_from(priority) {
            Ok(priority @ 1..=99) => Ok(priority),
            _ => Err(format!("`sched_priority` must be from 1 to 99, not {priority}")),
        };
        match name.trim().to_ascii_uppercase().trim_start_matches("SCHED_") {
            "" | "0" | "OTHER" => Ok(None),
            "1" | "FIFO" | "KFIRSTINFIRSTOUT" => Ok(Some(Self::FirstInFirstOut(priority()?))),
            "2" | "RR" | "KROUNDROBIN" => Ok(Some(Self::RoundRobin(priority()?))),
            "6" | "DEADLINE" | "KDEADLINE" => {
                if !(0 < runtime && runtime <= deadline && deadline <= period) {
                    return Err("a deadline policy needs 0 < sched_runtime <= sched_deadline <= \
                                sched_period, in nanoseconds"
                        .to_owned());
                }
                let [runtime, deadline, period] =
                    [runtime, deadline, period].map(Duration::from_nanos);
                Ok(Some(Self::Deadline { runtime, deadline, period }))
            }
            _ => Err(format!(
                "`{name}` is not a scheduling policy; use SCHED_OTHER, SCHED_FIFO, SCHED_RR or \
                 SCHED_DEADLINE"
            )),
        }
    }
}

/// Applies a placement to the calling thread. If the system refuses, logs a warning; the graph runs
/// anyway.
pub fn place(placement: &Placement) {
    let name = std::thread::current().name().unwrap_or("a thread").to_owned();
    if !placement.cores.is_empty()
        && let Err(error) = pin(&placement.cores)
    {
        tracing::warn!("thread {name} cannot be kept on cores {:?}: {error}", placement.cores);
    }
    if let Some(policy) = placement.policy
        && let Err(error) = prioritize(policy)
    {
        tracing::warn!(
            "thread {name} cannot be scheduled by {policy:?}: {error}; this needs the capability \
             CAP_SYS_NICE"
        );
    }
}

fn pin(cores: &[u32]) -> Result<(), String> {
    let mut set = CpuSet::new();
    for core in cores {
        let core = *core as usize;
        if core >= CpuSet::MAX_CPU {
            return Err(format!("there is no core {core}"));
        }
        set.set(core);
    }
    sched_setaffinity(None, &set).map_err(|error| error.to_string())
}

fn prioritize(policy: Policy) -> Result<(), String> {
    let value =
        |priority: u8| ThreadPriorityValue::try_from(priority).map(ThreadPriority::Crossplatform);
    let (priority, policy) = match policy {
        Policy::FirstInFirstOut(priority) => (value(priority), RealtimeThreadSchedulePolicy::Fifo),
        Policy::RoundRobin(priority) => (value(priority), RealtimeThreadSchedulePolicy::RoundRobin),
        Policy::Deadline { runtime, deadline, period } => {
            let flags = DeadlineFlags::RESET_ON_FORK;
            let priority = ThreadPriority::Deadline { runtime, deadline, period, flags };
            (Ok(priority), RealtimeThreadSchedulePolicy::Deadline)
        }
    };
    let priority = priority?;
    set_thread_priority_and_policy(
        thread_native_id(),
        priority,
        ThreadSchedulePolicy::Realtime(policy),
    )
    .map_err(|error| format!("{error:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_have_names_and_numbers() {
        assert_eq!(Policy::new("", [0; 4]), Ok(None));
        assert_eq!(Policy::new("1", [5, 0, 0, 0]), Ok(Some(Policy::FirstInFirstOut(5))));
        assert_eq!(Policy::new("sched_rr", [99, 0, 0, 0]), Ok(Some(Policy::RoundRobin(99))));
        assert!(Policy::new("SCHED_DEADLINE", [0, 1, 2, 3]).is_ok_and(|policy| policy.is_some()));
    }

    #[test]
    fn wrong_policies_say_what_is_right() {
        let error = Policy::new("fast", [0; 4]).unwrap_err();
        assert!(error.contains("`fast` is not a scheduling policy"), "{error}");
        let error = Policy::new("SCHED_FIFO", [0; 4]).unwrap_err();
        assert!(error.contains("from 1 to 99, not 0"), "{error}");
        let error = Policy::new("SCHED_DEADLINE", [0, 3, 2, 1]).unwrap_err();
        assert!(error.contains("sched_runtime <= sched_deadline"), "{error}");
    }

    #[test]
    fn a_thread_stays_on_its_core() {
        let placed = std::thread::spawn(|| {
            let before = rustix::thread::sched_getaffinity(None).unwrap();
            let core = (0..CpuSet::MAX_CPU).find(|core| before.is_set(*core)).unwrap();
            place(&Placement { cores: vec![core as u32], policy: None });
            let after = rustix::thread::sched_getaffinity(None).unwrap();
            (after.count(), after.is_set(core))
        });
        assert_eq!(placed.join().unwrap(), (1, true));
    }
}
