//! What scheduling terms wait for: a table of types, and functions to read their parameters.

use super::graph::{Graph, number, targets};
use gxf_app::ParameterValue;
use gxf_plugin::component::Component;
use gxf_plugin_abi::Uid;

/// How many messages a type of term waits for.
enum Need {
    /// The value of a parameter, in one receiver.
    Parameter(&'static str),
    /// At least one.
    One,
    /// Depends on the parameters `sampling_mode`, `min_sizes`, `min_sum` and `min_size`.
    Sampling,
}

/// Terms that never say READY without messages: the type, the parameter with the receivers, the
/// number of messages. All other terms may let the entity tick without messages.
const WAITING: &[(&str, &str, Need)] = &[
    ("nvidia::gxf::MessageAvailableSchedulingTerm", "receiver", Need::Parameter("min_size")),
    ("nvidia::gxf::ExpiringMessageAvailableSchedulingTerm", "receiver", Need::One),
    ("nvidia::gxf::MultiMessageAvailableSchedulingTerm", "receivers", Need::Sampling),
];

/// Terms that need fewer messages after some time, in the same form.
const BATCHING: &[(&str, &str, Need)] = &[
    (
        "nvidia::gxf::ExpiringMessageAvailableSchedulingTerm",
        "receiver",
        Need::Parameter("max_batch_size"),
    ),
    ("nvidia::gxf::MessageAvailableFrequencyThrottler", "receivers", Need::Sampling),
    ("nvidia::holoscan::MultiMessageAvailableTimeoutSchedulingTerm", "receivers", Need::Sampling),
];

/// The type of the term that waits for room.
pub(super) const BACK_PRESSURE: &str = "nvidia::gxf::DownstreamReceptiveSchedulingTerm";

/// The type of the term that ends its entity after a number of ticks.
pub(super) const COUNT: &str = "nvidia::gxf::CountSchedulingTerm";

/// The queue that never makes a term wait: it always reports one message.
const ALWAYS_FULL: &str = "nvidia::gxf::AsyncBufferReceiver";

/// The messages that a term needs before its entity can tick.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Demand {
    /// This number in each of these receivers.
    Each(Vec<(Uid, u64)>),
    /// This number in all receivers together.
    Sum(Vec<Uid>, u64),
}

impl Demand {
    /// What a term waits for; `None` if the entity may tick without messages.
    pub fn of(graph: &Graph<'_>, term: &Component) -> Option<Self> {
        Self::read(WAITING, graph, term)
    }

    /// What a term waits for until its time-out; `None` if it has none.
    pub fn in_time(graph: &Graph<'_>, term: &Component) -> Option<Self> {
        Self::read(BATCHING, graph, term)
    }

    fn read(table: &[(&str, &str, Need)], graph: &Graph<'_>, term: &Component) -> Option<Self> {
        let name = term.type_info().name.as_str();
        let (_, key, need) = table.iter().find(|(known, ..)| *known == name)?;
        let receivers = term.parameter(key).map(|value| targets(&value)).unwrap_or_default();
        let demand = match need {
            Need::Parameter(key) => {
                let wanted = term.parameter(key).as_ref().and_then(number).unwrap_or(1);
                Self::Each(receivers.into_iter().map(|receiver| (receiver, wanted)).collect())
            }
            Need::One => Self::Each(receivers.into_iter().map(|receiver| (receiver, 1)).collect()),
            Need::Sampling => sampling(term, receivers),
        };
        demand.without_always_full(graph)
    }

    /// The remaining need without the queues that always report a message.
    fn without_always_full(self, graph: &Graph<'_>) -> Option<Self> {
        let waits = |receiver: Uid| {
            let queue = graph.component(receiver);
            queue.is_some_and(|queue| queue.type_info().name != ALWAYS_FULL)
        };
        match self {
            Self::Each(mut list) => {
                list.retain(|(receiver, wanted)| *wanted > 0 && waits(*receiver));
                (!list.is_empty()).then_some(Self::Each(list))
            }
            Self::Sum(receivers, wanted) => {
                let all_wait = receivers.iter().all(|receiver| waits(*receiver));
                (wanted > 0 && all_wait).then_some(Self::Sum(receivers, wanted))
            }
        }
    }

    /// Whether it takes messages of this receiver to meet it, perhaps with others in its place.
    pub fn counts(&self, receiver: Uid) -> bool {
        self.receivers().contains(&receiver)
    }

    /// The watched receivers.
    pub fn receivers(&self) -> Vec<Uid> {
        match self {
            Self::Each(list) => list.iter().map(|(receiver, _)| *receiver).collect(),
            Self::Sum(receivers, _) => receivers.clone(),
        }
    }
}

fn sampling(term: &Component, receivers: Vec<Uid>) -> Demand {
    let is_each = matches!(
        term.parameter("sampling_mode"),
        Some(ParameterValue::Custom(mode) | ParameterValue::String(mode))
            if mode.trim() == "PerReceiver"
    );
    if is_each {
        let Some(ParameterValue::List(sizes)) = term.parameter("min_sizes") else {
            return Demand::Each(Vec::new());
        };
        let sizes = sizes.iter().map(|size| number(size).unwrap_or(0));
        return Demand::Each(receivers.into_iter().zip(sizes).collect());
    }
    let sum = ["min_sum", "min_size"].iter().find_map(|key| number(&term.parameter(key)?));
    Demand::Sum(receivers, sum.unwrap_or(1))
}

/// Most messages that a receiver holds before it is first read; `None` for no limit.
pub(super) fn capacity(receiver: &Component) -> Option<u64> {
    receiver.parameter("capacity").as_ref().and_then(number)
}
