//! One worker: executes the list of one engine of the schedule, cycle after cycle.

use super::Shared;
use super::entries::{Entry as Logged, Ring};
use super::hyperepoch::{FrameOver, Hyperepoch, Lane, NONE, Slot, Wait, flag};
use super::program::{Job, Program};
use crate::entity::port::Wake;
use crate::entity::runner::Runner;
use crate::schedule::engine::End;
use gxf_plugin_abi::{Condition, ConditionType};
use gxf_stm::log::Executed;
use gxf_sync::frames::Entry;
use std::hint::cold_path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Number of times that a worker asks submitted work before it sleeps.
const ASKS: u32 = 100;

/// The order says who comes next. Only that somebody may be ready is noted: an entity that does not tick
/// may send what it held.
struct Noted<'a>(&'a mut bool);

impl Wake for Noted<'_> {
    #[inline(always)]
    fn wake(&mut self, _entity: u32) {
        *self.0 = true;
    }

    /// Only a tick makes room, and that is noted in any case.
    #[inline(always)]
    fn is_watched(&self, _entity: u32) -> bool {
        true
    }
}

/// A worker.
pub struct Worker<'a> {
    shared: &'a Shared,
    program: &'a Program,
    hyperepoch: &'a Hyperepoch,
    lane: &'a Lane,
    /// Index of the lane in the hyperepoch, and of the worker among all.
    place: usize,
    index: usize,
    /// The changes of the entities that this worker has seen, as [`Shared::halt`] has them when
    /// nothing else is asked.
    halt: u32,
    /// By runnable.
    runners: Vec<Option<Arc<Runner>>>,
    /// By epoch: the latest frame that the worker looked at; and the frame of the current slot.
    frames: Vec<Latest>,
    current: Latest,
    /// A time that the clock has reached.
    known_time: i64,
    executed: u64,
    /// Whether something ran, or sent messages, since the last frame was left.
    ran: bool,
    /// The log of executions, if there is one.
    log: Option<&'a mut Ring<Logged>>,
}

/// A frame that a worker looked at.
#[derive(Clone, Copy)]
struct Latest {
    frame: u64,
    start: i64,
    entry: Entry,
}

impl<'a> Worker<'a> {
    /// A worker with a job.
    pub fn new(
        shared: &'a Shared,
        job: &'a Job,
        index: usize,
        log: Option<&'a mut Ring<Logged>>,
    ) -> Self {
        let none = Latest { frame: u64::MAX, start: 0, entry: Entry::Passed };
        let (program, hyperepoch) = (&*job.part.program, job.part.hyperepoch());
        let (halt, runners) = program.population(&shared.halt);
        Self {
            shared,
            program,
            hyperepoch,
            lane: &hyperepoch.lanes[job.lane],
            place: job.lane,
            index,
            halt,
            runners,
            frames: vec![none; hyperepoch.epochs.len()],
            current: none,
            known_time: i64::MIN,
            executed: 0,
            ran: false,
            log,
        }
    }

    /// Executes the list until the hyperepoch or the run ends.
    pub fn run(&mut self) {
        let hyperepoch = self.hyperepoch;
        for cycle in 0.. {
            let (opening, count) = hyperepoch.opening(cycle);
            if !opening.has_reached(count) && !self.shared.time.wait_for(self.index, opening, count)
            {
                return;
            }
            if hyperepoch.ends_before(cycle) {
                return;
            }
            for slot in &hyperepoch.program(cycle).lanes[self.place] {
                if !self.pass(slot, cycle) {
                    return;
                }
            }
        }
    }

    /// Executes a slot, or passes over it. False if the run is over.
    #[inline(always)]
    fn pass(&mut self, slot: &Slot, cycle: u64) -> bool {
        if self.shared.halt.load(Ordering::Relaxed) != self.halt && !self.heed() {
            return false;
        }
        if slot.flags & flag::BEFORE != 0 && !self.prepare(slot, cycle) {
            return false;
        }
        if self.current.entry == Entry::Begun {
            let goes_on =
                if self.log.is_none() { self.execute(slot) } else { self.execute_logged(slot) };
            if !goes_on {
                return false;
            }
        } else if slot.work != NONE {
            self.pass_work(slot);
        }
        if slot.flags & flag::AFTER != 0 {
            self.conclude(slot, cycle);
        }
        true
    }

    /// Waits for what comes before a slot. False if the run is over.
    #[inline(never)]
    fn prepare(&mut self, slot: &Slot, cycle: u64) -> bool {
        let switches_to = (slot.flags & flag::SWITCHES != 0).then(|| self.frame(slot, cycle));
        // First, because fences are reached later as a rule: by then, the frame's cache line is here.
        if let Some(frame) = switches_to
            && self.frames[slot.epoch as usize].frame != frame
            && !self.wait_for_admission(slot.epoch, frame)
        {
            return false;
        }
        for wait in &slot.waits {
            let fence = self.hyperepoch.fence(wait.fence as usize);
            if !fence.has_reached(wait.count(cycle)) && !self.wait(*wait, cycle) {
                return false;
            }
        }
        if let Some(frame) = switches_to {
            self.current = self.frames[slot.epoch as usize];
            if self.current.frame != frame && !self.enter(slot, frame) {
                return false;
            }
        }
        if slot.flags & flag::RELEASE != 0 && self.current.entry == Entry::Begun {
            let release = self.current.start.saturating_add(slot.release);
            return release <= self.known_time || self.wait_until(release);
        }
        true
    }

    /// Signals the end of a slot, and leaves its frame.
    #[inline(never)]
    fn conclude(&mut self, slot: &Slot, cycle: u64) {
        // Before the signal, which may be all that others wait for.
        if slot.flags & flag::LEAVES != 0 && std::mem::take(&mut self.ran) {
            self.lane.ran.store(cycle + 1, Ordering::Relaxed);
            self.lane.executed.store(self.executed, Ordering::Relaxed);
        }
        if slot.flags & flag::SIGNALS != 0 {
            let signal = Wait { fence: 0, factor: self.hyperepoch.stride, offset: slot.signal };
            self.hyperepoch.fence(self.place).signal(signal.count(cycle));
            self.shared.time.signalled();
        }
        if slot.flags & flag::COUNTED != 0 && self.current.entry != Entry::Passed {
            self.leave(slot);
        }
    }

    /// Executes a slot of a frame that has begun. False if the run is over.
    #[inline(always)]
    fn execute(&mut self, slot: &Slot) -> bool {
        let runner = self.runners.get(slot.runnable as usize);
        let Some(runner) = runner.and_then(Option::as_ref) else {
            cold_path();
            return self.miss(slot);
        };
        if runner.has_ended() {
            cold_path();
            return self.ended(slot);
        }
        match runner.execute(self.current.start + slot.time, &mut Noted(&mut self.ran)) {
            Ok(condition) if condition.condition_type == ConditionType::READY => {
                self.ran = true;
                self.executed += 1;
                slot.work == NONE || self.submit(slot)
            }
            Ok(condition) => {
                cold_path();
                self.not_ready(slot, condition)
            }
            Err(error) => {
                cold_path();
                self.shared.finish(Err(error));
                false
            }
        }
    }

    /// The same with an entry in the log.
    #[inline(never)]
    fn execute_logged(&mut self, slot: &Slot) -> bool {
        if slot.runnable == NONE {
            return self.execute(slot);
        }
        let executed = self.executed;
        let runner = &self.runners[slot.runnable as usize];
        let is_missing = runner.as_ref().is_none_or(|runner| runner.has_ended());
        let start = self.shared.time.now();
        let goes_on = self.execute(slot);
        let end = self.shared.time.now();
        let state = match (self.executed > executed, is_missing) {
            (true, _) => Executed::Ran,
            (false, false) => Executed::PassedOver,
            (false, true) => Executed::Missing,
        };
        let Latest { frame, start: frame_start, .. } = self.current;
        if let Some(log) = &mut self.log {
            let runnable = self.program.logged[slot.runnable as usize];
            let epoch = self.hyperepoch.epochs[slot.epoch as usize].logged;
            log.push(Logged { runnable, epoch, frame, frame_start, start, end, state });
        }
        goes_on
    }

    /// Looks at what others ask of all workers. False if the run is over.
    #[cold]
    fn heed(&mut self) -> bool {
        loop {
            let halt = self.shared.halt.load(Ordering::Acquire);
            if halt & super::OVER != 0 {
                return false;
            }
            if halt & super::PAUSED == 0 {
                break;
            }
            self.shared.event_queue.sit_out_pause();
            std::thread::yield_now();
        }
        (self.halt, self.runners) = self.program.population(&self.shared.halt);
        true
    }

    /// Waits for a fence. False if the run is over.
    #[inline(never)]
    fn wait(&mut self, wait: Wait, cycle: u64) -> bool {
        let (count, index) = (wait.count(cycle), wait.fence as usize);
        let fence = self.hyperepoch.fence(index);
        if let Some(work) = index.checked_sub(self.hyperepoch.lanes.len()) {
            for _ in 0..ASKS {
                let outcome = self.hyperepoch.works[work].poll(self.shared, self.hyperepoch);
                if !self.shared.heed(outcome) {
                    return false;
                }
                if fence.has_reached(count) {
                    return true;
                }
                std::hint::spin_loop();
            }
        }
        self.shared.time.wait_for(self.index, fence, count)
    }

    /// The number of a slot's frame.
    #[inline]
    fn frame(&self, slot: &Slot, cycle: u64) -> u64 {
        let frames = self.hyperepoch.epochs[slot.epoch as usize].frames;
        cycle * u64::from(frames) + u64::from(slot.frame)
    }

    /// False if the run is over.
    #[inline]
    fn wait_for_admission(&self, epoch: u32, frame: u64) -> bool {
        let (fence, count) = self.hyperepoch.gate(epoch as usize).admission(frame);
        fence.has_reached(count) || self.shared.time.wait_for(self.index, fence, count)
    }

    /// Looks at an admitted frame for the first time, and waits for the clock. False if the run is
    /// over.
    #[inline(never)]
    fn enter(&mut self, slot: &Slot, frame: u64) -> bool {
        let gate = self.hyperepoch.gate(slot.epoch as usize);
        let start = gate.start();
        self.known_time = self.known_time.max(gate.reached());
        if slot.release != i64::MIN && gate.is_open(frame) {
            let release = start.saturating_add(slot.release);
            if release > self.known_time && !self.wait_to_begin(release, slot.epoch, frame) {
                return false;
            }
        }
        self.current = Latest { frame, start, entry: gate.begin(frame) };
        self.frames[slot.epoch as usize] = self.current;
        true
    }

    /// Waits for the start of a frame that may still be cancelled. False if the run is over.
    fn wait_to_begin(&mut self, release: i64, epoch: u32, frame: u64) -> bool {
        let shared = self.shared;
        let gate = self.hyperepoch.gate(epoch as usize);
        let end = shared.end_of_time.saturating_add(1);
        let is_over = || !gate.is_open(frame) || shared.is_closed();
        let waited = shared.time.wait_until(self.index, release.min(end), is_over);
        if release >= end && waited.as_ref().is_ok_and(|now| *now >= end) {
            shared.finish(Ok(End::Timeout));
        }
        self.waited(waited)
    }

    /// Waits for the release of an execution in a frame that has begun. False if the run is over.
    #[inline(never)]
    fn wait_until(&mut self, release: i64) -> bool {
        let shared = self.shared;
        // Nobody may move the clock any more.
        let is_over =
            || shared.is_closed() || shared.time.pace().is_moved_by_others() && shared.is_ending();
        let waited = shared.time.wait_until(self.index, release, is_over);
        self.waited(waited)
    }

    fn waited(&mut self, waited: gxf::Result<i64>) -> bool {
        match waited {
            Ok(now) => self.known_time = now,
            Err(error) => {
                self.shared.finish(Err(error.into()));
                return false;
            }
        }
        // A pause may have begun meanwhile.
        self.shared.halt.load(Ordering::Relaxed) == self.halt || self.heed()
    }

    #[inline(never)]
    fn submit(&mut self, slot: &Slot) -> bool {
        let work = &self.hyperepoch.works[slot.work as usize];
        let outcome = work.submitted(self.shared, self.hyperepoch, self.current.frame);
        self.shared.heed(outcome)
    }

    #[cold]
    fn pass_work(&mut self, slot: &Slot) {
        let work = &self.hyperepoch.works[slot.work as usize];
        let Latest { frame, entry, .. } = self.current;
        let outcome = work.passed(self.shared, self.hyperepoch, frame, entry);
        self.shared.heed(Ok(outcome));
    }

    /// The execution has no entity, or its entity has ended; or it is submitted work, which was
    /// waited for.
    #[inline(never)]
    fn miss(&mut self, slot: &Slot) -> bool {
        if slot.runnable == NONE {
            return true;
        }
        let missing = &self.lane.missing;
        missing.store(missing.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        if slot.work != NONE {
            self.pass_work(slot);
        }
        true
    }

    /// The entity has ended in another lane, or by a step, and would start anew.
    #[cold]
    fn ended(&mut self, slot: &Slot) -> bool {
        if let Some(runner) = self.runners[slot.runnable as usize].take() {
            self.shared.gone(&runner);
        }
        self.miss(slot)
    }

    /// The entity is not ready in its slot.
    #[inline(never)]
    fn not_ready(&mut self, slot: &Slot, condition: Condition) -> bool {
        if condition.condition_type != ConditionType::NEVER {
            let passed_over = &self.lane.passed_over;
            passed_over.store(passed_over.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
        let seen = &self.hyperepoch.seen;
        match condition.condition_type {
            ConditionType::WAIT_TIME => {
                seen.target.fetch_min(condition.target, Ordering::Relaxed);
            }
            ConditionType::WAIT_EVENT => seen.awaits.store(true, Ordering::Relaxed),
            ConditionType::NEVER => {
                if let Some(runner) = self.runners[slot.runnable as usize].take() {
                    self.shared.gone(&runner);
                }
            }
            _ => {}
        }
        if slot.work != NONE {
            self.pass_work(slot);
        }
        true
    }

    /// The worker's part of a frame is over.
    #[inline]
    fn leave(&mut self, slot: &Slot) {
        let (hyperepoch, epoch) = (self.hyperepoch, slot.epoch as usize);
        if slot.flags & flag::ALONE != 0 || hyperepoch.gate(epoch).leave() {
            let over = FrameOver {
                epoch,
                frame: self.current.frame,
                has_run: self.current.entry == Entry::Begun,
                lane: self.place,
            };
            let outcome = hyperepoch.frame_over(self.shared, over);
            self.shared.heed(Ok(outcome));
        }
    }
}
