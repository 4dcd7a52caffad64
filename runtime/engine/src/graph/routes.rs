//! Routes from transmitters to receivers: the `Connection` components of a graph in the order of
//! loading, then its `Topic` components.

use gxf_app::ParameterValue;
use gxf_plugin::component::Component as Instance;
use gxf_plugin_abi::{Tid, Uid};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Id of `Connection`.
pub const CONNECTION: Tid = Tid::new(0xcc71afae5ede47e9, 0xb26760a5c750a89a);

/// Id of `Topic`.
pub const TOPIC: Tid = Tid::new(0x705294948bca49ef, 0x51bf44b08ecf460b);

/// The routes that `Connection` and `Topic` components declare, in the order of loading.
#[derive(Default)]
pub struct Declared {
    /// The connections.
    pub connections: Vec<Connected>,
    /// By name, in the order in which the names appear.
    pub topics: Vec<Ends>,
    /// Position in `topics` by name.
    by_name: FxHashMap<String, usize>,
}

/// A `Connection` with both ends.
pub struct Connected {
    /// The connection itself.
    pub component: Uid,
    /// The transmitter.
    pub source: Uid,
    /// The receiver.
    pub target: Uid,
}

/// All `Topic` components of one name together.
#[derive(Default)]
pub struct Ends {
    /// The name.
    pub name: String,
    /// The components themselves.
    pub components: Vec<Uid>,
    /// The transmitters.
    pub transmitters: Vec<Uid>,
    /// The receivers.
    pub receivers: Vec<Uid>,
}

impl Declared {
    /// Adds a component if it is a connection or a topic. A connection without an end is left out:
    /// activation complains about the missing parameter.
    pub fn add(&mut self, component: &Instance) {
        let tid = component.type_info().tid;
        if tid == CONNECTION {
            let end = |key| match component.parameter(key) {
                Some(ParameterValue::Component(cid)) => Some(cid),
                _ => None,
            };
            if let (Some(source), Some(target)) = (end("source"), end("target")) {
                self.connections.push(Connected { component: component.cid(), source, target });
            }
        } else if tid == TOPIC {
            self.add_topic(component);
        }
    }

    fn add_topic(&mut self, component: &Instance) {
        let Some(ParameterValue::String(name)) = component.parameter("topic_name") else { return };
        let index = *self.by_name.entry(name.clone()).or_insert_with(|| {
            self.topics.push(Ends { name, ..Ends::default() });
            self.topics.len() - 1
        });
        let topic = &mut self.topics[index];
        topic.components.push(component.cid());
        let ends = [(&mut topic.transmitters, "transmitters"), (&mut topic.receivers, "receivers")];
        for (end, key) in ends {
            let Some(ParameterValue::List(list)) = component.parameter(key) else { continue };
            end.extend(list.iter().filter_map(|value| match value {
                ParameterValue::Component(cid) => Some(*cid),
                _ => None,
            }));
        }
    }
}

/// The routes of a graph.
#[derive(Default)]
pub struct Routes {
    receivers: FxHashMap<Uid, Vec<Uid>>,
    /// Pairs of connections with the same ends: an earlier one, and one that is ignored.
    repeated: Vec<[Uid; 2]>,
}

impl Routes {
    /// The routes that these connections and topics declare. As in GXF, a message reaches a
    /// receiver once, however often its transmitter is connected to it.
    pub fn of(declared: &Declared) -> Self {
        let mut routes = Self::default();
        // By route: the component that declares it.
        let mut known: FxHashMap<[Uid; 2], Uid> = FxHashMap::default();
        for Connected { component, source, target } in &declared.connections {
            match known.entry([*source, *target]) {
                Entry::Occupied(first) => routes.repeated.push([*first.get(), *component]),
                Entry::Vacant(route) => {
                    route.insert(*component);
                    routes.receivers.entry(*source).or_default().push(*target);
                }
            }
        }
        for topic in &declared.topics {
            for transmitter in &topic.transmitters {
                let reached = routes.receivers.entry(*transmitter).or_default();
                reached.extend(topic.receivers.iter().filter(|receiver| {
                    known.insert([*transmitter, **receiver], topic.components[0]).is_none()
                }));
            }
        }
        routes
    }

    /// Pairs of connections with the same ends: the first, and another one, which is ignored.
    pub fn repeated(&self) -> &[[Uid; 2]] {
        &self.repeated
    }

    /// The receivers of a transmitter.
    pub fn receivers(&self, transmitter: Uid) -> &[Uid] {
        self.receivers.get(&transmitter).map_or(&[], Vec::as_slice)
    }

    /// All transmitters with receivers.
    pub fn all(&self) -> impl Iterator<Item = (Uid, &[Uid])> {
        self.receivers.iter().map(|(transmitter, receivers)| (*transmitter, receivers.as_slice()))
    }

    /// By receiver: its transmitters.
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
