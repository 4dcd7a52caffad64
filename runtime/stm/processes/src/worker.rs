//! One worker: executes the runnables of one client on one engine.

use crate::execution::{Execute, Execution, Outcome, unpack};
use crate::layout::{CLOSED, Hyperepoch, Layout};
use crate::segment::{Cell, Segment};
use crate::{log, now};
use gxf_stm::program::{NONE, Slot, flag};
use gxf_sync::shared_fence::count;
use std::sync::atomic::Ordering;

/// Looks at a fence before a worker sleeps, if each has a core.
const SPINS: u32 = 2_000;

/// A place in the schedules.
pub struct Worker<'a> {
    /// The layout.
    pub layout: &'a Layout,
    /// The memory.
    pub segment: &'a Segment,
    /// Its client.
    pub client: usize,
    /// Its engine.
    pub engine: usize,
}

impl Worker<'_> {
    fn spins() -> u32 {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if cores > 2 { SPINS } else { 1 }
    }

    /// Executes what its engine is given, until all is over.
    pub fn run(&self, execute: &dyn Execute) {
        let engine = &self.layout.engines[self.engine];
        let (given, left) =
            (self.segment.cell(engine.given), self.segment.cell(engine.left[self.client]));
        loop {
            let next = left.count() + 1;
            if !self.wait(given, next, execute) {
                return;
            }
            let number = given.number.load(Ordering::Acquire);
            if !self.lane(unpack(number), execute) {
                return;
            }
            left.signal(next);
        }
    }

    fn wait(&self, fence: &Cell, count: u32, execute: &dyn Execute) -> bool {
        fence.wait(count, Self::spins(), || self.is_over(execute)) && !self.is_over(execute)
    }

    fn is_over(&self, execute: &dyn Execute) -> bool {
        self.segment.cell(CLOSED).has_reached(1) || execute.is_over()
    }

    /// Executes a lane until its hyperepoch ends. False if all is over.
    fn lane(&self, indices: [usize; 3], execute: &dyn Execute) -> bool {
        let [schedule, hyperepoch, lane] = indices;
        let place = [schedule, hyperepoch];
        let (schedule, hyperepoch) = self.layout.find(place);
        let Hyperepoch { program, .. } = hyperepoch;
        let opened = self.segment.cell(hyperepoch.opened);
        let fence = self.segment.cell(hyperepoch.fences + lane);
        // A substitute begins where its client was killed. One that comes after the end still walks
        // through the last cycle, for whose fences others wait although its frames are left out.
        let mut cycle = u64::from(opened.count()).saturating_sub(1);
        let end = opened.value.load(Ordering::Acquire);
        cycle = cycle.min(end.saturating_sub(1).max(0).unsigned_abs());
        loop {
            if !self.wait(opened, count(cycle + 1), execute) {
                return false;
            }
            if cycle.cast_signed() >= opened.value.load(Ordering::Acquire) {
                return true;
            }
            let turn = usize::try_from(cycle % program.cycles.len() as u64).unwrap_or_default();
            for (position, slot) in (0..).zip(&program.cycles[turn].lanes[lane]) {
                let base = cycle.wrapping_mul(u64::from(program.stride));
                let end = count(base + position + 1);
                if schedule.runnables[slot.owner as usize].client != self.client {
                    continue;
                }
                if fence.has_reached(end) {
                    // Its client was killed behind it.
                    if let Some((cell, count, progress)) = work(hyperepoch, slot, cycle) {
                        work_done(self.segment, cell, count, progress);
                    }
                    continue;
                }
                if position > 0 && !self.wait(fence, count(base + position), execute) {
                    return false;
                }
                for wait in &slot.waits {
                    let other = self.segment.cell(hyperepoch.fences + wait.fence as usize);
                    if !self.wait(other, count(u64::from(wait.count(cycle))), execute) {
                        return false;
                    }
                }
                if !self.slot(place, slot, cycle, execute) {
                    return false;
                }
                fence.signal(end);
                if slot.flags & flag::LEAVES != 0 {
                    self.segment.cell(hyperepoch.progress).bump();
                }
            }
            cycle += 1;
        }
    }

    /// Executes a slot if its frame runs. False if all is over.
    fn slot(&self, place: [usize; 2], slot: &Slot, cycle: u64, execute: &dyn Execute) -> bool {
        let (schedule, hyperepoch) = self.layout.find(place);
        let epoch = &hyperepoch.plan.epochs[slot.epoch as usize];
        let frame = cycle * u64::from(epoch.frames) + u64::from(slot.frame);
        let gate = self.segment.cell(hyperepoch.epochs[slot.epoch as usize]);
        if !self.wait(gate, count(frame + 1), execute) {
            return false;
        }
        let runs = gate.number.load(Ordering::Acquire) == frame;
        let work = work(hyperepoch, slot, cycle);
        let mut outcome = Outcome::Done;
        if runs && slot.runnable != NONE {
            let frame_start = gate.value.load(Ordering::Acquire);
            if slot.release != i64::MIN {
                self.sleep_until(frame_start.saturating_add(slot.release), execute);
            }
            let engine = &self.layout.engines[self.engine];
            let is_logged = self.segment.is_logged();
            let start = if is_logged { now() } else { 0 };
            outcome = execute.execute(&Execution {
                runnable: &schedule.runnables[slot.runnable as usize].name,
                epoch: &epoch.name,
                engine: &engine.name,
                frame,
                frame_start,
                work,
            });
            if is_logged {
                let indices = [place[0], place[1], slot.epoch as usize];
                let times = [frame_start, start, now()];
                let entry = log::entry(indices, slot.runnable, outcome, frame, times);
                self.segment.log(engine.log[self.client], entry);
            }
        }
        if let Some((cell, count, progress)) = work.filter(|_| outcome != Outcome::Submitted) {
            work_done(self.segment, cell, count, progress);
        }
        true
    }

    fn sleep_until(&self, time: i64, execute: &dyn Execute) {
        loop {
            let left = time.saturating_sub(now());
            if left <= 0 || self.is_over(execute) {
                return;
            }
            // Not longer, so that the end of all is noticed.
            let slice = left.unsigned_abs().min(50_000_000);
            std::thread::sleep(std::time::Duration::from_nanos(slice));
        }
    }
}

/// The work that a slot submits, as [`Execution::work`] has it.
fn work(hyperepoch: &Hyperepoch, slot: &Slot, cycle: u64) -> Option<(usize, u32, usize)> {
    let work = hyperepoch.program.works.get(slot.work as usize)?;
    let frames = u64::from(hyperepoch.plan.epochs[slot.epoch as usize].frames);
    let frame = cycle * frames + u64::from(slot.frame);
    Some((hyperepoch.fences + work.fence, count(frame + 1), hyperepoch.progress))
}

/// Submitted work is done.
pub fn work_done(segment: &Segment, cell: usize, count: u32, progress: usize) {
    let fence = segment.cell(cell);
    if !fence.has_reached(count) {
        fence.signal(count);
        segment.cell(progress).bump();
    }
}
