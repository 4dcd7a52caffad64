//! What each entity does at this moment, as plain data: what `gxe top` shows.

use crate::context::Inner;
use crate::entity::runner::Runner;
use crate::entity::store::Entity;
use crate::lifecycle::{Call, GraphState, Subject};
use crate::plugin::component::{Component, FromComponent};
use crate::schedule::report;
use gxf_plugin_abi::tids;
use serde::Serialize;
use std::sync::Arc;

/// What a graph does at one moment; see [`crate::Context::status`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GraphStatus {
    /// `loaded`, `activating`, `activated`, `running`, `paused`, `stopping` or `deactivating`.
    pub state: String,
    /// The time of the scheduler's clock in nanoseconds; `None` when nothing runs.
    pub time_ns: Option<i64>,
    /// The entities with codelets, in the order of activation.
    pub entities: Vec<EntityStatus>,
    /// Calls that have not returned; those of codelets are told by their entities, too.
    pub calls: Vec<PendingCall>,
}

/// A call of an extension's code that has not returned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PendingCall {
    /// Name of the entity; none while a library or another file is loaded.
    pub entity: Option<String>,
    /// Name of the component, or its type; the path of a file.
    pub component: String,
    /// `load`, `create`, `initialize`, `start`, `tick`, `stop` or `deinitialize`.
    pub function: String,
    /// Number of successful ticks before, which tells one tick from the next.
    pub ticks: u64,
    /// How long it has been going on, in nanoseconds; none within a run, where nobody looks at a
    /// clock for it.
    pub elapsed_ns: Option<u64>,
}

/// What one entity does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EntityStatus {
    /// Name of the entity.
    pub name: String,
    /// GXF's word for the state of its execution.
    pub state: String,
    /// Number of successful ticks.
    pub ticks: u64,
    /// The codelet that is being called.
    pub inside: Option<Activity>,
    /// Why it does not run: `for` what, of which queue, and which term says so.
    pub waits: Option<String>,
    /// Its queues in their order.
    pub queues: Vec<QueueStatus>,
}

/// A call of a codelet that has not returned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Activity {
    /// Name of the component, or its type.
    pub codelet: String,
    /// `start`, `tick` or `stop`.
    pub function: String,
}

/// How full a queue is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct QueueStatus {
    /// Name of the component, or its type.
    pub name: String,
    /// Whether the entity receives through it; otherwise it sends.
    pub receives: bool,
    /// Messages in it, in all its stages.
    pub messages: u64,
    /// Messages a stage holds at most.
    pub capacity: u64,
}

impl Inner {
    fn runners(&self) -> Vec<Arc<Runner>> {
        let run = self.run.lock();
        if run.leaving.is_empty() { run.roster.all() } else { run.leaving.clone() }
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
                let store = self.store.read();
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

    /// What the graph does at this moment.
    pub fn status(&self) -> GraphStatus {
        let state = *self.state.lock();
        let runners = self.runners();
        let clock = self.observation.clock();
        let time_ns = clock.map(|clock| clock.timestamp());
        let state = match state {
            GraphState::Origin => "loaded",
            GraphState::Activating => "activating",
            GraphState::Activated => "activated",
            GraphState::Running if self.is_paused() => "paused",
            GraphState::Running => "running",
            GraphState::Interrupting => "stopping",
            GraphState::Deinitializing => "deactivating",
        };
        // Without a clock there is no time at which terms could be asked.
        let waits = match time_ns {
            Some(now) => report::waits(self, &runners, now),
            None => vec![None; runners.len()],
        };
        let entities = runners.iter().zip(waits).map(|(runner, waits)| EntityStatus {
            name: runner.entity.name().to_owned(),
            state: runner.state_name().to_owned(),
            ticks: runner.ticks(),
            inside: activity(runner),
            waits,
            queues: queues(&runner.entity),
        });
        GraphStatus {
            state: state.to_owned(),
            time_ns,
            entities: entities.collect(),
            calls: self.calls(),
        }
    }
}

fn activity(runner: &Runner) -> Option<Activity> {
    let (codelet, function) = runner.activity()?;
    Some(Activity { codelet: codelet.label().to_owned(), function: function.to_owned() })
}

fn queues(entity: &Entity) -> Vec<QueueStatus> {
    let components = entity.components();
    components.iter().filter_map(queue).collect()
}

fn queue(component: &Arc<Component>) -> Option<QueueStatus> {
    let queue = gxf::Queue::from_component(component)?;
    Some(QueueStatus {
        name: component.label().to_owned(),
        receives: component.is_a(tids::RECEIVER),
        messages: (queue.message_count() + queue.back_count()) as u64,
        capacity: queue.capacity() as u64,
    })
}
