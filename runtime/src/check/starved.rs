//! What a graph sends over links while others send it nothing: a part of an analysis of several graphs
//! that lead to each other.

use super::graph::{Graph, has_codelet};
use super::liveness::{Cause, Liveness};
use gxf_app::Span;
use gxf_plugin_abi::{Uid, tids};
use rustc_hash::FxHashSet;

/// A transmitter that never sends anything.
#[derive(Clone, Debug)]
pub struct Starved {
    /// The transmitter.
    pub transmitter: Uid,
    /// The receiver whose messages its entity waits for, perhaps through other entities.
    pub receiver: Uid,
    /// The term that waits for the receiver.
    pub place: Option<Span>,
}

/// The transmitters of entities that never tick if these receivers stay empty, because of one of them.
pub(crate) fn starved(inner: &crate::inner::Inner, empty: &[Uid]) -> Vec<Starved> {
    let empty: FxHashSet<Uid> = empty.iter().copied().collect();
    let mut graph = Graph::new(inner);
    graph.empty = empty;
    let liveness = Liveness::new(&graph);
    let mut found = Vec::new();
    for entity in graph.entities.iter().filter(|entity| has_codelet(entity)) {
        let Some(cause) = first_cause(&liveness, entity.eid()) else { continue };
        if !graph.empty.contains(&cause.receiver) {
            continue;
        }
        let components = entity.components();
        let transmitters = components.iter().filter(|known| known.is_a(tids::TRANSMITTER));
        for transmitter in transmitters {
            if !graph.is_used_from_outside(transmitter.cid()) {
                found.push(Starved {
                    transmitter: transmitter.cid(),
                    receiver: cause.receiver,
                    place: graph.place(&cause.term),
                });
            }
        }
    }
    found
}

/// What ultimately keeps an entity from ticking; `None` if nothing does, or entities that wait for each
/// other.
fn first_cause(liveness: &Liveness, entity: Uid) -> Option<&Cause> {
    let mut seen = FxHashSet::default();
    let mut cause = liveness.cause(entity)?;
    while let Some(sender) = cause.sender {
        if !seen.insert(sender) {
            return None;
        }
        cause = liveness.cause(sender)?;
    }
    Some(cause)
}
