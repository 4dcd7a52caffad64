//! One execution of an entity: checks the terms, takes messages in, ticks, and sends what was
//! published.

use crate::entity::condition::{READY, checked, combine, is_ready};
use crate::entity::failure::Failure;
use crate::entity::observer::Observer;
use crate::entity::parts::Parts;
use crate::entity::port::Wake;
use crate::entity::ports::{Inbox, Outbox, Unsent};
use crate::entity::promise;
use crate::entity::remote;
use crate::entity::stage::Stage;
use crate::entity::term::{Term, watched};
use crate::standard::term::{PeriodicSchedulingTerm, TargetTimeSchedulingTerm};
use gxf::SchedulingTerm;
use gxf_plugin::component::{CodeletRef, Component, Interface, Native};
use gxf_plugin_abi::{Condition, ConditionType, Uid};
use smallvec::SmallVec;
use std::hint::cold_path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use thin_vec::ThinVec;

/// What one execution needs. Only the executing thread has it.
pub(super) struct Work {
    pub parts: Parts,
    /// The terms that count ticks.
    counting: Box<[Interface<SchedulingTerm>]>,
    /// The observer of every execution.
    observer: Option<Box<dyn Observer>>,
    /// Whether the entity has no combiner, controller, router, monitor, promise, deadline, observer or
    /// held message, and no link that is not open yet, so that an execution need not look for them.
    pub plain: bool,
    /// The entity as a stage of a pipeline, if it is one. As such it is executed while it is plain.
    pub stage: Option<Box<Stage>>,
    /// Number of ticks in a row that a look at the terms before each suffices for; 0 if it does
    /// not suffice.
    pub streak: u32,
    /// Entities that waited for room; kept to reuse its memory.
    woken: ThinVec<u32>,
    pub started: bool,
    /// Time of the latest execution.
    pub latest: i64,
}

impl Work {
    pub fn new(parts: Parts, observer: Option<Box<dyn Observer>>) -> Self {
        Self {
            counting: {
                let free = parts.terms.iter().filter_map(Term::counts_ticks);
                free.chain(parts.owned.iter().cloned()).collect()
            },
            plain: is_plain(&parts, observer.as_deref()),
            stage: Stage::of(&parts),
            streak: streak(&parts),
            woken: ThinVec::new(),
            parts,
            observer,
            started: false,
            latest: i64::MIN,
        }
    }

    /// Whether a look at the terms before each tick says all that is to be asked.
    #[inline(always)]
    pub fn is_light(&self) -> bool {
        self.plain && self.streak > 0
    }

    /// Replaces the parts of the entity and returns the previous ones.
    pub fn renew(&mut self, parts: Parts, observer: Option<Box<dyn Observer>>) -> Self {
        let (started, latest) = (self.started, self.latest);
        std::mem::replace(self, Self { started, latest, ..Self::new(parts, observer) })
    }
}

/// Most ticks in a row of one entity.
const LONGEST_STREAK: u32 = 16;

/// An entity whose terms only count may tick again without any other question, but several times in
/// a row only if nothing that it sends can be lost meanwhile.
fn streak(parts: &Parts) -> u32 {
    let counts = !parts.terms.is_empty() && parts.terms.iter().all(Term::only_counts);
    let waits = |outbox: &Outbox| !outbox.back_pressure.is_empty();
    let bounded = !parts.inbox.is_empty() || !parts.outbox.is_empty();
    match (counts, bounded && parts.outbox.iter().all(waits)) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => LONGEST_STREAK,
    }
}

fn is_plain(parts: &Parts, observer: Option<&dyn Observer>) -> bool {
    observer.is_none()
        && parts.combiners.is_empty()
        && parts.controller.is_none()
        && parts.routers.is_empty()
        && parts.monitors.is_empty()
        && parts.promises.is_empty()
        && parts.ledgers.is_empty()
        && parts.deadlines.is_empty()
        && parts.remote.iter().all(|port| port.needs_no_look(parts.polled))
        && !parts.holds()
}

impl Parts {
    /// Whether a transmitter holds a message that a receiver has no room for.
    pub fn holds(&self) -> bool {
        self.outbox.iter().any(|outbox| outbox.holds)
    }

    /// Whether one of the terms that only count ends the entity.
    #[inline(always)]
    pub fn has_ended(&self) -> bool {
        self.terms.iter().any(Term::ends)
    }

    /// Nobody takes what the transmitters hold any more.
    pub fn give_up_held(&mut self) {
        self.outbox.iter_mut().filter(|outbox| outbox.holds).for_each(Outbox::give_up);
    }

    /// Continues with the registers, and with the messages that the transmitters held so far.
    pub fn continue_from(&mut self, before: &Self) {
        self.use_registers(&before.links());
        for outbox in &mut self.outbox {
            let cid = outbox.transmitter.component().cid();
            let held = before.outbox.iter().filter(|known| known.holds);
            let mut same = held.filter(|known| known.transmitter.component().cid() == cid);
            if let Some(before) = same.next() {
                outbox.continue_from(before);
            }
        }
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

/// The reason an entity does not run.
pub struct Reason {
    /// The term or combiner that decides.
    pub component: Arc<Component>,
    /// Its condition.
    pub condition: Condition,
    /// The queues that it watches.
    pub watched: SmallVec<[Uid; 2]>,
}

/// The reasons an entity does not run, usually one. A deadlock has those of every entity.
pub type Reasons = SmallVec<[Reason; 1]>;

pub(super) fn reasons(work: &Work, now: i64) -> Reasons {
    let terms = work.terms.iter().filter_map(|term| {
        let condition = term.condition(now).ok()?;
        let component = term.component().clone();
        let watched = watched(&component);
        Some(Reason { component, condition, watched })
    });
    let combiners = work.combiners.iter().filter_map(|combiner| {
        let condition = combiner.call("check", |combiner| combiner.check(now)).ok()?;
        let component = combiner.component().clone();
        Some(Reason { component, condition, watched: SmallVec::new() })
    });
    let waits = |reason: &Reason| match reason.condition.condition_type {
        // The entity continues until everything is sent.
        ConditionType::NEVER => !work.holds(),
        _ => !is_ready(reason.condition, now),
    };
    let mut reasons: Reasons = terms.chain(combiners).filter(waits).collect();
    // A term that a combiner owns holds messages back although the combiner is ready without it.
    let held = work.outbox.iter().filter(|outbox| outbox.holds);
    for term in held.flat_map(|outbox| &outbox.back_pressure).map(Native::component) {
        if reasons.iter().all(|reason| reason.component.cid() != term.cid()) {
            let condition = Condition { condition_type: ConditionType::WAIT, target: now };
            let watched = watched(term);
            reasons.push(Reason { component: term.clone(), condition, watched });
        }
    }
    reasons
}

/// Whether the entity would rest for ever if nothing more came over its links: it waits, and for
/// nothing else.
pub(super) fn waits_only_for_links(work: &Work, now: i64) -> bool {
    let terms = work.terms.iter().map(|term| match term {
        Term::Remote(remote) => remote.ordinary_condition(now),
        term => term.condition(now),
    });
    let combiners = work.combiners.iter();
    let combiners = combiners.map(|one| one.call("check", |combiner| combiner.check(now)));
    let combined =
        terms.chain(combiners).try_fold(READY, |all, one| Ok::<_, gxf::Error>(combine(all, one?)));
    combined.is_ok_and(|combined| {
        matches!(combined.condition_type, ConditionType::WAIT | ConditionType::NEVER)
    })
}

/// Ticks a codelet, the one at this place of its entity.
#[inline(always)]
fn tick_codelet(
    codelet: &mut CodeletRef,
    place: u32,
    inside: &AtomicU32,
    now: i64,
) -> std::result::Result<(), Failure> {
    inside.store(place, Ordering::Relaxed);
    let code = codelet.tick(now);
    if code.is_success() { Ok(()) } else { Err(Failure::of_codelet(codelet, "tick", code)) }
}

impl Work {
    /// The combined condition of all terms and combiners. READY reserves what it promises if the
    /// entity `ticks` now.
    #[inline(always)]
    pub fn condition(
        &mut self,
        now: i64,
        ticks: bool,
        waker: &mut impl Wake,
    ) -> std::result::Result<Condition, Failure> {
        if self.plain { self.plain_condition(now) } else { self.full_condition(now, ticks, waker) }
    }

    /// Whether a plain entity is known to be ready without asking a term through the ABI. Most have
    /// one or two terms, for which a loop would cost more than the question.
    #[inline(always)]
    pub fn is_plainly_ready(&self, now: i64) -> bool {
        match &self.parts.terms[..] {
            [one] => one.is_ready(now),
            [one, other] => one.is_ready(now) && other.is_ready(now),
            several => several.iter().all(|term| term.any_is_ready(now)),
        }
    }

    /// Whether the terms of an entity that only counts let it tick.
    #[inline(always)]
    pub fn is_allowed(&self) -> bool {
        match &self.parts.terms[..] {
            [one] => one.allows(),
            [one, other] => one.allows() && other.allows(),
            several => several.iter().all(Term::any_allows),
        }
    }

    /// The same as [`Self::condition`] for a plain entity.
    #[inline(always)]
    pub fn plain_condition(&self, now: i64) -> std::result::Result<Condition, Failure> {
        let ask = |term: &Term| term.condition(now).map_err(|error| Failure::of_term(term, error));
        let terms = match &self.parts.terms[..] {
            [one] => return ask(one),
            terms => terms,
        };
        let mut combined = READY;
        for term in terms {
            let condition = ask(term)?;
            // READY's target is unused.
            if condition.condition_type != ConditionType::READY {
                combined = combine(combined, condition);
            }
        }
        Ok(combined)
    }

    /// The same for entities with more than terms, or with an observer.
    #[inline(never)]
    pub fn full_condition(
        &mut self,
        now: i64,
        ticks: bool,
        waker: &mut impl Wake,
    ) -> std::result::Result<Condition, Failure> {
        let holds = self.holds() && self.send_held(now, waker)?;
        let Self { parts, observer, .. } = self;
        let mut combined = READY;
        // The first one that gives the combined answer.
        let mut culprit = 0;
        let mut note = |index, condition: Condition| {
            if let Some(observer) = observer {
                observer.term(index, condition, now);
            }
            // READY's target is unused.
            if condition.condition_type != ConditionType::READY {
                let together = combine(combined, condition);
                if together != combined {
                    culprit = index;
                }
                combined = together;
            }
        };
        for (index, term) in parts.terms.iter().enumerate() {
            note(index, term.condition(now).map_err(|error| Failure::of_term(term, error))?);
        }
        for (combiner, index) in parts.combiners.iter().zip(parts.terms.len()..) {
            let answer = combiner.call("check", |combiner| combiner.check(now)).and_then(checked);
            let condition = answer.map_err(|error| {
                Failure::of(combiner.component(), "check of the scheduling term combiner", error)
            })?;
            note(index, condition);
        }
        if !self.parts.remote.is_empty() {
            let has_combiners = !self.parts.combiners.is_empty();
            let polled = self.parts.polled;
            combined = remote::with_links(&self.parts.remote, combined, has_combiners, polled);
        }
        // An entity that would end waits until everything is sent.
        if holds && combined.condition_type == ConditionType::NEVER {
            combined.condition_type = ConditionType::WAIT;
        } else if ticks
            && is_ready(combined, now)
            && let Err(term) = promise::reserve(&mut self.parts.promises, waker)
        {
            culprit = term;
            combined.condition_type = ConditionType::WAIT;
        }
        if let Some(observer) = &mut self.observer {
            observer.condition(combined, culprit, now);
        }
        Ok(combined)
    }

    /// Takes messages in and ticks the codelets in order. `inside` receives the position of the
    /// current one. `PLAIN` says whether the entity is.
    #[inline(always)]
    pub fn tick<const PLAIN: bool>(
        &mut self,
        eid: Uid,
        inside: &AtomicU32,
        now: i64,
    ) -> std::result::Result<(), Failure> {
        if !PLAIN {
            for router in &self.routers {
                router
                    .call_unless_left("sync_inbox", |router| router.sync_inbox(eid))
                    .map_err(|error| Failure::of(router.component(), "sync of the inbox", error))?;
            }
        }
        match &mut self.parts.inbox[..] {
            [inbox] => inbox.take_in()?,
            several => several.iter_mut().try_for_each(Inbox::take_in)?,
        }
        if PLAIN {
            self.tick_codelets(inside, now)
        } else {
            self.tick_codelets_observed(inside, now)
        }
    }

    #[inline(always)]
    fn tick_codelets(&mut self, inside: &AtomicU32, now: i64) -> std::result::Result<(), Failure> {
        match &mut self.parts.codelets[..] {
            [codelet] => tick_codelet(codelet, 0, inside, now),
            several => {
                let mut several = (0..).zip(several);
                several.try_for_each(|(place, codelet)| tick_codelet(codelet, place, inside, now))
            }
        }
    }

    /// The same for entities that may be observed.
    #[inline(never)]
    fn tick_codelets_observed(
        &mut self,
        inside: &AtomicU32,
        now: i64,
    ) -> std::result::Result<(), Failure> {
        for deadline in &self.parts.deadlines {
            deadline.begin(self.could_begin(now));
        }
        let Some(observer) = &mut self.observer else { return self.tick_codelets(inside, now) };
        observer.tick_begins(&self.parts.inbox);
        let mut ticked = Ok(());
        for (index, codelet) in self.parts.codelets.iter_mut().enumerate() {
            inside.store(index as u32, Ordering::Relaxed);
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

    /// When the tick that begins could begin: the latest of the times that its terms set and of the
    /// publication of the messages it finds.
    fn could_begin(&self, now: i64) -> i64 {
        let free = self.parts.terms.iter().map(Term::component);
        let terms = free.chain(self.parts.owned.iter().map(Interface::component));
        let set = terms.filter_map(|term| match term.native::<PeriodicSchedulingTerm>() {
            Some(periodic) => periodic.target(),
            None => term.native::<TargetTimeSchedulingTerm>()?.target(),
        });
        let messages = self.parts.inbox.iter().filter_map(|inbox| inbox.receiver.peek(0));
        let published = messages.filter_map(|message| Some(message.timestamp()?.pubtime));
        set.chain(published).max().unwrap_or(now).min(now)
    }

    /// After a successful tick: notifies the terms, wakes entities that waited for room, sends.
    #[inline(always)]
    pub fn finish<const PLAIN: bool>(
        &mut self,
        now: i64,
        waker: &mut impl Wake,
    ) -> std::result::Result<(), Failure> {
        for term in &self.counting {
            cold_path();
            term.call("on_execute", |term| term.on_execute(now)).map_err(|error| {
                Failure::of(term.component(), "on_execute of the scheduling term", error)
            })?;
        }
        match &self.parts.inbox[..] {
            [inbox] => inbox.tell_of_room(waker),
            several => several.iter().for_each(|inbox| inbox.tell_of_room(waker)),
        }
        if !PLAIN {
            return self.finish_full(now, waker);
        }
        match &mut self.parts.outbox[..] {
            [outbox] => match outbox.send(now, waker) {
                Ok(()) => Ok(()),
                Err(unsent) => self.not_sent(unsent),
            },
            [] => Ok(()),
            _ => {
                cold_path();
                self.send_all(now, waker)
            }
        }
    }

    /// Sends what a plain entity with several transmitters published.
    #[inline(never)]
    fn send_all(&mut self, now: i64, waker: &mut impl Wake) -> std::result::Result<(), Failure> {
        for place in 0..self.parts.outbox.len() {
            if let Err(unsent) = self.parts.outbox[place].send(now, waker) {
                self.not_sent(unsent)?;
            }
        }
        Ok(())
    }

    /// What follows from what could not be sent.
    #[cold]
    pub fn not_sent(&mut self, unsent: Unsent) -> std::result::Result<(), Failure> {
        match unsent {
            Unsent::Held => {
                self.plain = false;
                Ok(())
            }
            Unsent::Failed(failure) => Err(failure),
        }
    }

    /// The same for entities with more than terms, or with an observer.
    #[inline(never)]
    fn finish_full(&mut self, now: i64, waker: &mut impl Wake) -> std::result::Result<(), Failure> {
        for (inbox, ledger) in self.parts.inbox.iter().zip(&self.parts.ledgers) {
            let has_more = inbox.dropped || inbox.receiver.main_count() < inbox.before;
            if let Some(ledger) = ledger.as_ref().filter(|_| has_more) {
                ledger.more(&mut self.woken);
            }
        }
        for entity in self.woken.drain(..) {
            waker.wake(entity);
        }
        for index in 0..self.outbox.len() {
            self.send(index, now, true, waker)?;
        }
        for router in &self.routers {
            let eid = self.codelets[0].component().eid();
            router
                .call_unless_left("sync_outbox", |router| router.sync_outbox(eid))
                .map_err(|error| Failure::of(router.component(), "sync of the outbox", error))?;
        }
        if self.observer.as_ref().is_some_and(|observer| observer.has_finished()) {
            self.observer = None;
        }
        // An observer is gone, a link has opened, or what is held has changed.
        self.plain = is_plain(&self.parts, self.observer.as_deref());
        Ok(())
    }

    fn send(
        &mut self,
        index: usize,
        now: i64,
        after_tick: bool,
        waker: &mut impl Wake,
    ) -> std::result::Result<(), Failure> {
        let Parts { outbox, promises, .. } = &mut self.parts;
        let outbox = &mut outbox[index];
        let sent = match &mut self.observer {
            Some(observer) => {
                observer.send_begins(outbox);
                let before = outbox.transmitter.message_count();
                let sent = outbox.send_all(now, after_tick, promises, waker, &mut **observer);
                let left = outbox.transmitter.message_count();
                observer.send_ended(index, before.saturating_sub(left));
                sent
            }
            None => outbox.send_all(now, after_tick, promises, waker, &mut ()),
        };
        match sent {
            Err(Unsent::Failed(failure)) => Err(failure),
            Ok(()) | Err(Unsent::Held) => Ok(()),
        }
    }

    /// Sends held messages while there is room; returns whether any are left.
    #[cold]
    fn send_held(&mut self, now: i64, waker: &mut impl Wake) -> std::result::Result<bool, Failure> {
        for index in 0..self.outbox.len() {
            if self.outbox[index].holds {
                self.send(index, now, false, waker)?;
            }
        }
        // What is held has changed.
        self.plain = is_plain(&self.parts, self.observer.as_deref());
        self.end_promises(waker);
        Ok(self.holds())
    }

    /// Notes that the entity does not tick because devices are behind.
    pub fn held(&mut self, now: i64) {
        if let Some(observer) = &mut self.observer {
            observer.held(now);
        }
    }

    /// Reads the parameters of the terms again, because one of them may have changed.
    pub fn refresh_terms(&mut self) {
        self.change_parts(|parts| parts.terms.iter_mut().for_each(Term::refresh));
    }

    /// Changes the parts in place.
    pub fn change_parts<R>(&mut self, change: impl FnOnce(&mut Parts) -> R) -> R {
        let changed = change(&mut self.parts);
        self.stage = Stage::of(&self.parts);
        changed
    }

    /// Releases all reservations.
    #[inline]
    pub fn end_promises(&mut self, waker: &mut impl Wake) {
        promise::settle(&mut self.parts.promises, waker);
    }

    /// Wakes all entities that may wait for room in a receiver: the entity was rewired, and
    /// entities that joined may have missed that it made room.
    pub fn wake_senders(&mut self, waker: &mut impl Wake) {
        for ledger in self.parts.ledgers.iter().flatten() {
            ledger.more(&mut self.woken);
        }
        let senders = self.parts.inbox.iter().flat_map(|inbox| &inbox.senders).copied();
        for sender in senders.chain(self.woken.drain(..)) {
            waker.wake(sender);
        }
    }
}
