//! The run of one hyperepoch: its cycles and frames follow each other here.
//!
//! No thread hands out executions. The worker that leaves a frame last decides what follows: the
//! next frame, or, behind the last one of the cycle, the next cycle.

use super::Shared;
use super::entries::{FrameEntry, Ring};
use super::work::Work;
use crate::schedule::engine::End;
use gxf_stm::plan;
pub use gxf_stm::program::{Cycle, NONE, Slot, Wait, flag};
use gxf_sync::biased_lock::BiasedLock;
use gxf_sync::fence::Fence;
use gxf_sync::frames::{Admission, Frames};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};

/// Nanoseconds between two looks at polled terms without a period.
const POLL_PERIOD: i64 = 1_000_000;

/// A hyperepoch that runs.
pub struct Hyperepoch {
    /// Its place among those that run at the same time.
    pub index: AtomicUsize,
    /// Its name.
    pub name: String,
    period: Option<i64>,
    /// Its epochs.
    pub epochs: Vec<Epoch>,
    /// Its lanes.
    pub lanes: Vec<Lane>,
    /// What the lanes execute in each cycle; afterwards from the start.
    pub cycles: Vec<Cycle>,
    /// By epoch. The first one has what belongs to all.
    lines: Vec<Line>,
    /// By index: of lanes, if they have none in the first line, and of submitted work.
    fences: Vec<PaddedFence>,
    /// What is submitted to engines without a worker.
    pub works: Vec<Work>,
    /// Distance of the counts of a lane's fence from one cycle to the next.
    pub stride: u32,
    /// Whether something executes in each frame of each cycle.
    is_full: bool,
    /// What happened in the current round.
    pub seen: Seen,
    turn: Turn,
}

/// What workers tell each other, on one cache line, because whoever reads one of it reads the rest next:
/// in a hyperepoch with at most two lanes, a frame moves this line only.
#[repr(align(128))]
struct Line {
    /// The frames of an epoch.
    gate: Frames,
    /// Number of cycles that may begin, if there are several epochs.
    opened: Fence,
    /// The fences of so few lanes.
    fences: [Fence; FEW_LANES],
    /// Number of cycles that there are; more than can be while nobody ends the hyperepoch.
    cycles: AtomicU64,
}

const _: () = assert!(size_of::<(Frames, Fence, [Fence; FEW_LANES], AtomicU64)>() <= 64);

/// Most lanes whose fences lie together: where there are more, those that do not wait for each other
/// would disturb each other.
const FEW_LANES: usize = 2;

impl Line {
    fn new() -> Self {
        Self {
            gate: Frames::new(),
            opened: Fence::new(),
            fences: [Fence::new(), Fence::new()],
            cycles: AtomicU64::new(u64::MAX),
        }
    }
}

/// A fence on a cache line of its own.
#[derive(Default)]
#[repr(align(128))]
struct PaddedFence(Fence);

/// What changes when a frame is over, beside what workers only read.
#[repr(align(128))]
struct Turn {
    /// No further frame begins, because another schedule follows.
    is_stopping: AtomicBool,
    /// Mostly, the same worker ends all frames.
    progress: BiasedLock<Progress>,
}

/// An epoch that runs.
pub struct Epoch {
    /// Its name.
    pub name: String,
    period: Option<i64>,
    /// Frames in each cycle.
    pub frames: u32,
    /// Number of its name in the log.
    pub logged: u32,
    /// How many there were.
    pub counts: Counts,
}

/// Frames so far.
#[derive(Default)]
#[repr(align(128))]
pub struct Counts {
    /// Those that are over.
    pub ended: AtomicU64,
    /// Those that ended late.
    pub overruns: AtomicU64,
    /// Those left out because of that.
    pub skipped: AtomicU64,
}

/// What one engine of the schedule executes.
#[repr(align(128))]
pub struct Lane {
    /// The engine.
    pub engine: String,
    /// Whether a thread executes it. Other lanes are work that workers submit.
    pub has_worker: bool,
    /// Executions so far.
    pub executed: AtomicU64,
    /// Executions whose entity was not ready.
    pub passed_over: AtomicU64,
    /// Executions without an entity.
    pub missing: AtomicU64,
    /// Number of cycles up to the latest one in which an entity ran, or sent messages.
    pub ran: AtomicU64,
}

/// What the workers saw in a round.
#[repr(align(128))]
pub struct Seen {
    /// The earliest time that one waits for.
    pub target: AtomicI64,
    /// Whether one waits for an event.
    pub awaits: AtomicBool,
}

impl Seen {
    /// What was seen, for a new round. Behind all frames of the old one no worker writes here, so no
    /// atomic exchange is needed.
    fn take(&self) -> (i64, bool) {
        let Self { target, awaits } = self;
        let seen = (target.load(Ordering::Relaxed), awaits.load(Ordering::Relaxed));
        if seen != (i64::MAX, false) {
            target.store(i64::MAX, Ordering::Relaxed);
            awaits.store(false, Ordering::Relaxed);
        }
        seen
    }
}

/// Changes when a frame or a cycle is over.
struct Progress {
    cycle: u64,
    /// The first cycle of the round. A round is over when every entity was asked, which takes all
    /// cycles of the program, or when something ran.
    round: u64,
    /// When the cycle started.
    base: i64,
    /// Epochs that are not done with the cycle.
    open: usize,
    /// Whether a frame of the cycle was skipped.
    skipped: bool,
    state: State,
    /// Events, and changes in all hyperepochs, before the round began.
    events: u64,
    changes: u64,
    /// Whether what ran in the cycle that is over may be what other hyperepochs sleep for.
    wakes_others: bool,
    /// The log of frames, if there is one.
    frames: Option<Ring<FrameEntry>>,
    /// Whether another hyperepoch follows on this cycle.
    rolls_over: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Did not start yet.
    Ahead,
    Runs,
    /// Nothing is ready; the next cycle waits for an event.
    Asleep,
    Over,
}

/// What the caller must see to; it holds no lock of a hyperepoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The run ends.
    End(End),
    /// The hyperepoch at this place is over. One that follows it starts at this time, or at once.
    Over {
        /// The place.
        index: usize,
        /// The time.
        start: Option<i64>,
    },
}

/// A frame that every worker has left.
pub struct FrameOver {
    /// Its epoch.
    pub epoch: usize,
    /// Its number from the start of the run.
    pub frame: u64,
    /// Whether it had begun, and was not cancelled.
    pub has_run: bool,
    /// The lane of the last worker.
    pub lane: usize,
}

/// An event, if there is one.
pub type Outcome = Option<Event>;

impl Hyperepoch {
    /// A hyperepoch before its first cycle. `works` and `cycles` are its program.
    pub fn new(
        index: usize,
        plan: &plan::Hyperepoch,
        has_worker: &[bool],
        works: Vec<Work>,
        cycles: Vec<Cycle>,
    ) -> Self {
        let epochs = plan.epochs.iter().map(|epoch| Epoch {
            name: epoch.name.clone(),
            period: epoch.period,
            frames: epoch.frames,
            logged: NONE,
            counts: Counts::default(),
        });
        let lanes = plan.lanes.iter().zip(has_worker).map(|(engine, has_worker)| Lane {
            engine: engine.clone(),
            has_worker: *has_worker,
            executed: AtomicU64::new(0),
            passed_over: AtomicU64::new(0),
            missing: AtomicU64::new(0),
            ran: AtomicU64::new(0),
        });
        let longest = plan.cycles.iter().flat_map(|cycle| &cycle.lanes).map(Vec::len).max();
        Self {
            stride: u32::try_from(longest.unwrap_or(0)).unwrap_or(0) + 1,
            is_full: {
                let mut parts = cycles.iter().flat_map(|cycle| cycle.parts.iter().flatten());
                parts.all(|part| part.counted > 0)
            },
            index: AtomicUsize::new(index),
            name: plan.name.clone(),
            period: plan.period,
            epochs: epochs.collect(),
            lines: (0..plan.epochs.len().max(1)).map(|_| Line::new()).collect(),
            lanes: lanes.collect(),
            fences: (0..plan.lanes.len() + works.len()).map(|_| PaddedFence::default()).collect(),
            works,
            cycles,
            turn: Turn {
                is_stopping: AtomicBool::new(false),
                progress: BiasedLock::new(Progress {
                    cycle: 0,
                    round: 0,
                    base: 0,
                    open: 0,
                    skipped: false,
                    state: State::Ahead,
                    events: 0,
                    changes: 0,
                    wakes_others: false,
                    frames: None,
                    rolls_over: false,
                }),
            },
            seen: Seen { target: AtomicI64::new(i64::MAX), awaits: AtomicBool::new(false) },
        }
    }

    fn index(&self) -> usize {
        self.index.load(Ordering::Relaxed)
    }

    /// Whether the hyperepoch ends before this cycle, which is open.
    #[inline]
    pub fn ends_before(&self, cycle: u64) -> bool {
        cycle >= self.lines[0].cycles.load(Ordering::Acquire)
    }

    /// What says that a cycle may begin, and its count. If there is one epoch, the admission of its first
    /// frame there does.
    #[inline]
    pub fn opening(&self, cycle: u64) -> (&Fence, u32) {
        match &self.epochs[..] {
            [only] => self.gate(0).admission(cycle * u64::from(only.frames)),
            _ => (&self.lines[0].opened, Self::count(cycle + 1)),
        }
    }

    /// The fence of a lane, or of submitted work behind them.
    #[inline]
    pub fn fence(&self, index: usize) -> &Fence {
        if index < self.lanes.len() && self.lanes.len() <= FEW_LANES {
            return &self.lines[0].fences[index];
        }
        &self.fences[index].0
    }

    /// The frames of an epoch.
    #[inline]
    pub fn gate(&self, epoch: usize) -> &Frames {
        &self.lines[epoch].gate
    }

    /// The program of a cycle.
    #[inline]
    pub fn program(&self, cycle: u64) -> &Cycle {
        match &self.cycles[..] {
            [only] => only,
            several => {
                let place = cycle % several.len() as u64;
                &several[usize::try_from(place).unwrap_or_default()]
            }
        }
    }

    /// Begins to log frames.
    pub fn log_frames(&self, ring: Ring<FrameEntry>) {
        self.turn.progress.lock().frames = Some(ring);
    }

    /// The log of frames.
    pub fn take_frames(&self) -> Option<Ring<FrameEntry>> {
        self.turn.progress.lock().frames.take()
    }

    /// Starts the first cycle, at this time or at once, unless the run is ending already.
    pub fn start(&self, shared: &Shared, start: Option<i64>) {
        let mut progress = self.turn.progress.lock();
        if shared.is_ending() {
            return self.end(&mut progress);
        }
        let now = shared.time.now();
        self.open(shared, &mut progress, start.unwrap_or(now), now);
    }

    /// Starts the next cycle if only an event was missing. The run may be over.
    pub fn wake(&self, shared: &Shared) {
        let mut progress = self.turn.progress.lock();
        if progress.state != State::Asleep {
            return;
        }
        if self.is_ending(shared) {
            return self.end(&mut progress);
        }
        progress.cycle += 1;
        let now = shared.time.now();
        let missed = self.period.map_or(0, |period| now.saturating_sub(progress.base) % period);
        let start = match self.period {
            Some(period) if missed > 0 => now.saturating_add(period - missed),
            _ => now,
        };
        self.open(shared, &mut progress, start, now);
    }

    /// Ends the hyperepoch behind the frames that have begun. The run is ending, which workers see.
    pub fn drain(&self) {
        self.drain_locked(&mut self.turn.progress.lock());
    }

    fn drain_locked(&self, progress: &mut Progress) {
        match progress.state {
            State::Runs => self.lines.iter().for_each(|line| line.gate.cancel()),
            State::Ahead | State::Over => {}
            State::Asleep => self.end(progress),
        }
    }

    /// Ends the hyperepoch behind the frames that have begun, because another schedule follows.
    pub fn stop(&self) -> Outcome {
        self.turn.is_stopping.store(true, Ordering::Release);
        let mut progress = self.turn.progress.lock();
        let is_asleep = progress.state == State::Asleep;
        self.drain_locked(&mut progress);
        is_asleep.then_some(Event::Over { index: self.index(), start: None })
    }

    /// Ends the hyperepoch behind its cycle, because another one follows.
    pub fn roll_over(&self) -> Outcome {
        let mut progress = self.turn.progress.lock();
        progress.rolls_over = true;
        let is_asleep = progress.state == State::Asleep;
        if is_asleep {
            self.end(&mut progress);
        }
        is_asleep.then_some(Event::Over { index: self.index(), start: None })
    }

    /// Whether no further frame begins.
    fn is_ending(&self, shared: &Shared) -> bool {
        shared.is_ending() || self.turn.is_stopping.load(Ordering::Acquire)
    }

    /// Makes every worker leave at once.
    pub fn close(&self) {
        self.lines[0].opened.close();
        (0..self.fences.len()).for_each(|index| self.fence(index).close());
        self.lines.iter().for_each(|line| line.gate.close());
    }

    fn end(&self, progress: &mut Progress) {
        let cycles = if progress.state == State::Ahead { 0 } else { progress.cycle + 1 };
        progress.state = State::Over;
        self.lines[0].cycles.store(cycles, Ordering::Release);
        match &self.epochs[..] {
            [only] => self.gate(0).pass(cycles * u64::from(only.frames) + 1),
            _ => self.lines[0].opened.signal(Self::count(cycles + 1)),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "fences compare the lower bits")]
    fn count(cycles: u64) -> u32 {
        cycles as u32
    }

    /// The next frame of an epoch in which something executes.
    #[inline]
    fn next_frame(&self, cycle: u64, epoch: usize, from: u32) -> Option<u32> {
        if self.is_full {
            return (from < self.epochs[epoch].frames).then_some(from);
        }
        self.next_frame_with_work(cycle, epoch, from)
    }

    #[inline(never)]
    fn next_frame_with_work(&self, cycle: u64, epoch: usize, from: u32) -> Option<u32> {
        let parts = &self.program(cycle).parts[epoch];
        (from..self.epochs[epoch].frames).find(|frame| parts[*frame as usize].counted > 0)
    }

    /// Admits a frame that starts at this time. The clock has reached `now`.
    fn admit(&self, cycle: u64, epoch: usize, frame: u32, start: i64, now: i64) {
        let parts = self.program(cycle).parts[epoch][frame as usize];
        let frames = self.epochs[epoch].frames;
        let admission = Admission {
            start,
            reached: now,
            workers: parts.counted,
            begins: parts.begins && start <= now,
        };
        self.gate(epoch).admit(cycle * u64::from(frames) + u64::from(frame), admission);
    }

    /// Every worker has left a frame.
    pub fn frame_over(&self, shared: &Shared, over: FrameOver) -> Outcome {
        let FrameOver { epoch, frame, has_run, lane } = over;
        let mut progress = self.turn.progress.lock();
        let gate = self.gate(epoch);
        let Epoch { period, frames, counts, .. } = &self.epochs[epoch];
        let Counts { ended, overruns, skipped } = counts;
        let frames = u64::from(*frames);
        let in_cycle = u32::try_from(frame % frames).unwrap_or(0);
        let first = self.next_frame(progress.cycle, epoch, in_cycle + 1);
        let first = first.filter(|_| !self.is_ending(shared));
        let mut next = first;
        let (mut start, mut now) = (0, i64::MIN);
        let (mut is_late, mut left_out) = (false, 0);
        if let Some(first) = first {
            now = shared.time.now();
            start = now;
            if let Some(period) = *period {
                let base = progress.base;
                let starts =
                    |frame: u32| base.saturating_add(period.saturating_mul(i64::from(frame)));
                if now > starts(first) {
                    is_late = true;
                    overruns.fetch_add(1, Ordering::Relaxed);
                    if shared.settings.skips {
                        let mut at = first;
                        while next.is_some_and(|frame| now > starts(frame)) {
                            at += 1;
                            next = self.next_frame(progress.cycle, epoch, at);
                        }
                        let until = next.unwrap_or(self.epochs[epoch].frames);
                        left_out = u64::from(until - first);
                        skipped.fetch_add(left_out, Ordering::Relaxed);
                        progress.skipped = true;
                    }
                }
                start = next.map_or(start, starts);
            }
        }
        let ends = self.period.map(|period| progress.base.saturating_add(period));
        if has_run && first.is_none() && ends.is_some_and(|ends| shared.time.now() > ends) {
            is_late = true;
            overruns.fetch_add(1, Ordering::Relaxed);
        }
        // Only who holds the progress counts.
        ended.store(ended.load(Ordering::Relaxed) + u64::from(has_run), Ordering::Relaxed);
        if let Some(log) = progress.frames.as_mut().filter(|_| has_run) {
            log.push(FrameEntry {
                epoch: self.epochs[epoch].logged,
                frame,
                start: gate.start(),
                end: shared.time.now(),
                is_late,
                skipped: left_out,
            });
        }
        let outcome = match next {
            Some(next) => {
                self.admit(progress.cycle, epoch, next, start, now);
                None
            }
            None => {
                let end = (progress.cycle + 1) * frames;
                if frame + 1 < end {
                    gate.pass(end);
                }
                progress.open -= 1;
                if progress.open == 0 { self.cycle_over(shared, &mut progress, lane) } else { None }
            }
        };
        let wakes_others = std::mem::take(&mut progress.wakes_others);
        drop(progress);
        shared.time.signalled();
        if wakes_others {
            shared.wake_others(self);
        }
        outcome
    }

    /// Whether an entity ran in the cycle. What happened in this lane, the asking thread knows.
    fn has_run(&self, cycle: u64, lane: usize) -> bool {
        let (before, from) = self.lanes.split_at(lane);
        from.iter().chain(before).any(|lane| lane.ran.load(Ordering::Relaxed) > cycle)
    }

    /// Every frame of a cycle is over.
    fn cycle_over(&self, shared: &Shared, progress: &mut Progress, lane: usize) -> Outcome {
        let ran = progress.skipped || self.has_run(progress.cycle, lane);
        if self.is_ending(shared) {
            self.end(progress);
            return Some(Event::Over { index: self.index(), start: None });
        }
        let now = shared.time.now();
        let mut next = self.next_start(shared, progress, now);
        if progress.rolls_over {
            self.end(progress);
            return Some(Event::Over { index: self.index(), start: Some(next) });
        }
        // Entities that take turns are asked in different cycles.
        let asked = progress.cycle + 1 - progress.round;
        let is_round = ran || asked >= self.cycles.len() as u64;
        if is_round {
            progress.round = progress.cycle + 1;
        }
        let (target, awaits) = if is_round { self.seen.take() } else { (i64::MAX, false) };
        if ran {
            progress.wakes_others = shared.quiet.changed(self.index());
        } else if is_round {
            let waits = target != i64::MAX || awaits;
            // In this order: the event that was on its way before has made nobody quiet.
            let nothing_comes = shared.nothing_comes();
            let is_quiet = shared.quiet.is_all_quiet(self.index(), progress.changes, !waits);
            if is_quiet && shared.settings.stop_on_deadlock && nothing_comes {
                progress.state = State::Asleep;
                return Some(Event::End(End::Deadlock));
            }
            // Frames without work need not come; on a clock that jumps, they would never end.
            let idles = target == i64::MAX && (self.period.is_none() || is_quiet || awaits);
            if self.period.is_none() && target != i64::MAX {
                next = target.max(now);
            } else if idles && shared.runners.has_polled() {
                next = next.max(now.saturating_add(POLL_PERIOD));
            } else if idles && (self.period.is_none() || shared.time.jumps()) {
                if shared.time.jumps() && shared.end_of_time != i64::MAX {
                    next = shared.end_of_time.saturating_add(1);
                } else if !shared.has_events_since(progress.events)
                    && shared.quiet.may_sleep(progress.changes)
                {
                    progress.state = State::Asleep;
                    return None;
                }
            }
        }
        progress.cycle += 1;
        self.open(shared, progress, next, now);
        None
    }

    /// When the next cycle starts.
    fn next_start(&self, shared: &Shared, progress: &mut Progress, now: i64) -> i64 {
        let Some(period) = self.period else { return now };
        let next = progress.base.saturating_add(period);
        if now <= next {
            return next;
        }
        if !shared.settings.skips {
            return next;
        }
        let missed = (now - next).div_euclid(period) + i64::from((now - next) % period != 0);
        for epoch in &self.epochs {
            let frames = missed.unsigned_abs().saturating_mul(u64::from(epoch.frames));
            epoch.counts.skipped.fetch_add(frames, Ordering::Relaxed);
            // The frame that ended last is why they are skipped.
            let mut logged =
                progress.frames.iter_mut().flat_map(|log| log.entries.iter_mut().rev());
            if let Some(last) = logged.find(|one| one.epoch == epoch.logged) {
                last.skipped += frames;
            }
        }
        next.saturating_add(missed.saturating_mul(period))
    }

    /// Opens a cycle that starts at this time. The clock has reached `now`.
    fn open(&self, shared: &Shared, progress: &mut Progress, mut base: i64, now: i64) {
        if progress.round == progress.cycle {
            progress.events = shared.events();
            progress.changes = shared.quiet.changes();
        }
        let has_frames = |cycle: u64, epoch: usize| self.next_frame(cycle, epoch, 0).is_some();
        // Some cycles may have nothing to execute, but not all.
        while !self.is_full
            && !(0..self.epochs.len()).any(|epoch| has_frames(progress.cycle, epoch))
        {
            progress.cycle += 1;
            base = base.saturating_add(self.period.unwrap_or(0));
            for (epoch, line) in self.epochs.iter().zip(&self.lines) {
                line.gate.pass(progress.cycle * u64::from(epoch.frames));
            }
        }
        progress.base = base;
        progress.skipped = false;
        progress.state = State::Runs;
        progress.open = 0;
        let cycle = progress.cycle;
        for epoch in 0..self.epochs.len() {
            match self.next_frame(cycle, epoch, 0) {
                Some(frame) => {
                    progress.open += 1;
                    let step = self.epochs[epoch].period.unwrap_or(0);
                    let start = base.saturating_add(step.saturating_mul(i64::from(frame)));
                    self.admit(cycle, epoch, frame, start, now);
                }
                None => {
                    let frames = self.epochs[epoch].frames;
                    self.gate(epoch).pass((cycle + 1) * u64::from(frames));
                }
            }
        }
        if self.epochs.len() > 1 {
            self.lines[0].opened.signal(Self::count(cycle + 1));
        }
        shared.time.signalled();
    }
}
