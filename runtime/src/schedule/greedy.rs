//! The greedy engine: one thread, a deterministic order.
//!
//! # The loop
//!
//! Time is cut into sweeps. A sweep takes the time once and executes, in the order of activation,
//! every entity in the ready set: those an event named, those whose target time has come, those with
//! terms that must be polled, and those that ran in the sweep before (their terms must be asked
//! again). An entity woken by one that stands before it runs in the same sweep, else in the next,
//! exactly as if all entities were asked in every sweep, but idle ones cost nothing.
//!
//! A sweep in which nothing was ready is followed by sleep: until the earliest target time that
//! still holds, until an event, or until terms that must be polled are due. If there is none of
//! these, nothing can ever happen again: that is the deadlock.
//!
//! # The end
//!
//! 1. Nothing is left: every entity answered NEVER.
//! 2. Deadlock, when the scheduler stops on it.
//! 3. `max_duration_ms` is over: success.
//! 4. Interrupt: the mailbox says stop; a running tick is finished first.
//! 5. An execution fails: its error is the result.
//!
//! The loop only leaves; whoever runs it stops the entities afterwards, in all five cases. An
//! interrupt that comes before the loop begins is seen by its first look into the mailbox.

use crate::entity::mail::Wake;
use crate::entity::runner::Runner;
use crate::error::Result;
use crate::plugin::component::Interface;
use crate::schedule::mailbox::{Mailbox, Woken};
use crate::schedule::ready_set::ReadySet;
use crate::schedule::report::{self, Stuck};
use crate::schedule::roster::Roster;
use crate::schedule::settings::GreedySettings;
use gxf_plugin_abi::ConditionType;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::sync::Arc;
use std::time::Duration;

/// Nanoseconds between two epochs in which terms are polled that have no period of their own.
const SHORTEST_POLL: i64 = 1_000_000;

/// Why a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// No entity is left.
    Finished,
    /// Entities wait, and nothing can wake them.
    Deadlock,
    /// The maximum duration is over.
    Timeout,
    /// Somebody asked for it.
    Interrupted,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// In the ready set, or to be put there.
    Ready,
    Wait,
    /// Has an entry in the timers for exactly this time.
    WaitTime(i64),
    WaitEvent,
    Gone,
}

/// An entity the engine knows.
struct Known {
    runner: Arc<Runner>,
    state: State,
}

/// The engine and where it stands.
pub(crate) struct Greedy {
    roster: Arc<Roster>,
    /// The entities that are known here, in the order of activation, in which they are executed.
    entities: Vec<Known>,
    /// By number: the place among these; [`NOWHERE`] for one that is not known, or will not run again.
    places: Vec<u32>,
    /// How many had joined when this engine looked.
    known: u64,
    ready: ReadySet,
    timers: BinaryHeap<Reverse<(i64, u32)>>,
    alive: usize,
    waiting_for_events: usize,
    settings: GreedySettings,
    clock: Interface<gxf::Clock>,
    mailbox: Arc<Mailbox>,
    /// The latest epoch ended with a pause.
    met_pause: bool,
    /// Who, having the earliest target, was asked whether it still holds, since something ran.
    asked_again: BTreeSet<u32>,
}

/// What an epoch left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Epoch {
    /// The budget is used up, and there may be more to do.
    BudgetUsed,
    /// Nothing is ready now. The earliest time an entity waits for, in nanoseconds of the
    /// scheduler's clock, and whether one waits for an event from outside.
    Idle {
        /// The time.
        next: Option<i64>,
        /// Whether an event is awaited.
        awaits_event: bool,
    },
    /// Nothing was executed further, because the graph is paused.
    Paused,
    /// No entity will ever run again.
    Finished,
    /// The graph was asked to stop.
    Interrupted,
}

struct Waker<'a> {
    ready: &'a mut ReadySet,
    places: &'a [u32],
}

impl Waker<'_> {
    /// Puts an entity into the ready set; whether it is known here.
    #[inline]
    fn insert(&mut self, entity: u32) -> bool {
        place_in(self.places, entity).inspect(|place| self.ready.insert(*place)).is_some()
    }
}

impl Wake for Waker<'_> {
    #[inline]
    fn wake(&mut self, entity: u32) {
        // One that just joined is in the mailbox, too.
        self.insert(entity);
    }
}

/// No place.
const NOWHERE: u32 = u32::MAX;

/// The place of an entity that is known here, by its number.
#[inline]
fn place_in(places: &[u32], entity: u32) -> Option<u32> {
    places.get(entity as usize).copied().filter(|place| *place != NOWHERE)
}

#[expect(clippy::cast_possible_truncation, reason = "ids are below 2^32, and so are entities")]
fn as_u32(place: usize) -> u32 {
    place as u32
}

/// Whether the entity still waits for this time; one that was woken earlier has another state.
fn is_valid(entities: &[Known], Reverse((target, place)): &Reverse<(i64, u32)>) -> bool {
    entities[*place as usize].state == State::WaitTime(*target)
}

impl Greedy {
    pub fn new(
        roster: Arc<Roster>,
        settings: GreedySettings,
        clock: Interface<gxf::Clock>,
        mailbox: Arc<Mailbox>,
    ) -> Self {
        let (runners, known) = roster.begin_run();
        let mut engine = Self {
            roster,
            entities: Vec::new(),
            places: Vec::new(),
            known,
            ready: ReadySet::default(),
            timers: BinaryHeap::new(),
            alive: 0,
            waiting_for_events: 0,
            settings,
            clock,
            mailbox,
            met_pause: false,
            asked_again: BTreeSet::new(),
        };
        engine.add(runners);
        engine
    }

    /// Gets to know entities; they are ready.
    fn add(&mut self, newcomers: Vec<Arc<Runner>>) {
        self.ready.reserve(self.entities.len() + newcomers.len());
        for runner in newcomers {
            let place = as_u32(self.entities.len());
            let number = runner.number as usize;
            if number >= self.places.len() {
                self.places.resize(number + 1, NOWHERE);
            }
            self.places[number] = place;
            self.entities.push(Known { runner, state: State::Ready });
            self.ready.insert(place);
            self.alive += 1;
        }
    }

    /// Gets to know entities that joined since the last time.
    #[cold]
    fn learn(&mut self) {
        let (newcomers, known) = self.roster.joined_since(self.known);
        self.known = known;
        self.forget();
        self.add(newcomers);
    }

    /// Forgets the entities that will not run again, if they are many.
    fn forget(&mut self) {
        if self.entities.len() < 2 * self.alive + 64 {
            return;
        }
        let mut places = vec![NOWHERE; self.entities.len()];
        let mut ready = ReadySet::default();
        ready.reserve(self.alive);
        let mut next = 0;
        for (place, entity) in self.entities.iter().enumerate() {
            if entity.state != State::Gone {
                places[place] = next;
                next += 1;
            }
        }
        let mut from = 0;
        while let Some(place) = self.ready.take_from(from) {
            from = place + 1;
            if places[place as usize] != NOWHERE {
                ready.insert(places[place as usize]);
            }
        }
        self.ready = ready;
        self.asked_again.clear();
        let entities = &self.entities;
        let valid = self.timers.drain().filter(|timer| is_valid(entities, timer));
        self.timers = valid
            .map(|Reverse((target, place))| Reverse((target, places[place as usize])))
            .collect();
        self.entities.retain(|entity| entity.state != State::Gone);
        for (place, entity) in self.entities.iter().enumerate() {
            self.places[entity.runner.number as usize] = as_u32(place);
        }
    }

    /// Runs entities until one of the ends.
    pub fn run(mut self) -> Result<End> {
        let end_of_time = self
            .settings
            .max_duration
            .map_or(i64::MAX, |duration| self.clock.timestamp().saturating_add(duration));
        let mut last_ready = 0;
        loop {
            if self.take_mail() {
                return Ok(End::Interrupted);
            }
            let now = self.clock.timestamp();
            if now > end_of_time {
                return Ok(End::Timeout);
            }
            self.expire_timers(now);
            self.look_again();
            let something_ran = self.sweep(now)?;
            if self.alive == 0 {
                return Ok(End::Finished);
            }
            if something_ran {
                last_ready = now;
            } else if let Some(end) = self.rest(now, last_ready, end_of_time)? {
                return Ok(end);
            }
        }
    }

    /// Runs entities for some nanoseconds of the clock, or until nothing is ready. Without a budget
    /// every entity is executed once.
    pub fn epoch(&mut self, budget: i64) -> Result<Epoch> {
        let begin = self.clock.timestamp();
        self.met_pause = false;
        if budget <= 0 {
            for place in 0..self.entities.len() {
                self.ready.insert(as_u32(place));
            }
        }
        loop {
            match self.take_mail_unless_paused() {
                Some(false) => {}
                Some(true) => return Ok(Epoch::Interrupted),
                None => {
                    self.met_pause = true;
                    return Ok(Epoch::Paused);
                }
            }
            let now = self.clock.timestamp();
            if budget > 0 && now > begin.saturating_add(budget) {
                return Ok(Epoch::BudgetUsed);
            }
            self.expire_timers(now);
            self.look_again();
            let something_ran = self.sweep(now)?;
            if self.alive == 0 {
                return Ok(Epoch::Finished);
            }
            if budget <= 0 && something_ran {
                return Ok(Epoch::BudgetUsed);
            }
            if !something_ran
                && self.ready.is_empty()
                && !self.mailbox.has_mail()
                && !self.ask_earliest_again()
            {
                return Ok(Epoch::Idle {
                    next: self.timers.peek().map(|Reverse((target, _))| *target),
                    awaits_event: self.waiting_for_events > 0,
                });
            }
        }
    }

    /// Sleeps between two epochs: until the time the last one named, until an event, or until terms
    /// that cannot announce themselves are to be asked again. In a pause: until that is over.
    pub fn rest_until(&self, next: Option<i64>) -> Result<()> {
        // A pause that ended since the epoch met it left everything as it was: nothing was looked at.
        if self.met_pause || self.mailbox.is_paused() {
            self.mailbox.sit_out_pause();
            return Ok(());
        }
        let target = next.unwrap_or(i64::MAX);
        if self.poll_waiting() {
            let period = self.settings.recession_period.max(SHORTEST_POLL);
            return self.sleep_until(target.min(self.clock.timestamp().saturating_add(period)));
        }
        self.sleep_until(target)
    }

    /// Who waits for what.
    pub fn stuck(&self) -> Vec<Stuck> {
        let runners: Vec<_> = self.entities.iter().map(|entity| entity.runner.clone()).collect();
        report::stuck(&runners, self.clock.timestamp())
    }

    /// Takes over what others announced; whether the run is to end. Waits during a pause.
    #[inline]
    fn take_mail(&mut self) -> bool {
        self.mailbox.has_mail() && self.take_over(|mailbox, take| mailbox.collect(take))
    }

    /// The same for an epoch, which must not wait: `None` during a pause.
    fn take_mail_unless_paused(&mut self) -> Option<bool> {
        if !self.mailbox.has_mail() {
            return Some(false);
        }
        self.take_over(|mailbox, take| mailbox.collect_unless_paused(take))
    }

    fn take_over<R>(&mut self, collect: impl FnOnce(&Mailbox, &mut dyn FnMut(u32)) -> R) -> R {
        let mut stranger = false;
        let mut waker = Waker { ready: &mut self.ready, places: &self.places };
        let stop = collect(&self.mailbox, &mut |entity| stranger |= !waker.insert(entity));
        if stranger && self.roster.joined() != self.known {
            self.learn();
        }
        stop
    }

    /// Takes over events within a sweep: memory that an execution gave back, a term it switched. Those
    /// who joined wait for the next sweep.
    #[cold]
    fn take_events(&mut self) {
        let mut waker = Waker { ready: &mut self.ready, places: &self.places };
        self.mailbox.collect_entities(|entity| {
            if !waker.insert(entity) {
                self.mailbox.post(entity);
            }
        });
    }

    /// Puts entities whose time has come into the ready set.
    #[inline]
    fn expire_timers(&mut self, now: i64) {
        while let Some(timer) = self.timers.peek().copied() {
            let Reverse((target, place)) = timer;
            if target > now {
                break;
            }
            self.timers.pop();
            if is_valid(&self.entities, &timer) {
                self.ready.insert(place);
            }
        }
    }

    /// Executes every entity in the ready set once; whether one of them was ready.
    fn sweep(&mut self, now: i64) -> Result<bool> {
        let mut something_ran = false;
        let mut next = 0;
        while let Some(first) = self.ready.take_from(next) {
            next = first + 1;
            let place = first as usize;
            let Known { runner, state } = &self.entities[place];
            if *state == State::Gone {
                continue;
            }
            let mut waker = Waker { ready: &mut self.ready, places: &self.places };
            let condition = runner.execute(now, &mut waker)?;
            let after = match condition.condition_type {
                ConditionType::READY => {
                    something_ran = true;
                    self.ready.insert(first);
                    State::Ready
                }
                ConditionType::WAIT => State::Wait,
                ConditionType::WAIT_TIME => State::WaitTime(condition.target),
                ConditionType::WAIT_EVENT => State::WaitEvent,
                _ => State::Gone,
            };
            if after != *state {
                self.enter(place, after);
            }
            if self.mailbox.has_mail() {
                self.take_events();
            }
        }
        // Mostly nobody was asked, and to clear an empty set is work all the same.
        if something_ran && !self.asked_again.is_empty() {
            self.asked_again.clear();
        }
        Ok(something_ran)
    }

    /// An entity gets another state.
    fn enter(&mut self, place: usize, state: State) {
        let before = std::mem::replace(&mut self.entities[place].state, state);
        if before == State::WaitEvent {
            self.waiting_for_events -= 1;
        }
        match state {
            State::WaitTime(target) => {
                if self.timers.len() > 2 * self.entities.len() + 64 {
                    // Mostly targets that were replaced before their time came.
                    let entities = &self.entities;
                    self.timers.retain(|timer| is_valid(entities, timer));
                }
                self.timers.push(Reverse((target, as_u32(place))));
            }
            State::WaitEvent => self.waiting_for_events += 1,
            State::Gone => {
                self.alive -= 1;
                let runner = &self.entities[place].runner;
                tracing::debug!("entity `{}` ended", runner.entity.name());
                self.places[runner.number as usize] = NOWHERE;
                self.roster.gone(runner.number);
            }
            State::Ready | State::Wait => {}
        }
    }

    /// Nothing was ready: sleeps until something may be, or says that the run is over.
    fn rest(&mut self, now: i64, last_ready: i64, end_of_time: i64) -> Result<Option<End>> {
        if !self.ready.is_empty() || self.mailbox.has_mail() {
            return Ok(None);
        }
        if self.ask_earliest_again() {
            return Ok(None);
        }
        let polled = self.poll_waiting();
        let recession = (self.settings.recession_period > 0 && polled)
            .then(|| now.saturating_add(self.settings.recession_period));
        let timer = self.timers.peek().map(|Reverse((target, _))| *target);
        let target = match (timer, recession) {
            (Some(timer), Some(recession)) => Some(timer.min(recession)),
            (one, other) => one.or(other),
        };
        if let Some(target) = target {
            // One beyond the end: that is when the run is over.
            self.sleep_until(target.min(end_of_time.saturating_add(1)))?;
            return Ok(None);
        }
        if self.waiting_for_events > 0 {
            self.sleep_until(end_of_time.saturating_add(1))?;
            return Ok(None);
        }
        if !self.settings.stop_on_deadlock || self.settings.deadlock_timeout < 0 {
            if polled {
                // Terms that cannot announce themselves and no period to ask them at: ask now.
                std::thread::yield_now();
            } else {
                self.sleep_until(end_of_time.saturating_add(1))?;
            }
            return Ok(None);
        }
        let give_up = last_ready.saturating_add(self.settings.deadlock_timeout);
        if now < give_up {
            self.sleep_until(give_up.min(end_of_time.saturating_add(1)))?;
            return Ok(None);
        }
        Ok(Some(End::Deadlock))
    }

    /// Puts who has the earliest target into the ready set, once since something ran: another of its
    /// terms may have lost what it needs, which wakes nobody, and then time does not go on to there.
    fn ask_earliest_again(&mut self) -> bool {
        self.drop_stale_timers();
        let earliest = self.timers.peek().map(|Reverse((_, place))| *place);
        let ask = earliest.filter(|place| self.asked_again.insert(*place));
        ask.inspect(|place| self.ready.insert(*place)).is_some()
    }

    /// Forgets the earliest targets that nobody waits for any more.
    fn drop_stale_timers(&mut self) {
        while self.timers.peek().is_some_and(|timer| !is_valid(&self.entities, timer)) {
            self.timers.pop();
        }
    }

    fn place_of(&self, runner: &Runner) -> Option<u32> {
        place_in(&self.places, runner.number)
    }

    fn waits(&self, runner: &Runner) -> bool {
        let state = |place| self.entities[place as usize].state;
        self.place_of(runner).is_some_and(|place| state(place) == State::Wait)
    }

    /// Whether an entity waits for a term that must be polled.
    fn poll_waiting(&self) -> bool {
        self.roster.any_polled(|runner| self.waits(runner))
    }

    /// Puts all entities that wait for terms that must be polled into the ready set: nobody tells
    /// when they hold, so they are asked in every sweep.
    fn look_again(&mut self) {
        if !self.roster.has_polled() {
            return;
        }
        for runner in self.roster.polled() {
            if let Some(place) = self.place_of(&runner).filter(|_| self.waits(&runner)) {
                self.ready.insert(place);
            }
        }
    }

    /// Sleeps on the clock, but not longer than until the next event.
    fn sleep_until(&self, target: i64) -> Result<()> {
        if target == i64::MAX || self.settings.moved_by_others {
            self.mailbox.wait(None);
            return Ok(());
        }
        match self.clock.real_time_until(target) {
            Some(real) if real >= 0 => {
                let real = Duration::from_nanos(real.unsigned_abs());
                let woken = self.mailbox.wait(Some(real));
                debug_assert!(woken != Woken::Event || self.mailbox.has_mail());
                Ok(())
            }
            _ => self.clock.sleep_until(target).map_err(Into::into),
        }
    }
}
