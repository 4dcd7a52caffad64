//! What an entity consists of, as its runner sees it.

use crate::entity::ports::{Inbox, Outbox};
use crate::entity::promise::{Ledger, Promise};
use crate::entity::term::Term;
use crate::standard::deadline::Deadline;
use gxf::{SchedulingTerm, SchedulingTermCombiner};
use gxf_plugin::component::{CodeletRef, Interface, Native};
use std::sync::Arc;
use thin_vec::ThinVec;

/// What an entity consists of. What few entities have takes one word, because graphs may have
/// hundreds of thousands of entities.
#[derive(Default)]
pub struct Parts {
    /// Whether a term, even one that a combiner owns, or a combiner does not announce its changes.
    pub polled: bool,
    /// The codelets, in order.
    pub codelets: Vec<CodeletRef>,
    /// The terms that no combiner owns.
    pub terms: Vec<Term>,
    /// The terms owned by combiners that count ticks.
    pub owned: ThinVec<Interface<SchedulingTerm>>,
    /// The combiners of terms.
    pub combiners: ThinVec<Interface<SchedulingTermCombiner>>,
    /// The receivers.
    pub inbox: Vec<Inbox>,
    /// The transmitters.
    pub outbox: Vec<Outbox>,
    /// Promises of room or memory that other entities share, by the id of its receiver or
    /// allocator.
    pub promises: ThinVec<Promise>,
    /// By receiver: its ledger, if several entities share it.
    pub ledgers: ThinVec<Option<Arc<Ledger>>>,
    /// Its deadlines.
    pub deadlines: ThinVec<Native<Deadline>>,
    /// The routers of the graph.
    pub routers: ThinVec<Interface<gxf::Router>>,
    /// The controller, if the entity has one.
    pub controller: Option<Interface<gxf::Controller>>,
    /// The monitors of the graph.
    pub monitors: Arc<[Interface<gxf::Monitor>]>,
}
