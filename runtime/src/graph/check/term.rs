//! What scheduling terms wait for: a table of the types, and the readers of their parameters.

use super::graph::{Graph, number, targets};
use crate::graph::ParameterValue;
use crate::plugin::component::Component;
use gxf_plugin_abi::Uid;

/// How a type of terms says for how many messages it waits.
enum Need {
    /// As many as a parameter says, in one receiver.
    Parameter(&'static str),
    /// At least one.
    One,
    /// By the parameters `sampling_mode`, `min_sizes`, `min_sum` and `min_size`.
    Sampling,
}

/// Terms that never say READY without messages: the type, the parameter with the receivers, the
/// number of messages. All other terms may tick by themselves.
const WAITING: &[(&str, &str, Need)] = &[
    ("nvidia::gxf::MessageAvailableSchedulingTerm", "receiver", Need::Parameter("min_size")),
    ("nvidia::gxf::ExpiringMessageAvailableSchedulingTerm", "receiver", Need::One),
    ("nvidia::gxf::MultiMessageAvailableSchedulingTerm", "receivers", Need::Sampling),
];

/// Terms for which fewer messages are enough once a time is over, as above.
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

/// The queue that never makes anybody wait: it always reports its one message.
const ALWAYS_FULL: &str = "nvidia::gxf::AsyncBufferReceiver";

/// The messages without which a term does not let its entity tick.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Demand {
    /// In each of these receivers that many.
    Each(Vec<(Uid, u64)>),
    /// In all of them together.
    Sum(Vec<Uid>, u64),
}

impl Demand {
    /// What a term waits for; none if it may tick without messages.
    pub fn of(graph: &Graph<'_>, term: &Component) -> Option<Self> {
        Self::read(WAITING, graph, term)
    }

    /// What a term waits for until its time is over; none if it knows no such time.
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

    /// What is left to wait for when queues that always report a message are not counted.
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

    /// The receivers that are looked at.
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

/// Messages a receiver holds at most before it was read for the first time; none for any number.
pub(super) fn capacity(receiver: &Component) -> Option<u64> {
    receiver.parameter("capacity").as_ref().and_then(number)
}
