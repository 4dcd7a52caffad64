//! The master's side of a hyperepoch: admits its frames, and cycles follow each other.

use crate::execution::pack;
use crate::layout::{CLOSED, Hyperepoch, Layout};
use crate::log::RunLog;
use crate::now;
use crate::segment::Segment;
use gxf_stm::log::LoggedFrame;
use gxf_stm::program::{Slot, flag};
use gxf_sync::shared_fence::count;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often a hyperepoch looks around at least.
const LOOK_PERIOD: Duration = Duration::from_secs(1);

/// What may happen to a hyperepoch from outside.
#[derive(Default)]
pub struct Wishes {
    /// It ends behind the frames that have begun.
    pub stops: AtomicBool,
    /// It ends behind its cycle.
    pub rolls_over: AtomicBool,
}

/// Frames of an epoch, counted.
#[derive(Default)]
pub struct Counts {
    /// Frames that are over.
    pub frames: AtomicU64,
    /// Frames that ended late.
    pub overruns: AtomicU64,
    /// Frames left out because of that.
    pub skipped: AtomicU64,
}

/// How a master runs hyperepochs.
#[derive(Clone, Copy)]
pub struct Manner {
    /// Frames that cannot start on time are skipped.
    pub skips: bool,
    /// The longest time from the start of a frame to its end.
    pub fence_timeout: Option<Duration>,
}

/// How a hyperepoch ended.
pub enum Ended {
    /// Behind its last frame; one that follows it starts at this time.
    At(i64),
    /// All is over.
    Closed,
    /// A frame takes too long.
    TimedOut(String),
}

/// A hyperepoch that runs.
pub struct Running<'a> {
    /// The layout.
    pub layout: &'a Layout,
    /// The memory.
    pub segment: &'a Segment,
    /// Index of the schedule.
    pub schedule: usize,
    /// Index of the hyperepoch.
    pub hyperepoch: usize,
    /// What may happen.
    pub wishes: &'a Wishes,
    /// How it runs.
    pub manner: Manner,
    /// By epoch.
    pub counts: &'a [Counts],
    /// Where frames are logged.
    pub log: Option<&'a RunLog>,
}

/// The frame of an epoch that comes next, or runs.
enum State {
    Waits { frame: u32, start: i64 },
    Runs { frame: u32, start: i64, began: i64 },
    Done,
}

/// Names in a sentence, and its verb, for one and for several.
pub fn named<'v>(names: &[&str], [one, several]: [&'v str; 2]) -> (String, &'v str) {
    (format!("`{}`", names.join("`, `")), if names.len() == 1 { one } else { several })
}

/// As [`named`].
const HAVE: [&str; 2] = ["has", "have"];

impl Running<'_> {
    fn plan(&self) -> &Hyperepoch {
        &self.layout.schedules[self.schedule].hyperepochs[self.hyperepoch]
    }

    /// Whether no further cycle begins.
    fn is_to_end(&self) -> bool {
        let Wishes { stops, rolls_over } = self.wishes;
        stops.load(Ordering::Acquire) || rolls_over.load(Ordering::Acquire)
    }

    fn is_closed(&self) -> bool {
        self.segment.cell(CLOSED).has_reached(1)
    }

    /// Runs the hyperepoch from this time on.
    pub fn run(&self, start: i64) -> Ended {
        let plan = self.plan();
        if plan.program.cycles.iter().all(|cycle| cycle.lanes.iter().all(Vec::is_empty)) {
            return self.idle(start);
        }
        let cells = plan.fences + plan.program.has_worker.len() + plan.program.works.len();
        (plan.opened..cells).for_each(|cell| self.segment.cell(cell).reset());
        self.segment.cell(plan.opened).value.store(i64::MAX, Ordering::Release);
        for (lane, engine) in plan.engines.iter().enumerate() {
            if plan.program.has_worker[lane] {
                let given = self.segment.cell(self.layout.engines[*engine].given);
                let number = pack([self.schedule, self.hyperepoch, lane]);
                given.number.store(number, Ordering::Release);
                given.signal(given.count() + 1);
            }
        }
        let mut base = start;
        let mut cycle = 0;
        let mut ended = loop {
            match self.cycle(cycle, base) {
                Ended::At(next) => base = next,
                other => break other,
            }
            if self.is_to_end() {
                break Ended::At(base);
            }
            cycle += 1;
        };
        let opened = self.segment.cell(plan.opened);
        opened.value.store((cycle + 1).cast_signed(), Ordering::Release);
        opened.signal(count(cycle + 2));
        if matches!(ended, Ended::At(_))
            && let Some(other) = self.wait_until_left()
        {
            ended = other;
        }
        ended
    }

    /// A hyperepoch that executes nothing keeps its place until it is to end.
    fn idle(&self, start: i64) -> Ended {
        let progress = self.segment.cell(self.plan().progress);
        loop {
            let seen = progress.count();
            if self.is_closed() {
                return Ended::Closed;
            }
            if self.is_to_end() {
                return Ended::At(start.max(now()));
            }
            progress.wait_for_change(seen, LOOK_PERIOD);
        }
    }

    /// Waits until every worker has left the hyperepoch. The end if one does not.
    fn wait_until_left(&self) -> Option<Ended> {
        let plan = self.plan();
        let limit = self.manner.fence_timeout;
        let began = Instant::now();
        let is_late = || limit.is_some_and(|limit| began.elapsed() >= limit);
        let mut behind = BTreeSet::new();
        for (lane, engine) in plan.engines.iter().enumerate() {
            let engine = &self.layout.engines[*engine];
            for client in engine.clients.iter().filter(|_| plan.program.has_worker[lane]) {
                let left = self.segment.cell(engine.left[*client]);
                let given = self.segment.cell(engine.given).count();
                if !left.wait(given, 1, || self.is_closed() || is_late()) {
                    behind.insert(&*self.layout.clients[*client]);
                }
            }
        }
        if behind.is_empty() {
            return None;
        }
        if self.is_closed() {
            return Some(Ended::Closed);
        }
        let (clients, have) = named(&Vec::from_iter(behind), HAVE);
        Some(Ended::TimedOut(format!(
            "of the clients, {clients} {have} not left the hyperepoch `{}` {} ms after its end",
            plan.plan.name,
            limit.unwrap_or_default().as_millis()
        )))
    }

    /// Runs a cycle. Returns when the next one starts.
    fn cycle(&self, cycle: u64, base: i64) -> Ended {
        let plan = self.plan();
        let progress = self.segment.cell(plan.progress);
        let epochs = &plan.plan.epochs;
        let mut states: Vec<State> = Vec::new();
        for (epoch, one) in epochs.iter().enumerate() {
            let step = one.period.unwrap_or(0);
            states.push(match self.next_frame(cycle, epoch, 0) {
                Some(frame) => {
                    State::Waits { frame, start: base.saturating_add(step * i64::from(frame)) }
                }
                None => self.pass(cycle, epoch),
            });
        }
        self.segment.cell(plan.opened).signal(count(cycle + 1));
        loop {
            if self.is_closed() {
                return Ended::Closed;
            }
            let seen = progress.count();
            let mut longest = LOOK_PERIOD;
            for (epoch, state) in states.iter_mut().enumerate() {
                let time = now();
                match *state {
                    State::Waits { .. } if self.wishes.stops.load(Ordering::Acquire) => {
                        *state = self.pass(cycle, epoch);
                    }
                    State::Waits { frame, start } if start <= time => {
                        self.admit(cycle, epoch, frame, start);
                        *state = State::Runs { frame, start, began: time };
                        longest = Duration::ZERO;
                    }
                    State::Waits { start, .. } => {
                        let left = Duration::from_nanos(start.abs_diff(time));
                        longest = longest.min(left);
                    }
                    State::Runs { frame, start, .. } if self.is_over(cycle, epoch, frame) => {
                        *state = self.frame_over(cycle, epoch, frame, start, base);
                        longest = Duration::ZERO;
                    }
                    State::Runs { frame, began, .. } => {
                        let took = Duration::from_nanos(time.abs_diff(began));
                        let Some(limit) = self.manner.fence_timeout else { continue };
                        if took > limit {
                            return Ended::TimedOut(self.overdue(cycle, epoch, frame, limit));
                        }
                        longest = longest.min(limit.saturating_sub(took));
                    }
                    State::Done => {}
                }
            }
            if states.iter().all(|state| matches!(state, State::Done)) {
                let end = self.wait_for_lanes(cycle);
                return end.unwrap_or_else(|| Ended::At(self.next_start(base)));
            }
            if !longest.is_zero() {
                progress.wait_for_change(seen, longest);
            }
        }
    }

    /// Waits until every lane is at the end of a cycle whose frames are over: workers of several
    /// clients pass its skipped frames one after the other, too, and in the next cycle the first of
    /// them waits for none. The end if one does not. Behind the last cycle, workers leave instead.
    fn wait_for_lanes(&self, cycle: u64) -> Option<Ended> {
        let progress = self.segment.cell(self.plan().progress);
        let limit = self.manner.fence_timeout;
        let began = Instant::now();
        loop {
            let seen = progress.count();
            if self.is_to_end() || self.have_lanes_ended(cycle) {
                return None;
            }
            if self.is_closed() {
                return Some(Ended::Closed);
            }
            let left = limit.map_or(LOOK_PERIOD, |limit| limit.saturating_sub(began.elapsed()));
            if left.is_zero() {
                return Some(Ended::TimedOut(self.behind(cycle)));
            }
            progress.wait_for_change(seen, left.min(LOOK_PERIOD));
        }
    }

    fn have_lanes_ended(&self, cycle: u64) -> bool {
        let plan = self.plan();
        let base = cycle.wrapping_mul(u64::from(plan.program.stride));
        let mut lanes = self.program(cycle).lanes.iter().enumerate();
        lanes.all(|(lane, slots)| {
            let fence = self.segment.cell(plan.fences + lane);
            slots.is_empty() || fence.has_reached(count(base + slots.len() as u64))
        })
    }

    /// Says who keeps the lanes from the end of a cycle.
    fn behind(&self, cycle: u64) -> String {
        let schedule = &self.layout.schedules[self.schedule];
        let next = self.next_slots(cycle);
        let clients: BTreeSet<&str> = next
            .map(|slot| schedule.runnables[slot.owner as usize].client)
            .map(|client| &*self.layout.clients[client])
            .collect();
        let (clients, have) = named(&Vec::from_iter(clients), HAVE);
        format!(
            "of the clients, {clients} {have} not passed the skipped frames of the hyperepoch `{}` \
             {} ms after the last frame of a cycle",
            self.plan().plan.name,
            self.manner.fence_timeout.unwrap_or_default().as_millis()
        )
    }

    /// By lane that is not at the end of a cycle: its next slot, unless that waits for others.
    fn next_slots(&self, cycle: u64) -> impl Iterator<Item = &Slot> {
        let plan = self.plan();
        let base = cycle.wrapping_mul(u64::from(plan.program.stride));
        let lanes = self.program(cycle).lanes.iter().enumerate();
        lanes.filter_map(move |(lane, slots)| {
            let fence = self.segment.cell(plan.fences + lane);
            let mut places = (1..).zip(slots);
            let next = places.find(|(place, _)| !fence.has_reached(count(base + place)));
            next.map(|(_, slot)| slot).filter(|slot| !self.waits(slot, cycle))
        })
    }

    /// Whether a slot waits for others.
    fn waits(&self, slot: &Slot, cycle: u64) -> bool {
        let fences = self.plan().fences;
        slot.waits.iter().any(|wait| {
            let other = self.segment.cell(fences + wait.fence as usize);
            !other.has_reached(count(u64::from(wait.count(cycle))))
        })
    }

    /// The next frame of an epoch in which something executes.
    fn next_frame(&self, cycle: u64, epoch: usize, from: u32) -> Option<u32> {
        let plan = self.plan();
        let parts = &self.program(cycle).parts[epoch];
        (from..plan.plan.epochs[epoch].frames).find(|frame| parts[*frame as usize].counted > 0)
    }

    fn program(&self, cycle: u64) -> &gxf_stm::program::Cycle {
        let cycles = &self.plan().program.cycles;
        &cycles[usize::try_from(cycle % cycles.len() as u64).unwrap_or_default()]
    }

    fn frame_number(&self, cycle: u64, epoch: usize, frame: u32) -> u64 {
        cycle * u64::from(self.plan().plan.epochs[epoch].frames) + u64::from(frame)
    }

    fn admit(&self, cycle: u64, epoch: usize, frame: u32, start: i64) {
        let number = self.frame_number(cycle, epoch, frame);
        let gate = self.segment.cell(self.plan().epochs[epoch]);
        gate.value.store(start, Ordering::Release);
        gate.number.store(number, Ordering::Release);
        gate.signal(count(number + 1));
    }

    /// No further frame of the epoch runs in this cycle.
    fn pass(&self, cycle: u64, epoch: usize) -> State {
        let number = self.frame_number(cycle + 1, epoch, 0);
        let gate = self.segment.cell(self.plan().epochs[epoch]);
        gate.number.store(u64::MAX, Ordering::Release);
        gate.signal(count(number));
        State::Done
    }

    /// Whether every part of a frame is over.
    fn is_over(&self, cycle: u64, epoch: usize, frame: u32) -> bool {
        let plan = self.plan();
        let base = cycle.wrapping_mul(u64::from(plan.program.stride));
        let number = self.frame_number(cycle, epoch, frame);
        let lanes = self.program(cycle).lanes.iter().enumerate();
        lanes.flat_map(|(lane, slots)| (0..).zip(slots).map(move |slot| (lane, slot))).all(
            |(lane, (position, slot))| {
                if (slot.epoch as usize, slot.frame) != (epoch, frame) {
                    return true;
                }
                let fence = self.segment.cell(plan.fences + lane);
                let leaves = slot.flags & flag::LEAVES != 0;
                let has_left = !leaves || fence.has_reached(count(base + position + 1));
                has_left && !self.is_pending(slot, number)
            },
        )
    }

    /// Whether the work of a slot is not done.
    fn is_pending(&self, slot: &Slot, frame: u64) -> bool {
        let plan = self.plan();
        plan.program.works.get(slot.work as usize).is_some_and(|work| {
            let fence = self.segment.cell(plan.fences + work.fence);
            !fence.has_reached(count(frame + 1))
        })
    }

    /// The runnables that are being executed in a cycle: all that they wait for is over, and they
    /// are not.
    fn executing_in(&self, cycle: u64) -> Vec<usize> {
        let plan = self.plan();
        let base = cycle.wrapping_mul(u64::from(plan.program.stride));
        let frame = |slot: &Slot| self.frame_number(cycle, slot.epoch as usize, slot.frame);
        let mut found = Vec::new();
        for (lane, slots) in self.program(cycle).lanes.iter().enumerate() {
            let fence = self.segment.cell(plan.fences + lane);
            let over = (1..).zip(slots);
            let over = over.take_while(|(place, _)| fence.has_reached(count(base + place)));
            let pending = over.filter(|(_, slot)| self.is_pending(slot, frame(slot)));
            found.extend(pending.map(|(_, slot)| plan.program.works[slot.work as usize].runnable));
        }
        let running = self.next_slots(cycle).filter(|slot| {
            let gate = self.segment.cell(plan.epochs[slot.epoch as usize]);
            gate.number.load(Ordering::Acquire) == frame(slot)
        });
        found.extend(running.map(|slot| slot.owner as usize));
        found
    }

    /// A frame that was to start at `start` is over. What comes next.
    fn frame_over(&self, cycle: u64, epoch: usize, frame: u32, start: i64, base: i64) -> State {
        let plan = &self.plan().plan;
        let one = &plan.epochs[epoch];
        let stops = self.wishes.stops.load(Ordering::Acquire);
        let mut next = self.next_frame(cycle, epoch, frame + 1).filter(|_| !stops);
        let time = now();
        let starts = |frame: u32| match one.period {
            Some(period) => base.saturating_add(period * i64::from(frame)),
            None => time,
        };
        let ends = plan.period.map(|period| base.saturating_add(period));
        let latest = next.map(starts).or(ends);
        let is_late = latest.is_some_and(|latest| time > latest);
        let mut skipped = 0;
        if let Some(first) = next.filter(|_| is_late && self.manner.skips) {
            let mut at = first;
            while next.is_some_and(|frame| time > starts(frame)) {
                at += 1;
                next = self.next_frame(cycle, epoch, at);
            }
            skipped = u64::from(next.unwrap_or(one.frames) - first);
        }
        let counts = &self.counts[epoch];
        counts.frames.fetch_add(1, Ordering::Relaxed);
        counts.overruns.fetch_add(u64::from(is_late), Ordering::Relaxed);
        counts.skipped.fetch_add(skipped, Ordering::Relaxed);
        if let Some(log) = self.log {
            log.frame(
                self.schedule,
                &plan.name,
                LoggedFrame {
                    epoch: one.name.clone(),
                    frame: self.frame_number(cycle, epoch, frame),
                    start,
                    end: time.max(start),
                    is_late,
                    skipped,
                },
            );
        }
        match next {
            Some(frame) => State::Waits { frame, start: starts(frame) },
            None => self.pass(cycle, epoch),
        }
    }

    /// When the cycle behind one that started at this time starts.
    fn next_start(&self, base: i64) -> i64 {
        let time = now();
        let Some(period) = self.plan().plan.period else { return time };
        let next = base.saturating_add(period);
        if time <= next || !self.manner.skips {
            return next;
        }
        let missed = (time - next).div_euclid(period) + i64::from((time - next) % period != 0);
        let plan = &self.plan().plan;
        for (epoch, one) in plan.epochs.iter().enumerate() {
            let frames = missed.unsigned_abs() * u64::from(one.frames);
            self.counts[epoch].skipped.fetch_add(frames, Ordering::Relaxed);
            if let Some(log) = self.log {
                log.skipped(self.schedule, &plan.name, &one.name, frames);
            }
        }
        next.saturating_add(missed.saturating_mul(period))
    }

    fn overdue(&self, cycle: u64, epoch: usize, frame: u32, limit: Duration) -> String {
        let schedule = &self.layout.schedules[self.schedule];
        let plan = self.plan();
        let executing = self.executing_in(cycle);
        let names: Vec<&str> =
            executing.iter().map(|runnable| schedule.runnables[*runnable].name.as_str()).collect();
        let (names, have) = named(&names, HAVE);
        format!(
            "{names} {have} not ended {} ms after the start of frame {} of `{}.{}`",
            limit.as_millis(),
            self.frame_number(cycle, epoch, frame),
            plan.plan.name,
            plan.plan.epochs[epoch].name
        )
    }

    /// The runnables of a client that are being executed.
    pub fn executing(&self, client: usize) -> Vec<String> {
        let opened = u64::from(self.segment.cell(self.plan().opened).count());
        let Some(cycle) = opened.checked_sub(1) else { return Vec::new() };
        let runnables = &self.layout.schedules[self.schedule].runnables;
        let executing = self.executing_in(cycle).into_iter().map(|runnable| &runnables[runnable]);
        executing.filter(|one| one.client == client).map(|one| one.name.clone()).collect()
    }
}
