//! What a run measured, as plain data: what `gxe --statistics` prints and writes.

use serde::Serialize;
use serde::ser::SerializeMap;

/// What a run measured; see [`crate::Context::enable_statistics`].
///
/// Execution is measured in real time, waiting in the time of the scheduler's clock. Quantiles are
/// precise to two digits.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Statistics {
    /// Type of the scheduler.
    pub scheduler: String,
    /// How long the graph ran so far, in nanoseconds of real time.
    pub duration_ns: u64,
    /// The entities with codelets, in the order of activation; of those that were destroyed the latest
    /// hundred.
    pub entities: Vec<EntityStatistics>,
    /// What came before those and is summed up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub departed: Option<DepartedStatistics>,
    /// Their queues.
    pub queues: Vec<QueueStatistics>,
    /// Pairs of a transmitter and a receiver it leads to.
    pub connections: Vec<ConnectionStatistics>,
    /// The allocators of the graph.
    pub allocators: Vec<AllocatorUse>,
}

/// What one entity did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EntityStatistics {
    /// Name of the entity.
    pub name: String,
    /// Id of the entity.
    #[serde(skip)]
    pub eid: i64,
    /// GXF's word for the state of its execution.
    pub state: String,
    /// Number of successful ticks.
    pub ticks: u64,
    /// Number of ticks that failed. Mostly that ends the graph; in a behaviour tree it need not.
    pub failed_ticks: u64,
    /// Ticks in a second of the run.
    pub rate_hz: f64,
    /// How long its ticks took.
    pub execution_ns: Times,
    /// Share of the run's time it was executing, in percent.
    pub load_percent: f64,
    /// How much later than its terms allowed it was executed, in nanoseconds of the scheduler's
    /// clock, where a term named a time.
    pub variation_ns: Times,
    /// How long each term kept it waiting, in nanoseconds of the scheduler's clock.
    #[serde(serialize_with = "by_term")]
    pub waited_ns: Vec<(String, i64)>,
    /// Its codelets in their order.
    pub codelets: Vec<CodeletStatistics>,
    /// Its terms in their order, combiners last.
    pub terms: Vec<TermStatistics>,
    /// The latest changes of its condition, the oldest first.
    #[serde(skip)]
    pub events: Vec<StateChange>,
}

/// What entities did that were destroyed long ago, and what went over connections that are no more.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct DepartedStatistics {
    /// Number of these entities.
    pub entities: u64,
    /// Number of their successful ticks.
    pub ticks: u64,
    /// Number of their ticks that failed.
    pub failed_ticks: u64,
    /// How long their ticks took.
    pub execution_ns: Times,
    /// Messages sent, also by entities that are still there over connections that are not.
    pub messages: u64,
    /// Those of them whose arrival cost a message.
    pub dropped: u64,
}

/// How long something took, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Times {
    /// All together.
    pub total: u64,
    /// On average.
    pub mean: f64,
    /// Half of them took no longer.
    pub median: u64,
    /// 90 of 100 took no longer.
    pub p90: u64,
    /// 95 of 100 took no longer.
    pub p95: u64,
    /// 99 of 100 took no longer.
    pub p99: u64,
    /// The longest.
    pub max: u64,
}

/// What one codelet did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CodeletStatistics {
    /// Name of the component, or its type.
    pub name: String,
    /// Id of the component.
    #[serde(skip)]
    pub cid: i64,
    /// Number of ticks.
    pub ticks: u64,
    /// Ticks in a second of the run.
    pub rate_hz: f64,
    /// How long they took.
    pub execution_ns: Times,
}

/// What one scheduling term or combiner of terms said.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TermStatistics {
    /// Name of the component, or its type.
    pub name: String,
    /// How often it changed to each state, and how long it was in it, in nanoseconds of the
    /// scheduler's clock: Never, Ready, Wait, WaitTime, WaitEvent.
    pub states: Vec<StateStatistics>,
}

/// One state of a [`TermStatistics`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StateStatistics {
    /// GXF's word for it.
    pub state: &'static str,
    /// How often the term came to it.
    pub count: u64,
    /// How long it was in it, in nanoseconds of the scheduler's clock.
    pub duration_ns: i64,
}

/// A change of what an entity's terms say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StateChange {
    /// When, in nanoseconds of the scheduler's clock.
    pub timestamp: i64,
    /// GXF's word for what they say since.
    pub state: &'static str,
}

/// How full one queue was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct QueueStatistics {
    /// Name of its entity.
    pub entity: String,
    /// Name of the component.
    pub component: String,
    /// Messages it holds at most.
    pub capacity: u64,
    /// Messages that half of the samples did not exceed. A receiver is looked at before each tick of
    /// its entity, a transmitter after.
    pub median_fill: u64,
    /// Most messages in a sample.
    pub max_fill: u64,
    /// Messages taken out.
    pub messages: u64,
    /// Messages lost here.
    pub dropped: u64,
}

/// What went over one connection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ConnectionStatistics {
    /// The transmitter, as `entity/component`.
    pub source: String,
    /// The receiver, as `entity/component`.
    pub target: String,
    /// Messages sent.
    pub messages: u64,
    /// Those whose arrival cost a message: the receiver was full.
    pub dropped: u64,
}

/// What one allocator handed out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AllocatorUse {
    /// Name of its entity.
    pub entity: String,
    /// Name of the component.
    pub component: String,
    /// Bytes in use now.
    pub used_bytes: u64,
    /// Most bytes that were in use at once.
    pub peak_bytes: u64,
    /// Pieces of memory handed out so far.
    pub allocations: u64,
}

fn by_term<S: serde::Serializer>(
    waited: &[(String, i64)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(waited.len()))?;
    for (term, time) in waited {
        map.serialize_entry(term, time)?;
    }
    map.end()
}

impl Statistics {
    /// The statistics as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("keys are texts");
        text.push('\n');
        text
    }
}
