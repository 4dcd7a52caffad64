//! Which transmitter leads to which receivers: the `Connection` components of a graph, in the
//! order of their ids.

use gxf::prelude::*;
use gxf_plugin_abi::Uid;
use rustc_hash::FxHashMap;

/// Leads everything a transmitter sends to a receiver. May stand in any entity.
#[derive(Component, Default)]
pub(crate) struct Connection {
    /// Where messages come from.
    source: Parameter<Handle<Transmitter>>,
    /// Where they go.
    target: Parameter<Handle<Receiver>>,
}

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

    /// The receivers of a transmitter.
    pub fn receivers(&self, transmitter: Uid) -> &[Uid] {
        self.receivers.get(&transmitter).map_or(&[], Vec::as_slice)
    }
}
