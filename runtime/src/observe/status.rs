//! What each entity does at this moment, as plain data: what `gxe top` shows.

use crate::context::Inner;
use crate::entity::runner::{Runner, Status};
use crate::entity::store::Entity;
use crate::lifecycle::GraphState;
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
    /// Why it does not run: `for` a term, and the queues that the term looks at.
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
    /// What the graph does at this moment.
    pub fn status(&self) -> GraphStatus {
        let state = *self.state.lock();
        let runners = {
            let run = self.run.lock();
            if run.leaving.is_empty() { run.roster.all() } else { run.leaving.clone() }
        };
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
        GraphStatus { state: state.to_owned(), time_ns, entities: entities.collect() }
    }
}

fn activity(runner: &Runner) -> Option<Activity> {
    let function = match runner.status() {
        status if status == Status::StartPending as u8 => "start",
        status if status == Status::Ticking as u8 => "tick",
        status if status == Status::StopPending as u8 => "stop",
        _ => return None,
    };
    let components = runner.entity.components();
    let mut codelets = components.iter().filter(|component| component.is_a(tids::CODELET));
    let codelet = codelets.nth(runner.inside())?.label().to_owned();
    Some(Activity { codelet, function: function.to_owned() })
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
