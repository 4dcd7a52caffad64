//! Which transmitter leads to which receivers: the `Connection` components of a graph in the order
//! of loading, then its `Topic` components.

use crate::graph::ParameterValue;
use crate::plugin::component::Component as Instance;
use gxf::prelude::*;
use gxf_plugin_abi::{Tid, Uid};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Leads everything a transmitter sends to a receiver. May stand in any entity.
#[derive(Component, Default)]
pub(crate) struct Connection {
    /// Where messages come from.
    source: Parameter<Handle<Transmitter>>,
    /// Where they go.
    target: Parameter<Handle<Receiver>>,
}

/// Leads everything that the transmitters of a topic send to all receivers of the topic. All
/// components with the same topic name make one topic; they may stand in any entity.
#[derive(Component, Default)]
pub(crate) struct Topic {
    /// Name of the topic.
    #[parameter(headline = "Topic name")]
    topic_name: Parameter<String>,
    /// Transmitters that send to the topic.
    #[parameter(headline = "Transmitters", default = Vec::new())]
    transmitters: Parameter<Vec<Handle<Transmitter>>>,
    /// Receivers that get what is sent to the topic.
    #[parameter(headline = "Receivers", default = Vec::new())]
    receivers: Parameter<Vec<Handle<Receiver>>>,
}

/// Id of [`Topic`].
pub(crate) const TOPIC: Tid = Tid::new(0x705294948bca49ef, 0x51bf44b08ecf460b);

/// The routes of a graph.
#[derive(Default)]
pub(crate) struct Routes {
    receivers: FxHashMap<Uid, Vec<Uid>>,
}

impl Routes {
    /// Adds a connection.
    pub fn add(&mut self, transmitter: Uid, receiver: Uid) {
        self.receivers.entry(transmitter).or_default().push(receiver);
    }

    /// Adds what the topics among these components declare. A receiver that a transmitter leads to
    /// already is not added again.
    pub fn add_topics(&mut self, components: &[Arc<Instance>]) {
        let mut topics: FxHashMap<String, [Vec<Uid>; 2]> = FxHashMap::default();
        let mut names = Vec::new();
        for component in components.iter().filter(|known| known.type_info().tid == TOPIC) {
            let Some(ParameterValue::String(name)) = component.parameter("topic_name") else {
                continue;
            };
            let ends = topics.entry(name.clone()).or_insert_with(|| {
                names.push(name);
                Default::default()
            });
            for (end, key) in ends.iter_mut().zip(["transmitters", "receivers"]) {
                if let Some(ParameterValue::List(list)) = component.parameter(key) {
                    end.extend(list.iter().filter_map(|value| match value {
                        ParameterValue::Component(cid) => Some(*cid),
                        _ => None,
                    }));
                }
            }
        }
        for name in &names {
            let [transmitters, receivers] = &topics[name];
            for transmitter in transmitters {
                let known = self.receivers.entry(*transmitter).or_default();
                for receiver in receivers {
                    if !known.contains(receiver) {
                        known.push(*receiver);
                    }
                }
            }
        }
    }

    /// The receivers of a transmitter.
    pub fn receivers(&self, transmitter: Uid) -> &[Uid] {
        self.receivers.get(&transmitter).map_or(&[], Vec::as_slice)
    }

    /// By receiver: the transmitters that lead there.
    pub fn sources(&self) -> FxHashMap<Uid, Vec<Uid>> {
        let mut sources: FxHashMap<Uid, Vec<Uid>> = FxHashMap::default();
        for (transmitter, receivers) in &self.receivers {
            for receiver in receivers {
                sources.entry(*receiver).or_default().push(*transmitter);
            }
        }
        for transmitters in sources.values_mut() {
            transmitters.sort_unstable();
        }
        sources
    }
}

/// Leads messages from transmitters to receivers. Every graph does that by itself; the type is there
/// for applications written for GXF that name it.
#[derive(Component, Default)]
pub(crate) struct MessageRouter {}

/// Leads messages to and from network contexts. Every graph does that by itself; the type is there
/// for applications written for GXF that name it.
#[derive(Component, Default)]
pub(crate) struct NetworkRouter {}

/// All routers of a graph. Every graph asks all its routers by itself; the type is there for
/// applications written for GXF that name it.
#[derive(Component, Default)]
pub(crate) struct RouterGroup {}

/// All systems of a graph. Every graph runs all its systems by itself; the type is there for
/// applications written for GXF that name it.
#[derive(Component, Default)]
pub(crate) struct SystemGroup {}
