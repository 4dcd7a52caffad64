//! What an entity consists of, as its runner sees it.

use crate::entity::ports::{Inbox, Outbox};
use crate::entity::promise::{Ledger, Promise};
use crate::entity::term::Term;
use gxf::{SchedulingTerm, SchedulingTermCombiner};
use gxf_plugin::component::{CodeletRef, Interface};
use std::sync::Arc;

/// What an entity consists of, for whoever executes it.
#[derive(Default)]
pub struct Parts {
    /// A term, also one that a combiner owns, or a combiner cannot announce its changes.
    pub polled: bool,
    /// The codelets, in order.
    pub codelets: Vec<CodeletRef>,
    /// The terms that no combiner owns.
    pub terms: Vec<Term>,
    /// Those of the terms that combiners own which want to know of ticks.
    pub owned: Vec<Interface<SchedulingTerm>>,
    /// The combiners of terms.
    pub combiners: Vec<Interface<SchedulingTermCombiner>>,
    /// The receivers.
    pub inbox: Vec<Inbox>,
    /// The transmitters.
    pub outbox: Vec<Outbox>,
    /// What terms promise although another entity could take it meanwhile, by its id.
    pub promises: Vec<Promise>,
    /// By receiver: who is promised room here, where several entities are.
    pub ledgers: Vec<Option<Arc<Ledger>>>,
    /// Routers, which the graph shares.
    pub routers: Vec<Interface<gxf::Router>>,
    /// The controller, if the entity has one.
    pub controller: Option<Interface<gxf::Controller>>,
    /// Monitors, which the graph shares.
    pub monitors: Arc<[Interface<gxf::Monitor>]>,
}
