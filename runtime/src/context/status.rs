//! What each entity is doing now, as plain data, which `gxe top` shows.

use crate::inner::Inner;
use crate::lifecycle::calls::{Call, Subject};
use crate::lifecycle::state::GraphState;
use gxf_engine::entity::runner::Runner;
use gxf_engine::graph::store::Entity;
use gxf_engine::observe::statistics::LinkUse;
use gxf_engine::schedule::deadlock;
use gxf_engine::schedule::engine::StatusRow;
use gxf_engine::standard::deadline::Deadline;
use gxf_engine::standard::queue::DoubleBufferReceiver;
use gxf_plugin::component::{Component, FromComponent};
use gxf_plugin_abi::{Uid, tids};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// State of a graph at one moment; see [`crate::Context::status`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GraphStatus {
    /// Stage of the graph.
    pub state: GraphStage,
    /// Time of the scheduler's clock in nanoseconds; `None` if the graph does not run.
    pub time_ns: Option<i64>,
    /// The entities with codelets, in the order of activation.
    pub entities: Vec<EntityStatus>,
    /// What the threads of the scheduler are doing, with those of segments; empty if the graph does
    /// not run.
    pub threads: Vec<StatusRow>,
    /// The connected parts of the graph that the actor scheduler runs, with the number of their
    /// actors and of those that may still act or wait for credits; empty under other schedulers.
    pub jobs: Vec<StatusRow>,
    /// Calls that have not returned. Those of codelets also appear with their entities.
    pub calls: Vec<PendingCall>,
}

/// Stage of a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GraphStage {
    /// Loaded, and not active yet or no longer.
    #[default]
    Loaded,
    /// Components are being initialized.
    Activating,
    /// Active, and ready to run.
    Activated,
    /// Entities execute.
    Running,
    /// Running, with no entity executing until it resumes.
    Paused,
    /// Asked to stop.
    Stopping,
    /// Components are being deinitialized.
    Deactivating,
}

impl std::fmt::Display for GraphStage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // As in JSON.
        self.serialize(formatter)
    }
}

/// A call of an extension's code that has not returned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PendingCall {
    /// Name of the entity; `None` while a library or another file is being loaded.
    pub entity: Option<String>,
    /// Name of the component, or its type if it has none; or the path of a file.
    pub component: String,
    /// `load`, `create`, `initialize`, `start`, `tick`, `stop` or `deinitialize`.
    pub function: String,
    /// Number of successful ticks before, to distinguish ticks.
    pub ticks: u64,
    /// Duration of the call so far, in nanoseconds; `None` within a run, where no clock is read for
    /// it.
    pub elapsed_ns: Option<u64>,
}

/// What one entity is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EntityStatus {
    /// Name of the entity.
    pub name: String,
    /// GXF's name of its execution status.
    pub state: String,
    /// Number of successful ticks.
    pub ticks: u64,
    /// How long its latest ticks took; `None` unless they are sampled, see
    /// [`crate::Context::take_samples`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tick_ns: Option<TickTimes>,
    /// Number of ticks that missed a deadline of the entity.
    #[serde(skip_serializing_if = "is_zero")]
    pub missed_deadlines: u64,
    /// The codelet that is running.
    pub inside: Option<Activity>,
    /// What it waits for, with the queue and the term.
    pub waits: Option<String>,
    /// Its queues in order.
    pub queues: Vec<QueueStatus>,
}

/// How long a few ticks of an entity took, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TickTimes {
    /// Half of them took no longer.
    pub median: u64,
    /// The longest.
    pub max: u64,
}

/// A call of a codelet that has not returned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Activity {
    /// Name of the component, or its type if it has none.
    pub codelet: String,
    /// `start`, `tick` or `stop`.
    pub function: String,
}

/// Fill level of a queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct QueueStatus {
    /// Name of the component, or its type if it has none.
    pub name: String,
    /// Whether the entity receives through it; otherwise it sends.
    pub receives: bool,
    /// Messages in it, in all its stages; under the actor scheduler, instances of the register that are
    /// out, those on their way included.
    pub messages: u64,
    /// Capacity of a stage in messages; under the actor scheduler, instances of the register.
    pub capacity: u64,
    /// Messages that were lost here, because it was full.
    #[serde(skip_serializing_if = "is_zero")]
    pub lost: u64,
    /// The link to another process that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<LinkUse>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Inner {
    fn runners(&self) -> Vec<Arc<Runner>> {
        let run = self.run.lock();
        if run.leaving.is_empty() { run.runners.all() } else { run.leaving.clone() }
    }

    /// Calls that have not returned.
    pub fn calls(&self) -> Vec<PendingCall> {
        let outside = self.calls.open().into_iter().map(|call| self.pending(call));
        let inside = self.runners().into_iter().filter_map(|runner| {
            let Activity { codelet, function } = activity(&runner)?;
            let entity = Some(runner.entity.name().to_owned());
            let ticks = runner.ticks();
            Some(PendingCall { entity, component: codelet, function, ticks, elapsed_ns: None })
        });
        outside.chain(inside).collect()
    }

    fn pending(&self, call: Call) -> PendingCall {
        let (entity, component) = match call.subject {
            Subject::File(path) => (None, path.display().to_string()),
            Subject::Component { eid, cid, type_info } => {
                let store = self.graph.store.read();
                let entity = store.entity(eid).map(|entity| entity.name().to_owned());
                let component = store.component(cid).map(|component| component.label().to_owned());
                (entity, component.unwrap_or_else(|| type_info.name.clone()))
            }
        };
        PendingCall {
            entity,
            component,
            function: call.function.to_owned(),
            ticks: 0,
            elapsed_ns: Some(u64::try_from(call.since.elapsed().as_nanos()).unwrap_or(u64::MAX)),
        }
    }

    /// What the graph is doing now.
    pub fn status(&self) -> GraphStatus {
        let state = *self.state.lock();
        let runners = self.runners();
        let clock = self.observation.clock();
        let time_ns = clock.map(|clock| clock.timestamp());
        let state = match state {
            GraphState::Origin => GraphStage::Loaded,
            GraphState::Activating => GraphStage::Activating,
            GraphState::Activated => GraphStage::Activated,
            GraphState::Running if self.is_paused() => GraphStage::Paused,
            GraphState::Running => GraphStage::Running,
            GraphState::Interrupting => GraphStage::Stopping,
            GraphState::Deinitializing => GraphStage::Deactivating,
        };
        // Without a clock there is no time to ask the terms about.
        let waits = match time_ns {
            Some(now) => deadlock::waits(&self.graph, &runners, now),
            None => vec![None; runners.len()],
        };
        let entities = runners.iter().zip(waits).map(|(runner, waits)| EntityStatus {
            name: runner.entity.name().to_owned(),
            state: runner.status().name().to_owned(),
            ticks: runner.ticks(),
            tick_ns: self.tick_times(runner.entity.eid()),
            missed_deadlines: missed_deadlines(&runner.entity),
            inside: activity(runner),
            waits,
            queues: queues(&runner.entity),
        });
        let engine = self.engine();
        let threads = engine.as_ref().map(|engine| engine.rows()).unwrap_or_default();
        let jobs = engine.map(|engine| engine.jobs()).unwrap_or_default();
        let (entities, calls) = (entities.collect(), self.calls());
        let mut status = GraphStatus { state, time_ns, entities, threads, jobs, calls };
        self.add_segment_status(&mut status);
        status
    }

    fn tick_times(&self, entity: Uid) -> Option<TickTimes> {
        let times = self.observation.sample(entity)?.sorted();
        Some(TickTimes { median: *times.get(times.len() / 2)?, max: *times.last()? })
    }
}

fn activity(runner: &Runner) -> Option<Activity> {
    let (codelet, function) = runner.activity()?;
    Some(Activity { codelet: codelet.label().to_owned(), function: function.to_owned() })
}

fn missed_deadlines(entity: &Entity) -> u64 {
    let components = entity.components();
    let deadlines = components.iter().filter_map(|component| component.native::<Deadline>());
    deadlines.map(|deadline| deadline.kept().missed).sum()
}

fn queues(entity: &Entity) -> Vec<QueueStatus> {
    let components = entity.components();
    components.iter().filter_map(|component| queue(entity, component)).collect()
}

fn queue(entity: &Entity, component: &Arc<Component>) -> Option<QueueStatus> {
    let queue = gxf::Queue::from_component(component)?;
    // Under the actor scheduler, the number of instances.
    let room = component.native::<DoubleBufferReceiver>().map(|receiver| receiver.room());
    Some(QueueStatus {
        name: component.label().to_owned(),
        receives: component.is_a(tids::RECEIVER),
        messages: match component.native::<DoubleBufferReceiver>() {
            // With what is on its way from other threads, for which there is no room any more.
            Some(receiver) => receiver.buffer.taken(),
            None => queue.message_count() + queue.back_count(),
        } as u64,
        lost: component
            .native::<DoubleBufferReceiver>()
            .map_or(0, |receiver| receiver.buffer.lost()),
        capacity: room.unwrap_or_else(|| queue.capacity()) as u64,
        link: LinkUse::of(entity.name(), component),
    })
}
