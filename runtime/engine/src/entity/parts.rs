//! What an entity consists of, as its runner sees it.

use crate::entity::port::ReceiverPort;
use crate::entity::ports::{Inbox, Outbox};
use crate::entity::promise::{Ledger, Promise};
use crate::entity::register::Link;
use crate::entity::remote::RemotePort;
use crate::entity::term::{Term, watched};
use crate::standard::deadline::Deadline;
use gxf::{SchedulingTerm, SchedulingTermCombiner};
use gxf_plugin::component::{CodeletRef, FromComponent, Interface, Native};
use gxf_plugin_abi::{ConditionType, Uid};
use std::sync::Arc;
use thin_vec::ThinVec;

/// What an entity consists of. What few entities have takes one word, because graphs may have
/// hundreds of thousands of entities.
#[derive(Default)]
pub struct Parts {
    /// Whether a term, even one that a combiner owns, or a combiner does not announce its changes.
    pub polled: bool,
    /// The codelets, in order.
    pub codelets: Box<[CodeletRef]>,
    /// The terms that no combiner owns.
    pub terms: Box<[Term]>,
    /// The terms owned by combiners that count ticks.
    pub owned: ThinVec<Interface<SchedulingTerm>>,
    /// The combiners of terms.
    pub combiners: ThinVec<Interface<SchedulingTermCombiner>>,
    /// The receivers.
    pub inbox: Box<[Inbox]>,
    /// The transmitters.
    pub outbox: Box<[Outbox]>,
    /// Promises of room or memory that other entities share, by the id of its receiver or
    /// allocator.
    pub promises: ThinVec<Promise>,
    /// By receiver: its ledger, if several entities share it.
    pub ledgers: ThinVec<Option<Arc<Ledger>>>,
    /// The receivers and transmitters that lead to other processes.
    pub remote: ThinVec<RemotePort>,
    /// Its deadlines.
    pub deadlines: ThinVec<Native<Deadline>>,
    /// The routers of the graph.
    pub routers: ThinVec<Interface<gxf::Router>>,
    /// The controller, if the entity has one.
    pub controller: Option<Box<Interface<gxf::Controller>>>,
    /// The monitors of the graph.
    pub monitors: Arc<Vec<Interface<gxf::Monitor>>>,
}

impl Parts {
    /// Whether a term that must be ready waits for nothing but more messages in these receivers, or by
    /// a link that has ended.
    pub fn misses_messages(&self, now: i64, receivers: impl Fn(Uid) -> bool) -> bool {
        let misses = |term: &Term| match term {
            Term::Messages(_, receiver, limits) => {
                receivers(receiver.component().cid()) && limits.misses(receiver.buffer.counts())
            }
            Term::Remote(remote) => remote.misses_messages(),
            Term::Other(watching) => {
                let watched = watched(watching.component());
                let waits = || {
                    let condition = term.condition(now);
                    condition.is_ok_and(|it| it.condition_type == ConditionType::WAIT)
                };
                // Only what it watches changes its answer, unless it must be polled; what hears of the end
                // of its inputs ends by itself.
                !self.polled
                    && !watched.is_empty()
                    && watched.into_iter().all(&receivers)
                    && gxf::EndOfInputs::from_component(watching.component()).is_none()
                    && waits()
            }
            Term::Room(..) | Term::Credits(..) | Term::Count(..) => false,
        };
        self.controller.is_none() && self.terms.iter().any(misses)
    }

    /// Sends and receives through registers from now on, where there is one.
    pub fn use_registers(&mut self, links: &[Link]) {
        for outbox in &mut self.outbox {
            let transmitter = outbox.transmitter.component().cid();
            for target in &mut outbox.targets {
                let cid = target.queue.component().cid();
                let its = |link: &&Link| {
                    let register = &link.register;
                    register.transmitter == transmitter
                        && register.receiver.component().cid() == cid
                };
                let Some(link) = links.iter().find(its) else { continue };
                let component = link.register.receiver.component();
                let Some(abroad) = gxf::Receiver::from_component(component) else { continue };
                target.queue = ReceiverPort::Other(abroad);
                target.link = Some(link.clone());
                target.wake.clear();
            }
        }
        for term in &mut self.terms {
            term.use_registers(links);
        }
        for inbox in &mut self.inbox {
            let cid = inbox.receiver.component().cid();
            let its = |link: &&Link| link.register.receiver.component().cid() == cid;
            if let Some(link) = links.iter().find(its) {
                inbox.link = Some(link.clone());
                inbox.senders.clear();
            }
        }
    }

    /// The registers that it uses.
    pub fn links(&self) -> Vec<Link> {
        let sends = self.outbox.iter().flat_map(|outbox| &outbox.targets);
        let sends = sends.filter_map(|target| target.link.clone());
        let receives = self.inbox.iter().filter_map(|inbox| inbox.link.clone());
        sends.chain(receives).collect()
    }

    /// Sends and receives without registers again.
    pub fn forget_registers(&mut self) {
        for target in self.outbox.iter_mut().flat_map(|outbox| &mut outbox.targets) {
            if let Some(Link { register, .. }) = target.link.take() {
                target.queue = ReceiverPort::Own(register.receiver.clone());
                target.wake.clone_from(&register.wakes[0]);
            }
        }
        for inbox in &mut self.inbox {
            if let Some(Link { register, .. }) = inbox.link.take() {
                inbox.senders.clone_from(&register.wakes[1]);
            }
        }
        self.terms.iter_mut().for_each(Term::forget_registers);
    }
}
