//! The greedy engine: one thread, a deterministic order.
//!
//! # The loop
//!
//! Time is divided into sweeps. A sweep reads the time once and executes, in the order of
//! activation, every entity in the ready set: those that an event names, those whose target time
//! has come, those with polled terms, and those that ran in the previous sweep (their terms must be
//! checked again). An entity woken by an earlier one runs in the same sweep, otherwise in the next,
//! exactly as if every sweep checked all entities, but idle ones cost nothing.
//!
//! After a sweep in which nothing was ready, the engine sleeps: until the earliest valid target
//! time, until an event, or until the next poll. If there is none of these, nothing can ever happen
//! again: a deadlock.
//!
//! # The end
//!
//! 1. Nothing is left: every entity answered NEVER.
//! 2. Deadlock, if the scheduler stops on it.
//! 3. `max_duration_ms` has passed: success.
//! 4. Interrupt: the event queue says stop; a running tick finishes first.
//! 5. An execution fails: its error is the result.
//!
//! The loop only leaves; its caller stops the entities afterwards, in all five cases. The first
//! look at the event queue sees an interrupt that comes before the loop begins.

use crate::entity::port::Wake;
use crate::entity::runner::Runner;
use crate::schedule::engine::{End, Engine, Environment, Epoch};
use crate::schedule::pace::Pace;
use crate::schedule::runners::Runners;
use crate::schedule::settings::GreedySettings;
use crate::standard::scheduler::GreedyScheduler;
use gxf_app::error::Result;
use gxf_plugin::component::Component;
use gxf_plugin_abi::{Condition, ConditionType};
use gxf_sync::event_queue::{EventQueue, Woken};
use gxf_sync::ready_set::ReadySet;
use parking_lot::Mutex;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::hint::cold_path;
use std::sync::Arc;

/// Nanoseconds between two looks at polled terms without a period.
const SHORTEST_POLL: i64 = 1_000_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// In the ready set, or about to be.
    Ready,
    Wait,
    /// Has an entry in the timers for exactly this time.
    WaitTime(i64),
    WaitEvent,
    Gone,
}

/// An entity that the engine knows.
struct Known {
    runner: Arc<Runner>,
    state: State,
}

/// The state of the engine.
pub(super) struct Greedy {
    runners: Arc<Runners>,
    /// The known entities in the order of activation, in which they are executed.
    entities: Vec<Known>,
    /// By index: the position among these; [`NOWHERE`] for an unknown entity, or one that never
    /// runs again.
    places: Vec<u32>,
    /// Number of entities that had joined when this engine last looked.
    known: u64,
    ready: ReadySet,
    timers: BinaryHeap<Reverse<(i64, u32)>>,
    alive: usize,
    waiting_for_events: usize,
    settings: GreedySettings,
    pace: Pace,
    event_queue: Arc<EventQueue>,
    /// Whether the latest epoch ended with a pause.
    met_pause: bool,
    /// Entities with the earliest target that were checked again since something ran.
    asked_again: BTreeSet<u32>,
}

struct Waker<'a> {
    ready: &'a mut ReadySet,
    places: &'a [u32],
}

impl<'a> Waker<'a> {
    #[inline]
    fn new(ready: &'a mut ReadySet, places: &'a [u32]) -> Self {
        Self { ready, places }
    }

    /// Adds an entity to the ready set; returns whether it is known.
    #[inline]
    fn insert(&mut self, entity: u32) -> bool {
        // There is no room for `NOWHERE`.
        self.places.get(entity as usize).is_some_and(|place| self.ready.try_insert(*place))
    }
}

impl Wake for Waker<'_> {
    #[inline]
    fn wake(&mut self, entity: u32) {
        // An entity that just joined is in the event queue, too.
        self.insert(entity);
    }
}

/// No position.
const NOWHERE: u32 = u32::MAX;

/// The position of a known entity, by index.
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

/// The engine of a `GreedyScheduler`.
struct GreedyEngine {
    environment: Environment,
    /// Until it runs.
    greedy: Mutex<Option<Greedy>>,
}

/// The engine of a `GreedyScheduler`.
///
/// # Errors
/// None.
pub fn start(scheduler: &Arc<Component>, environment: Environment) -> Result<Arc<dyn Engine>> {
    let settings = scheduler.native::<GreedyScheduler>();
    let settings = settings.map(|scheduler| GreedySettings::of(&scheduler)).unwrap_or_default();
    let greedy = Mutex::new(Some(Greedy::new(&environment, settings)));
    Ok(Arc::new(GreedyEngine { environment, greedy }))
}

impl Engine for GreedyEngine {
    fn environment(&self) -> &Environment {
        &self.environment
    }

    fn thread_name(&self) -> String {
        "gxe-greedy".to_owned()
    }

    fn run(&self) -> Result<End> {
        let greedy = self.greedy.lock().take();
        greedy.map_or(Ok(End::Finished), Greedy::run)
    }

    /// As in GXF: after an error or the maximum duration.
    fn stops_entities(&self, end: &Result<End>) -> bool {
        matches!(end, Err(_) | Ok(End::Timeout))
    }
}

impl Greedy {
    /// An engine for the entities that are active now.
    pub(super) fn new(environment: &Environment, settings: GreedySettings) -> Self {
        let Environment { runners, event_queue, .. } = environment.clone();
        let (first, known) = runners.begin_run();
        let mut engine = Self {
            runners,
            entities: Vec::new(),
            places: Vec::new(),
            known,
            ready: ReadySet::default(),
            timers: BinaryHeap::new(),
            alive: 0,
            waiting_for_events: 0,
            settings,
            pace: environment.pace(),
            event_queue,
            met_pause: false,
            asked_again: BTreeSet::new(),
        };
        engine.add(first);
        engine
    }

    /// Adds entities, which are ready.
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

    /// Adds entities that joined since the last time.
    #[cold]
    fn learn(&mut self) {
        let (newcomers, known) = self.runners.joined_since(self.known);
        self.known = known;
        self.forget();
        self.add(newcomers);
    }

    /// Removes the entities that never run again, if they are many.
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
    fn run(mut self) -> Result<End> {
        let end_of_time = self
            .settings
            .max_duration
            .map_or(i64::MAX, |duration| self.pace.now().saturating_add(duration));
        let mut last_ready = 0;
        loop {
            if self.apply_events() {
                return Ok(End::Interrupted);
            }
            let now = self.pace.now();
            if now > end_of_time {
                return Ok(End::Timeout);
            }
            let something_ran = self.step(now)?;
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

    /// Checks and executes all entities that are due at a time; returns whether one was ready.
    #[inline(always)]
    fn step(&mut self, now: i64) -> Result<bool> {
        self.expire_timers(now);
        self.look_again();
        self.sweep(now)
    }

    /// Runs entities for some nanoseconds of the clock, or until nothing is ready. Without a
    /// budget, executes every entity once.
    pub(super) fn epoch(&mut self, budget: i64) -> Result<Epoch> {
        let begin = self.pace.now();
        self.met_pause = false;
        if budget <= 0 {
            for place in 0..self.entities.len() {
                self.ready.insert(as_u32(place));
            }
        }
        loop {
            match self.apply_events_unless_paused() {
                Some(false) => {}
                Some(true) => return Ok(Epoch::Interrupted),
                None => {
                    self.met_pause = true;
                    return Ok(Epoch::Paused);
                }
            }
            let now = self.pace.now();
            if budget > 0 && now > begin.saturating_add(budget) {
                return Ok(Epoch::BudgetUsed);
            }
            let something_ran = self.step(now)?;
            if self.alive == 0 {
                return Ok(Epoch::Finished);
            }
            if budget <= 0 && something_ran {
                return Ok(Epoch::BudgetUsed);
            }
            if !something_ran
                && self.ready.is_empty()
                && !self.event_queue.has_events()
                && !self.ask_earliest_again()
            {
                return Ok(Epoch::Idle {
                    next: self.timers.peek().map(|Reverse((target, _))| *target),
                    awaits_event: self.waiting_for_events > 0 || !self.event_queue.is_quiet(),
                });
            }
        }
    }

    /// Sleeps between two epochs: until the time that the last one returned, until an event, or
    /// until the next poll. During a pause, until its end.
    pub(super) fn rest_until(&self, next: Option<i64>) -> Result<()> {
        // If a pause ended since the epoch met it, nothing has been checked yet.
        if self.met_pause || self.event_queue.is_paused() {
            self.event_queue.sit_out_pause();
            return Ok(());
        }
        let target = next.unwrap_or(i64::MAX);
        if self.poll_waiting() {
            let period = self.settings.recession_period.max(SHORTEST_POLL);
            return self.sleep_until(target.min(self.pace.now().saturating_add(period)));
        }
        self.sleep_until(target)
    }

    /// Applies events from other threads; returns whether the run should end. Blocks during a
    /// pause.
    #[inline]
    fn apply_events(&mut self) -> bool {
        self.event_queue.has_events()
            && self.collect_events(|event_queue, take| event_queue.collect(take))
    }

    /// The same for an epoch, which must not block: `None` during a pause.
    fn apply_events_unless_paused(&mut self) -> Option<bool> {
        if !self.event_queue.has_events() {
            return Some(false);
        }
        self.collect_events(|event_queue, take| event_queue.collect_unless_paused(take))
    }

    fn collect_events<R>(
        &mut self,
        collect: impl FnOnce(&EventQueue, &mut dyn FnMut(u32)) -> R,
    ) -> R {
        let mut stranger = false;
        let mut waker = Waker::new(&mut self.ready, &self.places);
        let stop = collect(&self.event_queue, &mut |entity| stranger |= !waker.insert(entity));
        if stranger && self.runners.joined() != self.known {
            self.learn();
        }
        stop
    }

    /// Applies events within a sweep: memory that an execution freed, a term it switched. Entities
    /// that joined wait for the next sweep.
    #[cold]
    fn take_events(&mut self) {
        let mut waker = Waker::new(&mut self.ready, &self.places);
        self.event_queue.collect_entities(|entity| {
            if !waker.insert(entity) {
                self.event_queue.post(entity);
            }
        });
    }

    /// Adds entities that are due to the ready set.
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

    /// Executes every entity in the ready set once; returns whether one of them was ready.
    fn sweep(&mut self, now: i64) -> Result<bool> {
        let mut something_ran = false;
        let mut next = 0;
        loop {
            let mut waker = Waker::new(&mut self.ready, &self.places);
            let (place, condition) = loop {
                // The entity stays in the set, because it nearly always is ready again.
                let Some(place) = waker.ready.next_from(next) else {
                    // The set is usually empty, and clearing an empty set is work too.
                    if something_ran && !self.asked_again.is_empty() {
                        self.asked_again.clear();
                    }
                    return Ok(something_ran);
                };
                next = place + 1;
                let Known { runner, state } = &self.entities[place as usize];
                if *state != State::Ready {
                    break (place, None);
                }
                let condition = runner.execute(now, &mut waker)?;
                if condition.condition_type != ConditionType::READY {
                    break (place, Some(condition));
                }
                something_ran = true;
                if self.event_queue.has_events() {
                    cold_path();
                    break (place, Some(condition));
                }
            };
            let condition = match condition {
                Some(condition) => condition,
                None => self.execute_woken(place, now)?,
            };
            something_ran |= condition.condition_type == ConditionType::READY;
            if condition.condition_type != ConditionType::READY {
                // Also if it was woken in the meantime, which was before its terms were checked.
                self.ready.remove(place);
                self.rests(place as usize, condition);
            } else if self.entities[place as usize].state != State::Ready {
                self.enter(place as usize, State::Ready);
            }
            if self.event_queue.has_events() {
                self.take_events();
            }
        }
    }

    /// Executes an entity that was not ready at its latest check.
    #[inline(never)]
    fn execute_woken(&mut self, place: u32, now: i64) -> Result<Condition> {
        let Known { runner, state } = &self.entities[place as usize];
        match state {
            State::Gone => Ok(Condition { condition_type: ConditionType::NEVER, target: now }),
            _ => runner.execute(now, &mut Waker::new(&mut self.ready, &self.places)),
        }
    }

    /// An entity was asked and is not ready.
    #[inline(never)]
    fn rests(&mut self, place: usize, condition: Condition) {
        let state = match condition.condition_type {
            ConditionType::WAIT => State::Wait,
            ConditionType::WAIT_TIME => State::WaitTime(condition.target),
            ConditionType::WAIT_EVENT => State::WaitEvent,
            _ => State::Gone,
        };
        if state != self.entities[place].state {
            self.enter(place, state);
        }
    }

    /// Changes the state of an entity.
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
                self.runners.gone(runner.number);
            }
            State::Ready | State::Wait => {}
        }
    }

    /// Nothing was ready: sleeps until something may be, or ends the run.
    fn rest(&mut self, now: i64, last_ready: i64, end_of_time: i64) -> Result<Option<End>> {
        if !self.ready.is_empty() || self.event_queue.has_events() {
            return Ok(None);
        }
        if self.ask_earliest_again() {
            return Ok(None);
        }
        let polled = self.poll_waiting();
        let recession = (self.settings.recession_period > 0 && polled)
            .then(|| now.saturating_add(self.settings.recession_period));
        let timer = self.timers.peek().map(|Reverse((target, _))| *target);
        // That one never comes.
        let timer = timer.filter(|target| *target != i64::MAX);
        let target = match (timer, recession) {
            (Some(timer), Some(recession)) => Some(timer.min(recession)),
            (one, other) => one.or(other),
        };
        if let Some(target) = target {
            // One beyond the end, which is when the run is over.
            self.sleep_until(target.min(end_of_time.saturating_add(1)))?;
            return Ok(None);
        }
        if self.waiting_for_events > 0 || self.event_queue.expects() {
            let _rest = self.event_queue.rest();
            self.sleep_until(end_of_time.saturating_add(1))?;
            return Ok(None);
        }
        if !self.settings.stop_on_deadlock || self.settings.deadlock_timeout < 0 {
            if polled {
                // No period for polling the terms: poll immediately.
                std::thread::yield_now();
            } else {
                self.sleep_until(end_of_time.saturating_add(1))?;
            }
            return Ok(None);
        }
        let give_up = last_ready.saturating_add(self.settings.deadlock_timeout);
        if now < give_up {
            // A clock that only jumps has no time in between.
            let polls = polled && !self.pace.jumps_to(give_up);
            let poll = if polls { now.saturating_add(SHORTEST_POLL) } else { give_up };
            self.sleep_until(poll.min(give_up).min(end_of_time.saturating_add(1)))?;
            return Ok(None);
        }
        // What was expected a moment ago may be here.
        Ok(self.event_queue.is_quiet().then_some(End::Deadlock))
    }

    /// Adds the entities with the earliest target to the ready set, once since something ran:
    /// another of their terms may have lost what it needs, which wakes nothing, and then the time
    /// must not advance to the target.
    fn ask_earliest_again(&mut self) -> bool {
        self.drop_stale_timers();
        let earliest = self.timers.peek().map(|Reverse((_, place))| *place);
        let ask = earliest.filter(|place| self.asked_again.insert(*place));
        ask.inspect(|place| self.ready.insert(*place)).is_some()
    }

    /// Removes the earliest targets that are no longer valid.
    fn drop_stale_timers(&mut self) {
        while self.timers.peek().is_some_and(|timer| !is_valid(&self.entities, timer)) {
            self.timers.pop();
        }
    }

    fn place_of(&self, runner: &Runner) -> Option<u32> {
        place_in(&self.places, runner.number)
    }

    /// Whether an entity waits for nothing but a polled term, or for an event that may never come
    /// while such a term becomes ready. As in GXF, one that also waits for a time sleeps until then
    /// if nothing else happens.
    fn poll_waiting(&self) -> bool {
        self.runners.any_polled(|runner| {
            let waits = |place| match self.entities[place as usize].state {
                State::Wait => true,
                State::WaitEvent => runner.may_wait_for_poll(ConditionType::WAIT_EVENT),
                _ => false,
            };
            self.place_of(runner).is_some_and(waits)
        })
    }

    /// Adds all entities that may wait for polled terms to the ready set, because their terms
    /// announce nothing.
    fn look_again(&mut self) {
        if !self.runners.has_polled() {
            return;
        }
        for runner in self.runners.polled() {
            let Some(place) = self.place_of(&runner) else { continue };
            let condition = match self.entities[place as usize].state {
                State::Wait => ConditionType::WAIT,
                State::WaitTime(_) => ConditionType::WAIT_TIME,
                State::WaitEvent => ConditionType::WAIT_EVENT,
                State::Ready | State::Gone => continue,
            };
            if runner.may_wait_for_poll(condition) {
                self.ready.insert(place);
            }
        }
    }

    /// Sleeps on the clock, but at most until the next event.
    fn sleep_until(&self, target: i64) -> Result<()> {
        if self.pace.jumps_to(target) {
            return self.pace.jump_to(target).map_err(Into::into);
        }
        let woken = self.event_queue.wait(self.pace.real_time_until(target));
        debug_assert!(woken != Woken::Event || self.event_queue.has_events());
        Ok(())
    }
}
