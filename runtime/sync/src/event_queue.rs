//! Events from other threads to a scheduler.
//!
//! An idle scheduler sleeps here. A thread with an event for an entity adds the entity's index to
//! the queue and wakes the scheduler. No event is lost: sender and sleeper use the same lock, so
//! the scheduler sees an event that comes between its last look and its sleep. The queue holds an
//! entity at most once, so its length is at most the number of entities.
//!
//! If the graph has an [`EventLoop`], the scheduler sleeps in that instead: what arrives from other
//! processes then wakes one thread, not two. What comes from another graph, process or host may come
//! so soon that falling asleep and being woken would take longer. If it did the last few times, the
//! scheduler first looks for it for a moment (`habit.rs`), as pinned workers do.

use crate::habit::{Habit, LOOK};
use crate::loom::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use crate::loom::{Condvar, Mutex, MutexGuard};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Something outside the graph that can be waited for, and that a thread of its own runs while no
/// scheduler does.
pub trait EventLoop: Send + Sync {
    /// Takes the loop over, if its own thread does not have or need it.
    fn enter(&self) -> bool;

    /// Sleeps until there is work, until [`Self::wake`] is called, or until the timeout. A timeout of
    /// zero only looks for work.
    fn wait(&self, timeout: Option<Duration>);

    /// Does the work; returns whether the loop can stay with this thread.
    fn work(&self) -> bool;

    /// Gives the loop back.
    fn leave(&self);

    /// Makes the current call of [`Self::wait`] return, or the next one.
    fn wake(&self);
}

/// Loops count in milliseconds; what is left of a timeout is slept without them.
const LOOP_UNIT: Duration = Duration::from_millis(1);

/// So many looks at the queue for one at the time and at the loop, which are slower.
const LOOKS: usize = 8;

#[derive(Default)]
struct Content {
    entities: Vec<u32>,
    /// By entity index: whether `entities` holds it.
    listed: Vec<bool>,
    /// An event that concerns no entity.
    poked: bool,
    stop: bool,
    /// `collect` blocks until the pause is over.
    paused: bool,
    event_loop: Option<Arc<dyn EventLoop>>,
    /// Whether the sleeper is in the loop, and nobody has woken it.
    sleeps_in_loop: bool,
    habit: Habit,
}

/// A queue of entity indices with a sleeper.
pub struct EventQueue {
    content: Mutex<Content>,
    arrived: Condvar,
    /// Signals the end of a pause or of the run.
    resumed: Condvar,
    /// Whether the queue may hold something; saves the lock on the scheduler's hot path.
    pending: AtomicBool,
    /// Number of [`Expected`] values.
    expected: AtomicU32,
    /// Odd while there is a [`Rest`]; grows with its begin and its end.
    rests: AtomicU64,
}

/// The scheduler executes nothing until an event comes: no entity is ready, and none waits for a
/// time.
pub struct Rest<'a>(&'a EventQueue);

impl Drop for Rest<'_> {
    fn drop(&mut self) {
        self.0.rests.fetch_add(1, Ordering::AcqRel);
    }
}

/// Work outside the graph whose effects may come as events that no entity waits for by itself.
pub struct Expected(Arc<EventQueue>);

impl Drop for Expected {
    fn drop(&mut self) {
        // The scheduler looks again: nothing else may come.
        if self.0.expected.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.poke();
        }
    }
}

/// The reason the scheduler woke up.
#[derive(Debug, PartialEq, Eq)]
pub enum Woken {
    /// The queue holds something.
    Event,
    /// The timeout has passed.
    Timeout,
    /// The run should end.
    Stop,
}

impl Default for EventQueue {
    fn default() -> Self {
        Self::new()
    }
}

impl EventQueue {
    /// An empty queue.
    pub fn new() -> Self {
        Self {
            content: Mutex::new(Content::default()),
            arrived: Condvar::new(),
            resumed: Condvar::new(),
            pending: AtomicBool::new(false),
            expected: AtomicU32::new(0),
            rests: AtomicU64::new(0),
        }
    }

    /// Adds an event for an entity.
    pub fn post(&self, entity: u32) {
        let mut content = self.content.lock();
        let place = entity as usize;
        if content.listed.len() <= place {
            content.listed.resize(place + 1, false);
        }
        if !content.listed[place] {
            content.listed[place] = true;
            content.entities.push(entity);
            self.wake_one(content);
        }
    }

    /// Wakes the scheduler without an event for an entity: the time changed.
    pub fn poke(&self) {
        let mut content = self.content.lock();
        content.poked = true;
        self.wake_one(content);
    }

    /// Wakes the sleeper, for whom the queue now holds something.
    fn wake_one(&self, mut content: MutexGuard<'_, Content>) {
        // Release pairs with the Acquire in `has_events`.
        self.pending.store(true, Ordering::Release);
        let event_loop = Self::loop_to_wake(&mut content);
        drop(content);
        match event_loop {
            Some(event_loop) => event_loop.wake(),
            None => _ = self.arrived.notify_one(),
        }
    }

    /// The loop that the sleeper is in, unless it has been woken.
    fn loop_to_wake(content: &mut Content) -> Option<Arc<dyn EventLoop>> {
        let is_there = std::mem::take(&mut content.sleeps_in_loop);
        content.event_loop.clone().filter(|_| is_there)
    }

    /// Until the next [`Self::reset`], the scheduler sleeps in this loop when it can.
    pub fn sleep_in(&self, event_loop: Arc<dyn EventLoop>) {
        self.content.lock().event_loop = Some(event_loop);
    }

    /// Work outside the graph begins. Until the result is dropped, [`Self::expects`] is true.
    pub fn expect(self: &Arc<Self>) -> Expected {
        self.expected.fetch_add(1, Ordering::AcqRel);
        Expected(self.clone())
    }

    /// Whether work outside the graph may change what entities can do. A poke says when that ends.
    #[inline]
    pub fn expects(&self) -> bool {
        self.expected.load(Ordering::Acquire) > 0
    }

    /// Whether nothing is here and nothing is expected. In this order: what ends posts its events
    /// first.
    pub fn is_quiet(&self) -> bool {
        !self.expects() && !self.has_events()
    }

    /// The scheduler is at rest until the result is dropped, which is before it collects events.
    pub fn rest(&self) -> Rest<'_> {
        self.rests.fetch_add(1, Ordering::AcqRel);
        Rest(self)
    }

    /// Identifies the rest of the scheduler, if it is at rest.
    pub fn resting(&self) -> Option<u64> {
        let rests = self.rests.load(Ordering::Acquire);
        (rests % 2 == 1).then_some(rests)
    }

    /// Whether this rest goes on: nothing has come since then, and nothing is expected. What was
    /// posted before the call counts.
    pub fn still_rests(&self, rest: u64) -> bool {
        // Under the lock: whoever took an event out of the queue had ended the rest before.
        let content = self.content.lock();
        let is_empty = content.entities.is_empty() && !content.poked;
        is_empty
            && !content.stop
            && !content.paused
            && !self.expects()
            && self.resting() == Some(rest)
    }

    /// Asks the run to end.
    pub fn stop(&self) {
        let mut content = self.content.lock();
        content.stop = true;
        self.pending.store(true, Ordering::Release);
        let event_loop = Self::loop_to_wake(&mut content);
        drop(content);
        if let Some(event_loop) = event_loop {
            event_loop.wake();
        }
        self.arrived.notify_all();
        self.resumed.notify_all();
    }

    /// Whether the run was asked to end.
    pub fn is_stopped(&self) -> bool {
        self.content.lock().stop
    }

    /// Stops execution from the scheduler's next look at the queue on.
    pub fn pause(&self) {
        let mut content = self.content.lock();
        content.paused = true;
        self.pending.store(true, Ordering::Release);
    }

    /// Ends a pause. The scheduler looks again: while the queue seemed to hold something, it could not
    /// notice that nothing comes.
    pub fn resume(&self) {
        let mut content = self.content.lock();
        if std::mem::take(&mut content.paused) {
            content.poked = true;
            self.wake_one(content);
        } else {
            drop(content);
        }
        self.resumed.notify_all();
    }

    /// Whether there is a pause.
    pub fn is_paused(&self) -> bool {
        self.content.lock().paused
    }

    /// Locks the content once there is no pause. Stopping a run ends its pause.
    fn lock_unpaused(&self) -> MutexGuard<'_, Content> {
        let mut content = self.content.lock();
        while content.paused && !content.stop {
            self.resumed.wait(&mut content);
        }
        content
    }

    /// Prepares for another run.
    pub fn reset(&self) {
        let mut content = self.content.lock();
        *content = Content::default();
        self.pending.store(false, Ordering::Relaxed);
    }

    /// Whether `collect` would find something. Cheap.
    #[inline]
    pub fn has_events(&self) -> bool {
        self.pending.load(Ordering::Acquire)
    }

    /// Removes all entities and returns whether the run should end. Blocks during a pause. Only for
    /// the single thread that ever sleeps here; it also clears a poke.
    pub fn collect(&self, take: impl FnMut(u32)) -> bool {
        let mut content = self.lock_unpaused();
        content.poked = false;
        self.hand_out(content, take)
    }

    /// Like `collect`, while another thread may sleep here. Leaves a poke to that thread, which it
    /// may have woken without having looked yet.
    pub fn collect_beside_sleeper(&self, take: impl FnMut(u32)) -> bool {
        self.hand_out(self.lock_unpaused(), take)
    }

    /// Like [`Self::collect`] for a thread that must not block: `None` during a pause.
    pub fn collect_unless_paused(&self, take: impl FnMut(u32)) -> Option<bool> {
        let mut content = self.content.lock();
        (!content.paused || content.stop).then(|| {
            content.poked = false;
            self.hand_out(content, take)
        })
    }

    /// Removes all entities; leaves a stop, a pause and a poke for the next look.
    pub fn collect_entities(&self, take: impl FnMut(u32)) {
        let content = self.content.lock();
        let rest = content.stop || content.paused || content.poked;
        self.drain(content, rest, take);
    }

    /// Blocks until there is no pause.
    pub fn sit_out_pause(&self) {
        drop(self.lock_unpaused());
    }

    fn hand_out(&self, content: MutexGuard<'_, Content>, take: impl FnMut(u32)) -> bool {
        let stop = content.stop;
        self.drain(content, stop, take);
        stop
    }

    fn drain(&self, mut content: MutexGuard<'_, Content>, rest: bool, take: impl FnMut(u32)) {
        // Under the lock, so no event can come in between.
        self.pending.store(rest, Ordering::Relaxed);
        let mut entities = std::mem::take(&mut content.entities);
        for entity in &entities {
            content.listed[*entity as usize] = false;
        }
        drop(content);
        // Without the lock: waking an entity may post to this queue.
        entities.drain(..).for_each(take);
        let mut content = self.content.lock();
        if content.entities.capacity() == 0 {
            content.entities = entities;
        }
    }

    /// Clears a poke. Returns whether `collect` would find something.
    pub fn clear_poke(&self) -> bool {
        let mut content = self.content.lock();
        content.poked = false;
        let found = content.stop || content.paused || !content.entities.is_empty();
        self.pending.store(found, Ordering::Relaxed);
        found
    }

    /// Sleeps until the queue holds something, the run should end, or the timeout has passed.
    pub fn wait(&self, timeout: Option<Duration>) -> Woken {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let (event_loop, looks) = {
            let content = self.content.lock();
            match content.found() {
                Some(found) => return found,
                None => (content.event_loop.clone(), content.habit.looks()),
            }
        };
        let Some(event_loop) = event_loop else { return self.wait_for_arrival(deadline) };
        let began = Instant::now();
        let looks_until = (looks && has_cores()).then(|| began + LOOK);
        // Who enters and leaves at once keeps the loop's own thread out for nothing.
        if has_time(deadline) && event_loop.enter() {
            self.wait_in(&*event_loop, looks_until, deadline);
            event_loop.leave();
        } else if let Some(until) = looks_until {
            while !self.sees_events() && Instant::now() < until {}
        }
        let woken = self.wait_for_arrival(deadline);
        let (is_event, took) = (woken == Woken::Event, began.elapsed());
        let habit = &mut self.content.lock().habit;
        match looks_until {
            Some(_) => habit.note_look(took, is_event && took <= LOOK),
            None => habit.note_sleep(took, is_event),
        }
        woken
    }

    /// Looks for events several times, without sleeping.
    fn sees_events(&self) -> bool {
        (0..LOOKS).any(|_| {
            std::hint::spin_loop();
            self.has_events()
        })
    }

    /// Sleeps until the queue holds something, the run should end, or the time has come.
    fn wait_for_arrival(&self, deadline: Option<Instant>) -> Woken {
        let mut content = self.content.lock();
        loop {
            if let Some(found) = content.found() {
                return found;
            }
            match deadline {
                Some(deadline) => {
                    if self.arrived.wait_until(&mut content, deadline).timed_out() {
                        return Woken::Timeout;
                    }
                }
                None => self.arrived.wait(&mut content),
            }
        }
    }

    /// Runs the loop until the queue holds something, its own thread needs it, or the time has
    /// nearly come. Before it sleeps, it looks for work until `looks_until`.
    fn wait_in(
        &self,
        event_loop: &dyn EventLoop,
        looks_until: Option<Instant>,
        deadline: Option<Instant>,
    ) {
        loop {
            if looks_until.is_some_and(|until| Instant::now() < until) {
                if self.sees_events() {
                    return;
                }
                event_loop.wait(Some(Duration::ZERO));
            } else {
                if !has_time(deadline) {
                    return;
                }
                {
                    let mut content = self.content.lock();
                    if content.found().is_some() {
                        return;
                    }
                    content.sleeps_in_loop = true;
                }
                event_loop.wait(time_left(deadline));
                // What it does may post to this queue, and then wakes nobody.
                self.content.lock().sleeps_in_loop = false;
            }
            if !event_loop.work() {
                return;
            }
        }
    }
}

/// Whether another thread can run while this one looks for its events.
fn has_cores() -> bool {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from)) > 1
}

fn time_left(deadline: Option<Instant>) -> Option<Duration> {
    deadline.map(|at| at.saturating_duration_since(Instant::now()))
}

/// Whether there is so much time left that a loop can be slept in.
fn has_time(deadline: Option<Instant>) -> bool {
    time_left(deadline).is_none_or(|left| left >= LOOP_UNIT)
}

impl Content {
    /// What there is for the scheduler.
    fn found(&self) -> Option<Woken> {
        if self.stop {
            return Some(Woken::Stop);
        }
        (self.poked || !self.entities.is_empty()).then_some(Woken::Event)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn what_is_expected_keeps_the_queue_from_being_quiet() {
        let queue = Arc::new(EventQueue::new());
        assert!(queue.is_quiet());
        let work = [queue.expect(), queue.expect()];
        assert!(queue.expects() && !queue.is_quiet());
        let [first, second] = work;
        drop(first);
        assert!(queue.expects() && !queue.has_events(), "one is pending");
        queue.post(3);
        drop(second);
        assert!(!queue.expects() && !queue.is_quiet(), "its event is there");
        assert_eq!(queue.wait(None), Woken::Event);
        let mut taken = Vec::new();
        queue.collect(|entity| taken.push(entity));
        assert_eq!(taken, [3]);
        assert!(queue.is_quiet());
        // Without an event, the sleeper is woken to look.
        drop(queue.expect());
        assert_eq!(queue.wait(None), Woken::Event);
    }

    #[test]
    fn an_entity_stands_in_the_box_once() {
        let queue = EventQueue::new();
        for _ in 0..3 {
            queue.post(7);
        }
        queue.post(2);
        let mut taken = Vec::new();
        assert!(!queue.collect(|entity| taken.push(entity)));
        assert_eq!(taken, [7, 2]);
        assert!(!queue.has_events());
        queue.post(7);
        assert!(queue.has_events());
    }

    #[test]
    fn what_concerns_no_entity_stays_when_entities_are_taken() {
        let leave: [fn(&EventQueue); 3] = [EventQueue::stop, EventQueue::pause, EventQueue::poke];
        for leave in leave {
            let queue = EventQueue::new();
            leave(&queue);
            queue.post(3);
            let mut taken = Vec::new();
            queue.collect_entities(|entity| taken.push(entity));
            assert_eq!(taken, [3]);
            assert!(queue.has_events());
        }
        let queue = EventQueue::new();
        queue.post(3);
        queue.collect_entities(|_| ());
        assert!(!queue.has_events());
    }

    #[test]
    fn a_pause_holds_whoever_looks_until_it_is_over_or_the_run_is() {
        type End = fn(&EventQueue);
        let ends: [(End, bool); 2] = [(EventQueue::resume, false), (EventQueue::stop, true)];
        for (end, stops) in ends {
            let queue = std::sync::Arc::new(EventQueue::new());
            queue.post(3);
            queue.pause();
            assert!(queue.is_paused() && queue.clear_poke() && queue.has_events());
            let (sender, taken) = std::sync::mpsc::channel();
            let looker = queue.clone();
            let thread = std::thread::spawn(move || looker.collect(|n| sender.send(n).unwrap()));
            assert!(taken.recv_timeout(Duration::from_millis(20)).is_err());
            end(&queue);
            assert_eq!(taken.recv(), Ok(3));
            assert_eq!(thread.join().unwrap(), stops);
        }
    }

    /// It may have looked during the pause, and found that something could come.
    #[test]
    fn the_end_of_a_pause_wakes_the_sleeper() {
        let queue = EventQueue::new();
        queue.resume();
        assert!(!queue.has_events(), "there was no pause");
        queue.pause();
        assert_eq!(queue.wait(Some(Duration::ZERO)), Woken::Timeout);
        queue.resume();
        assert_eq!(queue.wait(None), Woken::Event);
        assert!(!queue.clear_poke() && queue.is_quiet());
    }

    /// A loop whose work posts an event the second time.
    struct Loop {
        queue: std::sync::Weak<EventQueue>,
        rounds: std::sync::atomic::AtomicUsize,
        entries: std::sync::atomic::AtomicUsize,
        is_entered: std::sync::atomic::AtomicBool,
    }

    impl EventLoop for Loop {
        fn enter(&self) -> bool {
            self.entries.fetch_add(1, Ordering::Relaxed);
            !self.is_entered.swap(true, Ordering::Relaxed)
        }

        fn wait(&self, _timeout: Option<Duration>) {}

        fn work(&self) -> bool {
            if self.rounds.fetch_add(1, Ordering::Relaxed) == 1 {
                self.queue.upgrade().unwrap().post(3);
            }
            true
        }

        fn leave(&self) {
            assert!(self.is_entered.swap(false, Ordering::Relaxed));
        }

        fn wake(&self) {
            panic!("the sleeper is awake");
        }
    }

    #[test]
    fn waiting_runs_the_loop_until_it_posts() {
        let queue = Arc::new(EventQueue::new());
        let event_loop = Arc::new(Loop {
            queue: Arc::downgrade(&queue),
            rounds: Default::default(),
            entries: Default::default(),
            is_entered: Default::default(),
        });
        queue.sleep_in(event_loop.clone());
        assert_eq!(queue.wait(None), Woken::Event);
        assert_eq!(event_loop.rounds.load(Ordering::Relaxed), 2);
        assert!(!event_loop.is_entered.load(Ordering::Relaxed));
        assert_eq!(event_loop.entries.load(Ordering::Relaxed), 1);
        // A timeout that is too short for the loop, which then stays with its own thread.
        queue.collect(|_| ());
        assert_eq!(queue.wait(Some(Duration::from_micros(10))), Woken::Timeout);
        assert_eq!(event_loop.entries.load(Ordering::Relaxed), 1);
        queue.reset();
        assert_eq!(queue.wait(Some(Duration::from_millis(2))), Woken::Timeout);
        assert_eq!(event_loop.rounds.load(Ordering::Relaxed), 2, "the loop is forgotten");
    }

    #[test]
    fn waiting_ends_by_time_event_and_stop() {
        let queue = EventQueue::new();
        assert_eq!(queue.wait(Some(Duration::from_millis(1))), Woken::Timeout);
        queue.post(0);
        assert_eq!(queue.wait(None), Woken::Event);
        queue.stop();
        assert_eq!(queue.wait(None), Woken::Stop);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;

    /// Two senders, and a scheduler that sleeps whenever the queue looks empty: in every
    /// interleaving both events arrive, and the stop ends the loop.
    #[test]
    fn no_event_is_lost() {
        loom::model(|| {
            let queue = Arc::new(EventQueue::new());
            let senders: Vec<_> = (0..2)
                .map(|entity| {
                    let queue = queue.clone();
                    loom::thread::spawn(move || queue.post(entity))
                })
                .collect();
            let mut seen = [false; 2];
            while seen != [true; 2] {
                if queue.has_events() {
                    queue.collect(|entity| seen[entity as usize] = true);
                } else {
                    queue.wait(None);
                }
            }
            for sender in senders {
                sender.join().unwrap();
            }
        });
    }

    /// What a thread has noted as posted is in the queue or executed while the scheduler still
    /// rests.
    #[test]
    fn a_rest_that_goes_on_has_nothing_to_execute() {
        loom::model(|| {
            let queue = Arc::new(EventQueue::new());
            let noted = Arc::new(AtomicBool::new(false));
            let executed = Arc::new(AtomicBool::new(false));
            let sender = {
                let (queue, noted) = (queue.clone(), noted.clone());
                loom::thread::spawn(move || {
                    queue.post(0);
                    noted.store(true, Ordering::Release);
                })
            };
            let scheduler = {
                let (queue, executed) = (queue.clone(), executed.clone());
                loom::thread::spawn(move || {
                    let rest = queue.rest();
                    queue.wait(None);
                    drop(rest);
                    queue.collect(|_| ());
                    executed.store(true, Ordering::Relaxed);
                    let rest = queue.rest();
                    drop(rest);
                })
            };
            if let Some(rest) = queue.resting() {
                let is_noted = noted.load(Ordering::Acquire);
                if is_noted && queue.still_rests(rest) {
                    assert!(executed.load(Ordering::Relaxed));
                }
            }
            sender.join().unwrap();
            scheduler.join().unwrap();
        });
    }

    /// A loop whose sleeper only ever wakes when it is woken.
    #[derive(Default)]
    struct Bed {
        is_woken: loom::sync::Mutex<bool>,
        woken: loom::sync::Condvar,
    }

    impl EventLoop for Bed {
        fn enter(&self) -> bool {
            true
        }

        fn wait(&self, _timeout: Option<Duration>) {
            let mut is_woken = self.is_woken.lock().unwrap();
            while !*is_woken {
                is_woken = self.woken.wait(is_woken).unwrap();
            }
            *is_woken = false;
        }

        fn work(&self) -> bool {
            true
        }

        fn leave(&self) {}

        fn wake(&self) {
            *self.is_woken.lock().unwrap() = true;
            self.woken.notify_one();
        }
    }

    /// An event and an interrupt reach a scheduler that sleeps in a loop, or is about to.
    #[test]
    fn no_event_is_lost_in_a_loop() {
        loom::model(|| {
            let queue = Arc::new(EventQueue::new());
            queue.sleep_in(std::sync::Arc::new(Bed::default()));
            let sender = {
                let queue = queue.clone();
                loom::thread::spawn(move || {
                    queue.post(0);
                    queue.stop();
                })
            };
            let mut taken = 0;
            while !queue.collect(|_| taken += 1) {
                queue.wait(None);
            }
            sender.join().unwrap();
            queue.collect(|_| taken += 1);
            assert_eq!(taken, 1);
        });
    }

    /// An interrupt from another thread ends a sleeping scheduler.
    #[test]
    fn stop_wakes_the_sleeper() {
        loom::model(|| {
            let queue = Arc::new(EventQueue::new());
            let other = {
                let queue = queue.clone();
                loom::thread::spawn(move || queue.stop())
            };
            assert_eq!(queue.wait(None), Woken::Stop);
            assert!(queue.has_events());
            assert!(queue.collect(|_| ()));
            other.join().unwrap();
        });
    }

    /// Another thread empties the queue while the run ends: the sleeper still sees the end.
    #[test]
    fn a_poke_reaches_the_sleeper_whoever_collects() {
        loom::model(|| {
            let queue = Arc::new(EventQueue::new());
            let is_over = Arc::new(AtomicBool::new(false));
            let collector = {
                let queue = queue.clone();
                loom::thread::spawn(move || queue.collect_beside_sleeper(|_| ()))
            };
            let finisher = {
                let (queue, is_over) = (queue.clone(), is_over.clone());
                loom::thread::spawn(move || {
                    is_over.store(true, Ordering::SeqCst);
                    queue.poke();
                })
            };
            queue.clear_poke();
            while !is_over.load(Ordering::SeqCst) {
                queue.wait(None);
            }
            collector.join().unwrap();
            finisher.join().unwrap();
        });
    }
}
