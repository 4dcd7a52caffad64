//! The meaning of the scheduler components' parameters.

use crate::schedule::thread::{Placement, Policy};
use crate::standard::resources::{CPUThread, ThreadPool};
use crate::standard::scheduler::{
    ActorScheduler, EventBasedScheduler, GreedyScheduler, MultiThreadScheduler, Overrun,
    StaticScheduler,
};
use gxf_app::Diagnostic;
use gxf_app::error::{Error, Result};
use gxf_plugin::component::{Component, Native};
use gxf_plugin_abi::ResultCode;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Nanoseconds in a millisecond.
const MILLISECOND: i64 = 1_000_000;

/// Period for polling terms under the event-based scheduler, which has no parameter for it.
const POLL_PERIOD: i64 = 5 * MILLISECOND;

/// GXF's limit.
const MOST_WORKERS: i64 = 128;

/// Prefix of the names of threads that the application does not name.
const THREAD_NAME: &str = "gxe-worker";

/// Sets the place of a finding to where a scheduler, or another component, gets a parameter.
pub fn at_parameter(finding: Diagnostic, component: &Component, parameter: &str) -> Diagnostic {
    match component.parameter_place(parameter).or_else(|| component.place()) {
        Some(place) => finding.at(place),
        None => finding,
    }
}

/// The file that a scheduler's parameter names. A relative path starts at the folder of the app file
/// that sets it; if there is no such file, at the working directory.
pub fn named_file(scheduler: &Component, parameter: &str, path: &Path) -> PathBuf {
    let app = scheduler.parameter_place(parameter).map(|place| PathBuf::from(&place.source.name));
    match app.and_then(|app| Some(app.parent()?.join(path))) {
        Some(beside) if beside.is_file() || !path.is_file() => beside,
        _ => path.to_owned(),
    }
}

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
    /// Number of threads that are not pinned.
    pub workers: usize,
    /// Whether pinned workers execute only their entity.
    pub strict_pinning: bool,
    /// Whether all entities share the workers, instead of running on the thread pools of their
    /// groups.
    pub one_pool: bool,
    /// Prefix of the names of threads.
    pub thread_name: String,
    /// Where the threads run.
    pub placement: Placement,
}

/// Parameters of a run of actors.
pub struct ActorSettings {
    /// Nanoseconds of the clock.
    pub max_duration: Option<i64>,
    /// Whether a deadlock ends the run.
    pub stop_on_deadlock: bool,
    /// Number of threads, beside those of pinned entities.
    pub threads: u32,
    /// Number of instances of a register.
    pub register_num: u32,
    /// File with the plan.
    pub plan: Option<PathBuf>,
    /// Whether messages within a thread skip its channel.
    pub local_message_queue: bool,
    /// Whether actors take the shorter way where they can.
    pub light_actors: bool,
}

/// Parameters of a run by a static schedule.
pub struct StaticSettings {
    /// The schedule's file.
    pub schedule: PathBuf,
    /// Whether frames that cannot start on time are skipped.
    pub skips: bool,
    /// Nanoseconds of the clock.
    pub max_duration: Option<i64>,
    /// Whether a deadlock ends the run.
    pub stop_on_deadlock: bool,
    /// Pairs of a runnable and what executes it.
    pub entities: Vec<Vec<String>>,
    /// Whether runnables may be without an entity.
    pub absent_entities: bool,
    /// The longest time of submitted work.
    pub fence_timeout: Option<Duration>,
    /// The file of the log, and how much it keeps.
    pub log: Option<(PathBuf, usize)>,
}

impl StaticSettings {
    /// Those of a `StaticScheduler`.
    #[must_use]
    pub fn of(scheduler: &StaticScheduler) -> Self {
        let timeout = u64::try_from(*scheduler.fence_timeout_ms).ok();
        Self {
            schedule: scheduler.schedule.clone(),
            skips: *scheduler.on_overrun == Overrun::skip,
            max_duration: scheduler.max_duration_ms.map(nanoseconds),
            stop_on_deadlock: *scheduler.stop_on_deadlock,
            entities: scheduler.entities.clone(),
            absent_entities: *scheduler.absent_entities,
            fence_timeout: timeout.map(Duration::from_millis),
            log: (*scheduler.log)
                .clone()
                .map(|path| (path, usize::try_from(*scheduler.log_limit).unwrap_or(usize::MAX))),
        }
    }
}

/// Nanoseconds of a whole number of milliseconds.
fn nanoseconds(milliseconds: i64) -> i64 {
    milliseconds.saturating_mul(MILLISECOND)
}

/// Nanoseconds of a fraction of milliseconds.
#[expect(clippy::cast_possible_truncation, reason = "saturates, which is right for a duration")]
fn nanoseconds_of(milliseconds: f64) -> i64 {
    (milliseconds * MILLISECOND as f64) as i64
}

pub(super) fn out_of_range(component: &Component, text: impl std::fmt::Display) -> Error {
    let text = format!("{}: {text}", component.description());
    Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text)
}

/// The same for a parameter of a component of any entity, at its place.
fn out_of_range_at(component: &Component, parameter: &str, text: String) -> Error {
    let finding = Diagnostic::error(ResultCode::PARAMETER_OUT_OF_RANGE, text);
    let finding = at_parameter(finding, component, parameter);
    Error::from_diagnostics(component.description(), finding.into())
}

/// The number of worker threads that a scheduler asks for.
fn workers(scheduler: &Component, number: i64) -> Result<usize> {
    let valid = usize::try_from(number).ok().filter(|_| (1..=MOST_WORKERS).contains(&number));
    valid.ok_or_else(|| {
        let text = format!("`worker_thread_number` must be from 1 to {MOST_WORKERS}, not {number}");
        out_of_range(scheduler, text)
    })
}

fn thread_name(name: &str) -> String {
    if name.is_empty() { THREAD_NAME.to_owned() } else { name.to_owned() }
}

impl Default for GreedySettings {
    /// Those of a scheduler without parameters.
    fn default() -> Self {
        Self {
            max_duration: None,
            stop_on_deadlock: true,
            recession_period: 0,
            deadlock_timeout: 0,
        }
    }
}

impl GreedySettings {
    /// Those of a `GreedyScheduler`.
    #[must_use]
    pub fn of(scheduler: &GreedyScheduler) -> Self {
        let period =
            scheduler.check_recess_period_ms.unwrap_or(*scheduler.check_recession_period_ms);
        Self {
            max_duration: scheduler.max_duration_ms.map(nanoseconds),
            stop_on_deadlock: *scheduler.stop_on_deadlock,
            recession_period: nanoseconds_of(period),
            deadlock_timeout: nanoseconds(*scheduler.stop_on_deadlock_timeout),
        }
    }
}

/// A switch that OneFlow's environment variable overrides.
fn switch(parameter: bool, variable: &str) -> bool {
    match std::env::var(variable).as_deref() {
        Ok("1" | "true" | "True" | "TRUE" | "on" | "ON" | "yes") => true,
        Ok("0" | "false" | "False" | "FALSE" | "off" | "OFF" | "no") => false,
        _ => parameter,
    }
}

impl ActorSettings {
    /// Those of an `ActorScheduler`.
    ///
    /// # Errors
    /// `PARAMETER_OUT_OF_RANGE` for an impossible number of threads or instances.
    pub fn of(scheduler: &Native<ActorScheduler>) -> Result<Self> {
        let component = scheduler.component();
        let (threads, register_num) = (*scheduler.threads, *scheduler.register_num);
        let valid = u32::try_from(threads).ok().filter(|_| (1..=MOST_WORKERS).contains(&threads));
        let threads = valid.ok_or_else(|| {
            let text = format!("`threads` must be from 1 to {MOST_WORKERS}, not {threads}");
            out_of_range(component, text)
        })?;
        let valid = u32::try_from(register_num).ok();
        let valid = valid.filter(|number| (1..=gxf_plan::MOST_INSTANCES).contains(number));
        let register_num = valid.ok_or_else(|| {
            let most = gxf_plan::MOST_INSTANCES;
            let text = format!("`register_num` must be from 1 to {most}, not {register_num}");
            out_of_range(component, text)
        })?;
        Ok(Self {
            max_duration: scheduler.max_duration_ms.map(nanoseconds),
            stop_on_deadlock: *scheduler.stop_on_deadlock,
            threads,
            register_num,
            plan: scheduler.plan.clone(),
            local_message_queue: switch(
                *scheduler.local_message_queue,
                "ONEFLOW_THREAD_ENABLE_LOCAL_MESSAGE_QUEUE",
            ),
            light_actors: switch(*scheduler.light_actors, "ONEFLOW_ACTOR_ENABLE_LIGHT_ACTOR"),
        })
    }
}

impl PoolSettings {
    /// Those of a `MultiThreadScheduler`.
    ///
    /// # Errors
    /// `PARAMETER_OUT_OF_RANGE` for a number of workers that is impossible.
    pub fn of_multi_thread(scheduler: &Native<MultiThreadScheduler>) -> Result<Self> {
        let period =
            scheduler.check_recess_period_ms.unwrap_or(*scheduler.check_recession_period_ms);
        Ok(Self {
            max_duration: scheduler.max_duration_ms.map(nanoseconds),
            stop_on_deadlock: *scheduler.stop_on_deadlock,
            recession_period: nanoseconds_of(period).max(0),
            deadlock_timeout: nanoseconds(*scheduler.stop_on_deadlock_timeout),
            workers: workers(scheduler.component(), *scheduler.worker_thread_number)?,
            strict_pinning: *scheduler.strict_job_thread_pinning,
            one_pool: *scheduler.thread_pool_allocation_auto,
            thread_name: thread_name(&scheduler.worker_thread_name_id),
            placement: Placement::default(),
        })
    }

    /// The settings of an `EventBasedScheduler`. As in GXF, it uses a pinned entity's thread for
    /// nothing else.
    ///
    /// # Errors
    /// See [`Self::of_multi_thread`].
    pub fn of_event_based(scheduler: &Native<EventBasedScheduler>) -> Result<Self> {
        Ok(Self {
            max_duration: scheduler.max_duration_ms.map(nanoseconds),
            stop_on_deadlock: *scheduler.stop_on_deadlock,
            recession_period: POLL_PERIOD,
            deadlock_timeout: nanoseconds(*scheduler.stop_on_deadlock_timeout),
            workers: workers(scheduler.component(), *scheduler.worker_thread_number)?,
            strict_pinning: true,
            one_pool: *scheduler.thread_pool_allocation_auto,
            thread_name: thread_name(&scheduler.worker_thread_name_id),
            placement: Placement { cores: scheduler.pin_cores.clone(), policy: None },
        })
    }
}
/// How many threads a `ThreadPool` has for the entities of its group, at least one, and where they
/// run: as ordinary threads for priority 0, else as real-time ones that share their cores in turn.
///
/// # Errors
/// `PARAMETER_OUT_OF_RANGE` for a priority or a number of threads that is impossible.
pub fn thread_pool(pool: &Native<ThreadPool>) -> Result<(usize, Placement)> {
    let component = pool.component();
    let (size, priority) = (*pool.initial_size, *pool.priority);
    let size = usize::try_from(size).ok().filter(|_| size <= MOST_WORKERS).ok_or_else(|| {
        let text = format!("`initial_size` must be from 0 to {MOST_WORKERS}, not {size}");
        out_of_range_at(component, "initial_size", text)
    })?;
    let policy = match u8::try_from(priority) {
        Ok(0) => None,
        Ok(priority @ 1..=99) => Some(Policy::RoundRobin(priority)),
        _ => {
            let text = format!("`priority` must be from 0 to 99, not {priority}");
            return Err(out_of_range_at(component, "priority", text));
        }
    };
    Ok((size.max(1), Placement { cores: pool.pin_cores.clone(), policy }))
}

/// Whether a `CPUThread` requests a thread of its own, and where. `pool` is the thread pool of the
/// entity's group, whose cores count if the component names none.
///
/// # Errors
/// `PARAMETER_OUT_OF_RANGE` for an unknown policy, or one with impossible numbers.
pub fn pinning(
    cpu_thread: &Native<CPUThread>,
    pool: Option<&Native<ThreadPool>>,
) -> Result<Option<Placement>> {
    if !*cpu_thread.pin_entity {
        return Ok(None);
    }
    let numbers = [
        *cpu_thread.sched_priority,
        *cpu_thread.sched_runtime,
        *cpu_thread.sched_deadline,
        *cpu_thread.sched_period,
    ];
    let policy = Policy::new(&cpu_thread.sched_policy, numbers)
        .map_err(|text| out_of_range(cpu_thread.component(), text))?;
    let mut cores = cpu_thread.pin_cores.clone();
    if let Some(pool) = pool.filter(|_| cores.is_empty()) {
        cores = pool.pin_cores.clone();
    }
    Ok(Some(Placement { cores, policy }))
}
