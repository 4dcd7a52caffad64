//! What one execution of an entity needs and does: asking the terms, taking the mail in, ticking, and
//! sending what was published.

use crate::entity::failure::Failure;
use crate::entity::mail::{Inbox, Outbox, Wake};
use crate::entity::term::Term;
use crate::observe::Observer;
use crate::plugin::component::{CodeletRef, Component, FromComponent, Interface};
use crate::schedule::condition::{READY, combine};
use gxf::{SchedulingTerm, SchedulingTermCombiner};
use gxf_plugin_abi::{Condition, ConditionType, Uid};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What an entity consists of, for whoever executes it.
#[derive(Default)]
pub(crate) struct Parts {
    /// A term, also one that a combiner owns, or a combiner cannot announce its changes.
    pub polled: bool,
    pub codelets: Vec<CodeletRef>,
    pub terms: Vec<Term>,
    pub combiners: Vec<Interface<SchedulingTermCombiner>>,
    pub inbox: Vec<Inbox>,
    pub outbox: Vec<Outbox>,
    pub routers: Vec<Interface<gxf::Router>>,
    pub controller: Option<Interface<gxf::Controller>>,
    pub monitors: Arc<[Interface<gxf::Monitor>]>,
}

/// What one execution needs. Only the executing thread has it.
pub(super) struct Work {
    pub parts: Parts,
    /// Those of the terms that want to know of ticks.
    counting: Vec<Interface<SchedulingTerm>>,
    /// Who wants to know of every execution.
    observer: Option<Box<Observer>>,
    /// Neither combiners nor a controller nor routers nor monitors nor an observer: nothing to look
    /// for in every execution.
    pub plain: bool,
    pub started: bool,
    /// Time of the latest execution.
    pub latest: i64,
}

impl Work {
    pub fn new(parts: Parts, observer: Option<Box<Observer>>) -> Self {
        Self {
            counting: parts.terms.iter().filter_map(Term::counts_ticks).collect(),
            plain: parts.combiners.is_empty()
                && parts.controller.is_none()
                && parts.routers.is_empty()
                && parts.monitors.is_empty()
                && observer.is_none(),
            parts,
            observer,
            started: false,
            latest: i64::MIN,
        }
    }

    /// Makes the entity consist of something else; what is returned is what it consisted of.
    pub fn renew(&mut self, parts: Parts, observer: Option<Box<Observer>>) -> Self {
        let (started, latest) = (self.started, self.latest);
        std::mem::replace(self, Self { started, latest, ..Self::new(parts, observer) })
    }
}

impl std::ops::Deref for Work {
    type Target = Parts;

    #[inline]
    fn deref(&self) -> &Parts {
        &self.parts
    }
}

impl std::ops::DerefMut for Work {
    #[inline]
    fn deref_mut(&mut self) -> &mut Parts {
        &mut self.parts
    }
}

/// Why an entity does not run.
pub(crate) struct Reason {
    /// The term or combiner that says so.
    pub component: Arc<Component>,
    pub condition: Condition,
    /// The queues it looks at.
    pub watched: Vec<Uid>,
}

pub(super) fn reasons(work: &Work, now: i64) -> Vec<Reason> {
    let terms = work.terms.iter().filter_map(|term| {
        let condition = term.condition(now).ok()?;
        let component = term.component().clone();
        let watched = watched(&component);
        Some(Reason { component, condition, watched })
    });
    let combiners = work.combiners.iter().filter_map(|combiner| {
        let condition = combiner.check(now).ok()?;
        let component = combiner.component().clone();
        Some(Reason { component, condition, watched: Vec::new() })
    });
    let waits = |reason: &Reason| match reason.condition.condition_type {
        ConditionType::READY => false,
        ConditionType::WAIT_TIME => reason.condition.target > now,
        _ => true,
    };
    terms.chain(combiners).filter(waits).collect()
}

fn watched(component: &Arc<Component>) -> Vec<Uid> {
    let mut watched = Vec::new();
    if let Some(term) = SchedulingTerm::from_component(component) {
        term.watched(&mut |cid| watched.push(cid));
    }
    watched
}

impl Work {
    /// All terms and combiners together.
    #[inline(always)]
    pub fn condition(&mut self, now: i64) -> std::result::Result<Condition, Failure> {
        if !self.plain {
            return self.observed_condition(now);
        }
        let mut combined = READY;
        for term in &self.parts.terms {
            let condition = term.condition(now).map_err(|error| Failure::of_term(term, error))?;
            // Since when an entity may tick concerns nobody.
            if condition.condition_type != ConditionType::READY {
                combined = combine(combined, condition);
            }
        }
        Ok(combined)
    }

    /// The same for entities that have more than terms, or are observed.
    #[inline(never)]
    fn observed_condition(&mut self, now: i64) -> std::result::Result<Condition, Failure> {
        let mut combined = READY;
        // The first that says what all say together.
        let mut culprit = 0;
        let terms = self
            .parts
            .terms
            .iter()
            .map(|term| term.condition(now).map_err(|error| Failure::of_term(term, error)));
        let combiners = self.parts.combiners.iter().map(|combiner| {
            combiner.check(now).map_err(|error| {
                Failure::of(combiner.component(), "check of the scheduling term combiner", error)
            })
        });
        for (index, condition) in terms.chain(combiners).enumerate() {
            let condition = condition?;
            if let Some(observer) = &mut self.observer {
                observer.term(index, condition, now);
            }
            let together = combine(combined, condition);
            if together != combined {
                culprit = index;
            }
            combined = together;
        }
        if let Some(observer) = &mut self.observer {
            observer.condition(combined, culprit, now);
        }
        Ok(combined)
    }

    /// Takes the mail in and ticks the codelets in order. `inside` gets the place of the one that is
    /// called.
    #[inline(always)]
    pub fn tick(
        &mut self,
        eid: Uid,
        inside: &AtomicUsize,
        now: i64,
    ) -> std::result::Result<(), Failure> {
        if !self.plain {
            for router in &self.routers {
                router
                    .sync_inbox(eid)
                    .map_err(|error| Failure::of(router.component(), "sync of the inbox", error))?;
            }
        }
        for inbox in &mut self.parts.inbox {
            let receiver = &inbox.receiver;
            inbox.dropped = receiver.sync().map_err(|error| {
                Failure::of(receiver.component(), "sync of the receiver", error)
            })?;
            inbox.before = receiver.message_count();
        }
        if self.plain {
            self.tick_codelets(inside, now)
        } else {
            self.tick_codelets_observed(inside, now)
        }
    }

    #[inline(always)]
    fn tick_codelets(
        &mut self,
        inside: &AtomicUsize,
        now: i64,
    ) -> std::result::Result<(), Failure> {
        for (index, codelet) in self.parts.codelets.iter_mut().enumerate() {
            inside.store(index, Ordering::Relaxed);
            let code = codelet.tick(now);
            if !code.is_success() {
                return Err(Failure::of_codelet(codelet, "tick", code));
            }
        }
        Ok(())
    }

    /// The same for entities that may be observed.
    #[inline(never)]
    fn tick_codelets_observed(
        &mut self,
        inside: &AtomicUsize,
        now: i64,
    ) -> std::result::Result<(), Failure> {
        let Some(observer) = &mut self.observer else { return self.tick_codelets(inside, now) };
        observer.tick_begins(&self.parts.inbox);
        let mut ticked = Ok(());
        for (index, codelet) in self.parts.codelets.iter_mut().enumerate() {
            inside.store(index, Ordering::Relaxed);
            let code = codelet.tick(now);
            observer.codelet_ended(index);
            if !code.is_success() {
                ticked = Err(Failure::of_codelet(codelet, "tick", code));
                break;
            }
        }
        observer.tick_ended(ticked.is_ok(), &self.parts.inbox);
        ticked
    }

    /// After a successful tick: tells the terms, wakes whoever waited for room, sends.
    #[inline(always)]
    pub fn finish(&mut self, now: i64, waker: &mut impl Wake) -> std::result::Result<(), Failure> {
        for term in &self.counting {
            term.on_execute(now).map_err(|error| {
                Failure::of(term.component(), "on_execute of the scheduling term", error)
            })?;
        }
        for inbox in &self.inbox {
            if inbox.made_room() {
                for sender in &inbox.senders {
                    waker.wake(*sender);
                }
            }
        }
        if !self.plain {
            return self.send_observed(waker);
        }
        for outbox in &mut self.parts.outbox {
            outbox.send(waker, &mut ())?;
        }
        Ok(())
    }

    /// Sends what a tick of an entity published that may be observed or have routers.
    fn send_observed(&mut self, waker: &mut impl Wake) -> std::result::Result<(), Failure> {
        for (index, outbox) in self.parts.outbox.iter_mut().enumerate() {
            match &mut self.observer {
                Some(observer) => observer.send(index, outbox, waker)?,
                None => outbox.send(waker, &mut ())?,
            }
        }
        for router in &self.routers {
            let eid = self.codelets[0].component().eid();
            router
                .sync_outbox(eid)
                .map_err(|error| Failure::of(router.component(), "sync of the outbox", error))?;
        }
        Ok(())
    }
}
